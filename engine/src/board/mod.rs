//! Positions, moves, symmetries, notation and perft.
//!
//! A [`Position`] is two bitboards seen from the player to move; bit 0 is a1, bit 7 is h1,
//! bit 63 is h8. Nothing in this room knows of patterns, values or files.

pub mod bits;
mod error;
pub mod ggf;
pub mod notation;
pub mod obf;
pub mod perft;
mod phase;
mod position;
mod rules;
pub mod sgf;
mod square;
mod stability;
mod stated;
mod symmetry;
pub mod transcript;

pub use phase::{PHASES, Phase};
pub use position::{Position, Side};
pub use square::{CORNERS, QUADRANTS, Square, Squares, X_SQUARES};
pub use stated::StatedPosition;
pub use symmetry::Symmetry;

/// A whole number of discs, such as a score: player minus opponent, −64..=64.
///
/// `Discs` is a plain number and not a type of its own, since the last squares of a search, where half of
/// its nodes are, make scores out of counts of bits. Values in steps of 1/32 disc are what could be
/// confused with it: they have a type, and nothing turns one into the other but its functions.
pub type Discs = i32;
