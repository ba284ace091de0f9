//! Othello engine: boards, patterns, weights files, search, self-play and openings.
//!
//! Arrows between the rooms point one way: [`board`] ← [`pattern`] ← [`eval`] ← [`search`] ←
//! `selfplay`, [`openings`] ← `cli`, with [`file`] ← [`record`] beside them.

pub mod board;
#[cfg(feature = "cli")]
pub mod cli;
pub mod eval;
pub mod file;
pub mod openings;
pub mod pattern;
pub mod progress;
pub mod random;
pub mod record;
pub mod search;
pub mod selfplay;
pub mod text;
