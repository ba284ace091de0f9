//! The ground floor of the Othello engine: boards, patterns, the container of all files, records of
//! games, and weights files.
//!
//! The engine's build script needs this crate as much as the engine does: it reads the weights that
//! it puts into the binary with the code that reads them from a file. `othello-engine` re-exports
//! all of it, so that whoever uses the engine needs no second dependency.
//!
//! The modules depend on each other in one direction: [`mod@file`] ← [`text`] ← [`run`], and
//! [`text`] ← [`simd`] ← [`board`] ← [`pattern`] ← [`weights`] ← [`record`]. Nothing here
//! plays or searches.

pub mod board;
pub mod file;
pub mod pattern;
pub mod progress;
pub mod random;
pub mod record;
pub mod run;
pub mod simd;
pub mod text;
pub mod weights;
