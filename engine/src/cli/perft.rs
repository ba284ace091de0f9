//! `othello-engine perft`: counts the leaves of the game tree.

use serde::Serialize;

use super::{Outcome, Session};
use crate::board::Position;
use crate::board::perft::count_leaves;

/// Arguments of `perft`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Depth in plies from the start of the game
    depth: u32,

    /// Do not count a pass as a ply, so that the depth counts discs
    #[arg(long)]
    pass_free: bool,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{} leaves at depth {}, {:.2} s", self.leaves, self.depth, self.seconds)]
pub(in crate::cli) struct Perft {
    /// The depth in plies; with --pass-free, in moves that place a disc (passes do not count).
    depth: u32,
    /// The number of leaves.
    leaves: u64,
    /// The wall time of the command.
    seconds: f64,
}

/// Counts the leaves and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let leaves = count_leaves(&Position::START, arguments.depth, arguments.pass_free);
    let seconds = session.seconds();
    session.print(&Perft { depth: arguments.depth, leaves, seconds })
}
