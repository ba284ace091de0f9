//! `othello-trainer shuffle`: puts games or positions in random order.

use std::time::Instant;

use othello_engine::cli::arguments::{Output, number_from};
use othello_engine::cli::{Outcome, Session};
use othello_engine::record::{Game, Record, ScoredPosition};

use super::selection::{Files, report};
use crate::memory::{MemoryLimit, allowed_bytes};
use crate::records::shuffle::shuffle;

/// Arguments of `shuffle`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,

    /// Memory for records, in MB of 2^20 bytes; what does not fit goes through a temporary file
    /// beside the output [default: half of all there is]
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,

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
    let Arguments { files, memory_mb, output } = arguments;
    let memory = memory_mb.map_or(allowed_bytes() / 2, |mb| mb.saturating_mul(1 << 20));
    let inputs = files.inputs::<R>(session)?;
    let (out, existing) = (&output.out, output.existing());
    let limit = MemoryLimit::beside(out, memory);
    let written = shuffle(&limit, &inputs, files.seed, out, existing, session.progress())?;
    report(&inputs, vec![(out.clone(), written)], begun, session)?;
    Ok(Outcome::Done)
}
