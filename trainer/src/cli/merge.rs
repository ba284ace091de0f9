//! `othello-trainer merge`: joins files of records.

use std::path::PathBuf;

use othello_cli::arguments::{Output, number_from};
use othello_cli::{Outcome, Session};
use othello_engine::file::{Kind, Summary, kind_of};
use othello_engine::record::{Game, PlacedPosition, ScoredPosition, record_files};
use serde::Serialize;

use crate::memory::{MemoryLimit, bytes_of};
use crate::records::select::{Selectable, merge};
use crate::records::sequence::Inputs;

/// Arguments of `merge`.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Files of games, or of positions, or folders of them, joined in this order. The shards of a
    /// run are packed by `pack`
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,
    #[command(flatten)]
    output: Output,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{records} records of {files} files ({dropped} repeated games dropped)\n{summary}, {seconds:.2} s"
)]
pub(in crate::cli) struct Report {
    /// The number of joined files.
    files: usize,
    /// The number of records in the output.
    records: u64,
    /// The number of repeated games that were dropped.
    dropped: u64,
    #[serde(flatten)]
    summary: Summary,
    /// The wall time.
    seconds: f64,
}

/// Runs the command `merge`: joins the files and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { files, memory_mb, output } = arguments;
    let files = &record_files(files)?;
    let kind = files.first().and_then(|path| kind_of(path).ok());
    let limit = MemoryLimit::beside(&output.out, bytes_of(*memory_mb));
    match kind {
        Some(Kind::Games) => merge_records::<Game>(&limit, files, output, session),
        Some(Kind::Placed) => merge_records::<PlacedPosition>(&limit, files, output, session),
        _ => merge_records::<ScoredPosition>(&limit, files, output, session),
    }
}

fn merge_records<R: Selectable>(
    limit: &MemoryLimit,
    files: &[PathBuf],
    output: &Output,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let progress = session.progress();
    let inputs = Inputs::<R>::count(files, progress)?;
    let merged = merge(limit, &inputs, &output.out, output.existing(), progress)?;
    session.print(&Report {
        files: files.len(),
        records: merged.records,
        dropped: inputs.len() - merged.records,
        summary: merged.summary,
        seconds: session.seconds(),
    })
}
