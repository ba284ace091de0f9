//! `othello-trainer shuffle`: games in another order.

use std::path::PathBuf;
use std::time::Instant;

use othello_engine::cli::common::{Outcome, Session};

use super::selection::{Games, report};
use crate::records::select::shuffle;

/// Arguments of `shuffle`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    games: Games,

    /// The file of games to write
    #[arg(long, value_name = "F")]
    out: PathBuf,
}

/// Shuffles and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let Arguments { games, out } = arguments;
    let inputs = games.inputs(session)?;
    let written = shuffle(&inputs, games.seed, out, games.existing(), session.progress())?;
    report(&inputs, vec![(out.clone(), written)], begun, session)?;
    Ok(Outcome::Done)
}
