//! The command line: one file for each subcommand, and the parts that all of them share.
//! `othello-trainer` uses the shared parts too.
//!
//! A subcommand is a file with `Arguments` (clap) and `run(&Arguments, &Session)`, which prints one
//! [`report::Report`] and returns an [`Outcome`]. [`arguments`] has arguments that several
//! subcommands take; [`Session`] is the state of a running one.

pub mod arguments;
pub mod by_class;
pub mod generate;
mod interrupt;
pub mod message;
mod positions;
pub mod progress;
pub mod report;
pub mod session;

pub use session::{Outcome, Session};

pub mod ablate;
pub mod bench;
pub mod evaluate;
pub mod hint;
pub mod openings;
pub mod perft;
pub mod protocols;
pub mod selfplay;
pub mod solve;
pub mod stats;
pub mod weights;
