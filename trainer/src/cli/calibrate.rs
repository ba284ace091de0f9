//! `othello-trainer calibrate`: what a search learns beside an evaluation, as a new section of its weights file.

mod ordering;
mod probcut;

use othello_engine::cli::{Outcome, Session};

/// Arguments of `calibrate`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Learn the move-ordering evaluation of the last plies
    Ordering(ordering::Arguments),
    /// Learn what shallow searches predict of deeper ones, so that `--selectivity` can leave these out
    Probcut(probcut::Arguments),
}

/// Calibrates and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    match &arguments.what {
        What::Ordering(arguments) => ordering::run(arguments, session),
        What::Probcut(arguments) => probcut::run(arguments, session),
    }
}
