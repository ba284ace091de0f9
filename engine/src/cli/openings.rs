//! `othello-engine openings`: counts the unique positions of every ply, and scores them.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::ensure;
use serde::Serialize;

use super::arguments::{existing, number_in};
use super::table::{Align, table};
use super::{Outcome, Session};
use crate::eval::{Evaluator, WeightsChoice};
use crate::file::check_output;
use crate::openings::{MAX_PLIES, MAX_PLIES_HELD, Settings, count, write_openings};
use crate::record::Shard;

/// Arguments of `openings`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Last ply to enumerate: moves from the start of the game
    #[arg(long, value_name = "P", value_parser = number_in(0..=MAX_PLIES))]
    plies: u32,

    /// Score the last ply by searches and the plies before it from their successors, and write all
    /// positions to this file; an interrupted one is resumed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Search each position of the last ply this many plies deep
    #[arg(long, value_name = "D", default_value_t = 4, requires = "out")]
    score_depth: u32,

    /// Weights: a file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded", requires = "out")]
    weights: WeightsChoice,

    /// Score only part I of N of the last ply; `othello-trainer merge` puts the parts together
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, requires = "out")]
    shard: Shard,

    /// Replace an output that was made from something else
    #[arg(long, requires = "out")]
    force: bool,
}

#[derive(Serialize)]
struct Openings {
    unique: Vec<usize>,
    #[serde(flatten)]
    written: Option<File>,
    seconds: f64,
}

#[derive(Serialize)]
struct File {
    positions: usize,
    bytes: u64,
    sha256: String,
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.unique.iter().enumerate().map(|(ply, &unique)| [ply, unique]);
        let columns = [("ply", Align::Right), ("unique positions", Align::Right)];
        writeln!(f, "{}", table(columns, rows))?;
        if let Some(File { positions, bytes, sha256 }) = &self.written {
            writeln!(f, "{positions} positions written, {bytes} bytes, sha256 {sha256}")?;
        }
        write!(f, "{:.2} s", self.seconds)
    }
}

/// Enumerates, scores where a file is asked for, and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let progress = session.progress();
    let (unique, written) = match &arguments.out {
        None => (count(arguments.plies, progress), None),
        Some(path) => {
            ensure!(
                arguments.plies <= MAX_PLIES_HELD,
                "--plies {}: openings are written up to ply {MAX_PLIES_HELD}, and only counted further",
                arguments.plies
            );
            check_output(path, arguments.weights.path())?;
            let evaluator = Evaluator::load(&arguments.weights)?;
            let &Arguments { plies, score_depth, shard, .. } = arguments;
            let settings = Settings { plies, score_depth, shard };
            let written =
                write_openings(path, &settings, &evaluator, existing(arguments.force), progress)?;
            let (bytes, sha256) = (written.summary.bytes, written.summary.sha256);
            (written.unique, Some(File { positions: written.positions, bytes, sha256 }))
        }
    };
    session.print(&Openings { unique, written, seconds: begun.elapsed().as_secs_f64() })?;
    Ok(Outcome::Done)
}
