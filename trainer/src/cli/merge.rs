//! `othello-trainer merge`: the shards of a run put together.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use othello_engine::cli::common::{Outcome, Session};
use othello_engine::file::Existing;
use serde::Serialize;

use crate::records::merge::{Content, merge};

/// Arguments of `merge`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The files of all shards of `selfplay`, `relabel` or `openings`, in any order
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    /// The file to write; one that was interrupted is gone on with
    #[arg(long, value_name = "F")]
    out: PathBuf,

    /// Replace an output that was made from something else
    #[arg(long)]
    force: bool,
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
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    let merged = merge(&arguments.shards, &arguments.out, existing, session.progress())?;
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
