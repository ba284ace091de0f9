//! `othello-trainer merge`: merges the shards of a run.

use std::fmt;
use std::path::PathBuf;

use anyhow::ensure;
use othello_cli::arguments::{Output, number_from};
use othello_cli::message::counted;
use othello_cli::{Outcome, Session};
use othello_engine::eval::Weights;
use othello_engine::file::{Kind, Summary, kind_of};
use othello_engine::record::record_files;
use serde::Serialize;

use crate::arena::{MatchFile, MatchReport};
use crate::fit::{FitReport, MergedParts, merge_parts};
use crate::memory::{MemoryLimit, bytes_of};
use crate::records::merge::{Content, merge_within};

/// Arguments of `merge`.
#[derive(clap::Args, Clone, Debug)]
pub struct Arguments {
    /// Files of all shards of a run of `selfplay`, `relabel`, `openings`, `match` or `fit`, in any
    /// order; or the folder of those of games or positions
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    /// Weights that a fit began from, where its parts were made with `--init`
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,

    /// Memory for what stands for the games that were met, in MB of 2^20 bytes; what does not fit
    /// goes into a temporary file beside the output [default: all there is]
    #[arg(long, value_name = "MB", value_parser = number_from(0_u64))]
    memory_mb: Option<u64>,

    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Report {
    shards: u64,
    #[serde(flatten)]
    games: Option<Games>,
    positions: u64,
    #[serde(flatten)]
    summary: Summary,
    seconds: f64,
}

/// The report of a match whose shards were merged.
#[derive(Serialize, derive_more::Display)]
#[display("{report}\n{}, {summary}", counted(*shards, "shard"))]
struct MergedMatch {
    shards: usize,
    #[serde(flatten)]
    report: MatchReport,
    #[serde(flatten)]
    summary: Summary,
}

/// The report of a fit whose parts were merged.
#[derive(Serialize, derive_more::Display)]
#[display(
    "{phases}\n{}, {} bytes, {seconds:.2} s\n{}  sha256 {}",
    counted(*shards, "shard"),
    summary.bytes,
    weights.display(),
    summary.sha256
)]
struct MergedFit {
    shards: usize,
    phases: FitReport,
    validation_mae: Option<f64>,
    test_mae: Option<f64>,
    weights: PathBuf,
    #[serde(flatten)]
    summary: Summary,
    seconds: f64,
}

#[derive(Serialize)]
struct Games {
    games: u64,
    duplicates: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shards, games, positions, summary, seconds } = self;
        write!(f, "{}, ", counted(*shards, "shard"))?;
        if let Some(Games { games, duplicates }) = games {
            write!(f, "{games} games ({duplicates} duplicates dropped), ")?;
        }
        writeln!(f, "{positions} positions")?;
        write!(f, "{summary}, {seconds:.2} s")
    }
}

/// Merges and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let arguments = &Arguments { shards: record_files(&arguments.shards)?, ..arguments.clone() };
    let Arguments { shards, init, memory_mb, output } = arguments;
    let kind = shards.first().and_then(|path| kind_of(path).ok());
    if kind == Some(Kind::Checkpoint) {
        return merge_fit(arguments, session);
    }
    ensure!(init.is_none(), "--init is for the parts of a fit, and these are none: leave it out");
    if kind == Some(Kind::Match) {
        return merge_match(arguments, session);
    }
    let memory = bytes_of(*memory_mb);
    let limit = MemoryLimit::beside(&output.out, memory);
    let (existing, progress) = (output.existing(), session.progress());
    let merged = merge_within(&limit, shards, &output.out, existing, progress)?;
    session.print(&Report {
        shards: merged.shards,
        games: match merged.content {
            Content::Games { games, duplicates } => Some(Games { games, duplicates }),
            Content::Openings | Content::Positions => None,
        },
        positions: merged.positions,
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

fn merge_fit(
    Arguments { shards, init, output, .. }: &Arguments,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let initial = init.as_deref().map(Weights::read).transpose()?;
    let (existing, progress) = (output.existing(), session.progress());
    let merged = merge_parts(shards, initial.as_ref(), &output.out, existing, progress)?;
    let MergedParts { shards, summary, report } = merged;
    session.print(&MergedFit {
        shards,
        validation_mae: report.validation_mae(),
        test_mae: report.test_mae(),
        phases: report,
        weights: output.out.clone(),
        summary,
        seconds: session.seconds(),
    })
}
