//! Positions, moves, symmetries, notation and perft.
//!
//! A [`Position`] is two bitboards seen from the player to move; bit 0 is a1, bit 7 is h1, bit 63
//! is h8. Nothing in this module depends on patterns, values or files.

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
/// `Discs` is a plain number and not a type of its own, because the last squares of a search, with
/// half of its nodes, compute scores from bit counts. Only values in steps of 1/32 disc could be
/// confused with it; they have a type, and only its functions convert between the two.
pub type Discs = i32;
