//! The command line: one file for each subcommand, with `Arguments` (clap) and
//! `run(&Arguments, &Session)`. [`othello_cli`] has the parts that do not search.

pub mod arguments;
mod positions;

use othello_cli::{Outcome, Session};

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
