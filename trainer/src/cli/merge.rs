//! `othello-trainer merge`: joins files of records.

use std::path::PathBuf;

use othello_cli::arguments::{Output, number_from};
use othello_cli::message::counted;
use othello_cli::{Outcome, Session};
use othello_engine::file::{Kind, Summary, kind_of};
use othello_engine::record::{Game, ScoredPosition, record_files};
use serde::Serialize;

use crate::arena::{MatchFile, MatchReport};
use crate::memory::{MemoryLimit, bytes_of};
use crate::records::merge::{Mergeable, merge};
use crate::records::sequence::Inputs;

/// Arguments of `merge`.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Files of games, or of positions, or folders of them, joined in this order; or all shards of
    /// a `match`. The shards of other runs are packed by `pack`
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    /// Memory for the keys by which repeated games are found, in MB of 2^20 bytes; other keys go
    /// into a temporary file in the folder of the output [default: all there is]
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

/// The report of a match whose shards were merged.
#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{report}\n{}, {summary}", counted(*shards, "shard"))]
pub(in crate::cli) struct MergedMatch {
    /// The number of shards.
    shards: usize,
    #[serde(flatten)]
    report: MatchReport,
    #[serde(flatten)]
    summary: Summary,
}

/// Merges and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let arguments = &Arguments { shards: record_files(&arguments.shards)?, ..arguments.clone() };
    let Arguments { shards, memory_mb, output } = arguments;
    let kind = shards.first().and_then(|path| kind_of(path).ok());
    if kind == Some(Kind::Match) {
        return merge_match(arguments, session);
    }
    let limit = MemoryLimit::beside(&output.out, bytes_of(*memory_mb));
    match kind {
        Some(Kind::Games) => merge_records::<Game>(&limit, shards, output, session),
        _ => merge_records::<ScoredPosition>(&limit, shards, output, session),
    }
}

fn merge_records<R: Mergeable>(
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

fn merge_match(
    Arguments { shards, output, .. }: &Arguments,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let merged = MatchFile::merge(shards, &output.out, output.existing(), session.progress())?;
    let MatchFile { conditions, result, summary, .. } = merged;
    session.print(&MergedMatch {
        shards: shards.len(),
        report: MatchReport::new(&conditions, &result, session.begun()),
        summary,
    })
}
