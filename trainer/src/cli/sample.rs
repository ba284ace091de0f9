//! `othello-trainer sample`: some games of many.

use std::path::PathBuf;
use std::time::Instant;

use othello_engine::cli::common::{Outcome, Session};

use super::selection::{Games, report};
use crate::records::select::sample;

/// Arguments of `sample`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    games: Games,

    /// How many games to take; all where there are fewer
    #[arg(long, value_name = "N")]
    count: u64,

    /// The file of games to write, in the order in which they were
    #[arg(long, value_name = "F")]
    out: PathBuf,
}

/// Samples and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let Arguments { games, count, out } = arguments;
    let inputs = games.inputs(session)?;
    let written = sample(&inputs, *count, games.seed, out, games.existing(), session.progress())?;
    report(&inputs, vec![(out.clone(), written)], begun, session)?;
    Ok(Outcome::Done)
}
