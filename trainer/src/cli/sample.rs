//! `othello-trainer sample`: draws some games or positions from many.

use std::time::Instant;

use othello_engine::cli::arguments::{Output, number_from};
use othello_engine::cli::{Outcome, Session};
use othello_engine::record::{Game, Record, ScoredPosition};

use super::selection::{Files, report};
use crate::records::select::sample;

/// Arguments of `sample`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,

    /// Number of games or positions to take; all where there are fewer
    #[arg(long, value_name = "N", value_parser = number_from(0_u64))]
    count: u64,

    #[command(flatten)]
    output: Output,
}

/// Samples and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    if arguments.files.are_games()? {
        sample_records::<Game>(arguments, session)
    } else {
        sample_records::<ScoredPosition>(arguments, session)
    }
}

fn sample_records<R: Record>(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let Arguments { files, count, output } = arguments;
    let inputs = files.inputs::<R>(session)?;
    let (out, existing) = (&output.out, output.existing());
    let written = sample(&inputs, *count, files.seed, out, existing, session.progress())?;
    report(&inputs, vec![(out.clone(), written)], begun, session)?;
    Ok(Outcome::Done)
}
