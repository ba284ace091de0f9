//! The lowest layer of the Othello engine: boards, patterns, the container format of all files,
//! records of games, and weights files.
//!
//! The engine's build script uses this crate to embed weights, so it is separate from
//! `othello-engine`, which re-exports all of it.
//!
//! The modules depend on each other in one direction; arrows point to the module that is used:
//! [`mod@file`] ← [`text`] ← [`run`], and [`text`] ← [`simd`] ← [`board`] ← [`pattern`] ←
//! [`weights`] ← [`record`]. Nothing here plays or searches.
//!
//! ```
//! use othello_core::board::Position;
//! use othello_core::pattern::{Geometry, PatternSet};
//!
//! // f5, seen by the opponent, who is then to move.
//! let position = Position::START.play("f5".parse()?).ok_or("no legal move")?;
//! assert_eq!((position.ply(), position.moves().count_ones()), (1, 3));
//!
//! // The instances and classes of a pattern set follow from its squares.
//! let set = PatternSet::from_toml("name = \"edge\"\n[[pattern]]\nsquares = \"a1 b1 c1\"")?;
//! assert_eq!(Geometry::new(&set).instances.len(), 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod board;
pub mod file;
pub mod pattern;
pub mod progress;
pub mod random;
pub mod record;
pub mod run;
pub mod simd;
#[cfg(test)]
mod tests;
pub mod text;
pub mod weights;
