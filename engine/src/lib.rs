//! Othello engine: boards, patterns, weights files, search, self-play and openings.
//!
//! The lowest layer is a separate crate, [`othello_core`]: [`board`], [`mod@file`], [`pattern`],
//! [`record`], [`text`], and the weights files for [`eval`]. Each of the modules [`eval`],
//! [`search`], [`openings`], [`selfplay`] and `cli` depends only on those before it in this list.
//!
//! With `default-features = false`, the crate is the library alone, without the command line and
//! its dependencies. Weights come from a file or from inside the binary. A position can be
//! evaluated statically, searched to a depth, or solved:
//!
//! ```
//! use othello_engine::board::{Position, StatedPosition};
//! use othello_engine::eval::{Evaluate as _, Evaluator, Identified as _, WeightsChoice};
//! use othello_engine::search::{Search, Strength};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Needs the feature `embedded`; `WeightsChoice::File(path)` loads a weights file instead.
//! let evaluator = Evaluator::load(&WeightsChoice::Embedded)?;
//! println!("weights {}", evaluator.identity());
//!
//! // After f5, d6 and c3 white is to move: the player is always the side to move.
//! let mut position = Position::START;
//! for square in ["f5", "d6", "c3"] {
//!     position = position.play(square.parse()?).ok_or("no legal move")?;
//! }
//! let value = evaluator.value_of(&position);
//! println!("{value:+.2} discs for white");
//!
//! // A depth-4 search with a table of 16 MiB: its result is the same on every machine.
//! let search = Search::new(&evaluator).hash_mb(16).depth(4);
//! let found = search.find(&position)?;
//! println!("best {:?}, {} nodes", found.best, found.nodes);
//!
//! let late = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
//! let late: StatedPosition = late.parse()?;
//! let found = search.strength(Strength::PERFECT).find(&late.position)?;
//! assert_eq!(found.value.score(), 18);
//! # Ok(())
//! # }
//! ```
//!
//! Each error has a type, such as [`eval::WeightsError`] or [`file::FileError`], and a message with
//! the file, the place and the remedy. `engine/examples/` has whole programs.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../docs/guides/your-engine.md")]
struct YourEngine;

#[doc(inline)]
pub use othello_core::{
    board, file, pattern, progress, random, record, run, simd, text, with_instructions,
};

pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
pub mod eval;
pub mod openings;
pub mod player;
pub mod protocol;
pub mod search;
pub mod selfplay;
pub mod statistics;
pub mod test_suite;
pub mod text_table;
