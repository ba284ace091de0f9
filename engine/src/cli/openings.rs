//! `othello-engine openings`: counts the unique positions of every ply, and scores them.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::ensure;
use serde::Serialize;

use super::arguments::{existing, number_from, number_in};
use super::table::{Align, table};
use super::{Outcome, Session};
use crate::board::{Discs, Square, transcript};
use crate::eval::{Evaluator, WeightsChoice};
use crate::file::{FileError, check_output, open_ordinary, plain};
use crate::openings::{self, Balance, MAX_PLIES, MAX_PLIES_HELD, Settings, write_openings};
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

    /// Write a transcript of each opening of the last ply that a search finds near even instead,
    /// one a line
    #[arg(long, requires = "out", conflicts_with = "shard")]
    balanced: bool,

    /// Largest value, either way, of an opening that counts as near even
    #[arg(long, value_name = "DISCS", default_value_t = 2, requires = "balanced")]
    within: Discs,

    /// Stop when so many openings near even are found
    #[arg(long, value_name = "N", requires = "balanced", value_parser = number_from(1_usize))]
    count: Option<usize>,

    /// Seed that decides which openings are looked at first
    #[arg(long, value_name = "S", default_value_t = 1, requires = "balanced", value_parser = number_from(0_u64))]
    seed: u64,

    /// Search each position of the last ply this many plies deep
    #[arg(long, value_name = "D", default_value_t = 4, requires = "out", value_parser = number_in(0..=60_u32))]
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

/// The greatest ply for openings near even: all its 434,029 games are in memory.
const MAX_PLIES_BALANCED: u32 = 9;

#[derive(Serialize)]
struct Openings {
    unique: Vec<usize>,
    #[serde(flatten)]
    written: Option<File>,
    /// The number of openings near even that were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    balanced: Option<usize>,
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
        if let Some(balanced) = self.balanced {
            writeln!(f, "{balanced} openings near even written")?;
        }
        write!(f, "{:.2} s", self.seconds)
    }
}

/// Enumerates the openings, scores them if there is an output, and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let progress = session.progress();
    if let (Some(path), true) = (&arguments.out, arguments.balanced) {
        return write_balanced(path, arguments, session);
    }
    let (unique, written) = match &arguments.out {
        None => (openings::count(arguments.plies, progress), None),
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
    let seconds = begun.elapsed().as_secs_f64();
    session.print(&Openings { unique, written, balanced: None, seconds })?;
    Ok(Outcome::Done)
}

/// Refuses a file that does not begin with a transcript of `plies` moves, before the work.
fn check_is_of_openings(path: &Path, plies: u32) -> anyhow::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let mut line = vec![];
    let length = 2 * u64::from(plies) + 1;
    open_ordinary(path)?.take(length).read_to_end(&mut line)?;
    let is_transcript = str::from_utf8(&line).is_ok_and(|line| {
        line.strip_suffix('\n').is_some_and(|moves| transcript::parse(moves).is_ok())
    });
    if is_transcript {
        return Ok(());
    }
    let reason = format!("it does not begin with a transcript of {plies} moves");
    Err(FileError::Exists { path: path.to_owned(), reason }.into())
}

/// Writes transcripts of openings near even, one a line.
fn write_balanced(
    path: &Path,
    arguments: &Arguments,
    session: &Session,
) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let &Arguments { plies, within, count, seed, score_depth: depth, .. } = arguments;
    ensure!(
        plies <= MAX_PLIES_BALANCED,
        "--plies {plies}: openings near even are looked for up to ply {MAX_PLIES_BALANCED}"
    );
    check_output(path, arguments.weights.path())?;
    if !arguments.force {
        check_is_of_openings(path, plies)?;
    }
    let evaluator = Evaluator::load(&arguments.weights)?;
    let unique = openings::count(plies, session.progress());
    let balance = Balance { plies, depth, within, count, seed };
    let openings = balance.openings(&evaluator, session.progress())?;
    let line =
        |game: &Vec<Square>| game.iter().map(Square::to_string).chain(["\n".into()]).collect();
    let text: String = openings.iter().map(line).collect::<Vec<String>>().concat();
    plain::write(path, text.as_bytes(), existing(arguments.force))?;
    let (balanced, seconds) = (Some(openings.len()), begun.elapsed().as_secs_f64());
    session.print(&Openings { unique, written: None, balanced, seconds })?;
    Ok(Outcome::Done)
}
