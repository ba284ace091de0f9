//! `othello-trainer merge`: the shards of a run put together.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use othello_engine::cli::arguments::Output;
use othello_engine::cli::{Outcome, Session};
use othello_engine::file::{Kind, kind_of};
use serde::Serialize;

use super::matches::MatchReport;
use crate::arena::MatchFile;
use crate::records::merge::{Content, merge};

/// Arguments of `merge`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files of all shards of a run of `selfplay`, `relabel`, `openings` or `match`, in any order
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Report {
    shards: u64,
    #[serde(flatten)]
    games: Option<Games>,
    positions: u64,
    bytes: u64,
    sha256: String,
    seconds: f64,
}

/// The report of a match whose shards were put together.
#[derive(Serialize)]
struct MergedMatch {
    shards: usize,
    #[serde(flatten)]
    report: MatchReport,
    bytes: u64,
    sha256: String,
}

impl fmt::Display for MergedMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shards, report, bytes, sha256 } = self;
        write!(f, "{report}\n{shards} shards, {bytes} bytes, sha256 {sha256}")
    }
}

#[derive(Serialize)]
struct Games {
    games: u64,
    duplicates: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shards, games, positions, bytes, sha256, seconds } = self;
        write!(f, "{shards} shards, ")?;
        if let Some(Games { games, duplicates }) = games {
            write!(f, "{games} games ({duplicates} duplicates dropped), ")?;
        }
        writeln!(f, "{positions} positions")?;
        write!(f, "{bytes} bytes, sha256 {sha256}, {seconds:.2} s")
    }
}

/// Merges and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let Arguments { shards, output } = arguments;
    if shards.first().is_some_and(|path| kind_of(path).ok() == Some(Kind::Match)) {
        let merged = MatchFile::merge(shards, &output.out, output.existing(), session.progress())?;
        let MatchFile { conditions, result, summary, .. } = merged;
        session.print(&MergedMatch {
            shards: shards.len(),
            report: MatchReport::new(&conditions, &result, begun),
            bytes: summary.bytes,
            sha256: summary.sha256,
        })?;
        return Ok(Outcome::Done);
    }
    let merged = merge(shards, &output.out, output.existing(), session.progress())?;
    session.print(&Report {
        shards: merged.shards,
        games: match merged.content {
            Content::Games { games, duplicates } => Some(Games { games, duplicates }),
            Content::Openings | Content::Positions => None,
        },
        positions: merged.positions,
        bytes: merged.summary.bytes,
        sha256: merged.summary.sha256,
        seconds: begun.elapsed().as_secs_f64(),
    })?;
    Ok(Outcome::Done)
}
