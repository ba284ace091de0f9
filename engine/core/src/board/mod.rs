//! Positions, moves, symmetries, notation and perft.
//!
//! A [`Position`] is two bitboards: the discs of the player to move, and the discs of the opponent.
//! The squares have these bit numbers:
//!
//! ```text
//!      a  b  c  d  e  f  g  h
//!  1   0  1  2  3  4  5  6  7
//!  2   8  9 10 11 12 13 14 15        ply   = discs − 4
//!  …                                 score = player − opponent; the empty squares
//!  8  56 57 58 59 60 61 62 63                count for the winner
//! ```
//!
//! ```
//! use othello_core::board::transcript::{self, Replay};
//! use othello_core::board::{Position, Square, Squares};
//!
//! let after = Position::START.play("f5".parse()?).ok_or("not legal")?;
//! let replies: Vec<String> = Squares(after.moves()).map(|square| square.to_string()).collect();
//! assert_eq!(replies, ["f4", "d6", "f6"]);
//!
//! let game = Replay::from_start(&transcript::parse("f5d6c5f4e7f6g5e6e3")?)?;
//! assert_eq!((game.end.ply(), game.black_score()), (9, Some(64)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ggf;
pub mod notation;
pub mod perft;
mod position;
mod rules;
pub mod sgf;
mod square;
mod stability;
mod stated;
mod symmetry;
pub mod transcript;

pub use position::{PHASES, Phase, Position, Side};
pub use square::{CORNERS, QUADRANTS, Square, Squares, X_SQUARES, extract, with_neighbours};
pub use stated::{StatedGame, StatedPosition};
pub use symmetry::Symmetry;

/// A whole number of discs, such as a score: player minus opponent, −64..=64.
pub type Discs = i32;
