//! The command line: one file per subcommand, and what all of them share. `othello-trainer` uses
//! the shared part too.
//!
//! A subcommand is a file with `Arguments` (clap) and `run(&Arguments, &Session)`, which prints
//! one [`output::Report`] and returns a [`common::Outcome`].

pub mod common;
mod interrupt;
pub mod output;
pub mod progress;

pub mod ablate;
pub mod bench;
pub mod evaluate;
pub mod openings;
pub mod perft;
pub mod selfplay;
pub mod solve;
pub mod stats;
pub mod weights;
