//! `othello-trainer shuffle`: games or positions in another order.

use std::time::Instant;

use othello_engine::cli::arguments::Output;
use othello_engine::cli::{Outcome, Session};
use othello_engine::record::{Game, Record, ScoredPosition};

use super::selection::{Files, report};
use crate::records::select::shuffle;

/// Arguments of `shuffle`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,

    #[command(flatten)]
    output: Output,
}

/// Shuffles and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    if arguments.files.are_games()? {
        shuffle_records::<Game>(arguments, session)
    } else {
        shuffle_records::<ScoredPosition>(arguments, session)
    }
}

fn shuffle_records<R: Record>(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let Arguments { files, output } = arguments;
    let inputs = files.inputs::<R>(session)?;
    let (out, existing) = (&output.out, output.existing());
    let written = shuffle(&inputs, files.seed, out, existing, session.progress())?;
    report(&inputs, vec![(out.clone(), written)], begun, session)?;
    Ok(Outcome::Done)
}
