//! `othello-trainer leaves`: writes the leaves of principal variations of searched positions.

use std::path::PathBuf;

use othello_cli::arguments::{Output, number_in};
use othello_cli::{Outcome, Session};
use othello_engine::eval::{Evaluator, WeightsChoice};
use othello_engine::file::{Summary, check_output};
use othello_engine::record::{Game, record_files};
use othello_engine::run::{Shard, described};
use serde::Serialize;

use crate::records::leaves::{LeavesJob, leaves};
use crate::records::sequence::Inputs;
use crate::source::LabelRules;

/// Arguments of `leaves`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files of games, or folders of them, read in this order like one file
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,

    /// Search each position at a depth from 1 to this one, drawn from a hash of the position
    #[arg(long, value_name = "D", default_value_t = 4, value_parser = number_in(1..=12_u32))]
    depth: u32,
    #[arg(long, value_name = "RULES", default_value_t)]
    labels: LabelRules,
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{positions} leaves of {games} games\n{}, {seconds:.2} s", described(summary.as_ref()))]
pub(in crate::cli) struct Report {
    /// The number of searched games.
    games: u64,
    /// The number of leaves in the file.
    positions: u64,
    #[serde(flatten)]
    summary: Option<Summary>,
    /// The wall time.
    seconds: f64,
}

/// Runs the command `leaves`: searches the positions, writes the leaves and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { output, labels, depth, weights, shard, .. } = arguments;
    check_output(&output.out, weights.path())?;
    let evaluator = Evaluator::load(weights)?;
    let games = Inputs::<Game>::count(&record_files(&arguments.files)?, session.progress())?;
    let job = LeavesJob { games: &games, labels, depth: *depth, shard: *shard };
    let written = leaves(&output.out, &job, &evaluator, output.existing(), session.progress())?;
    session.print(&Report {
        games: games.len(),
        positions: written.records,
        summary: written.summary,
        seconds: session.seconds(),
    })
}
