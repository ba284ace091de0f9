//! `othello-engine openings`: counts the positions of each ply up to symmetry; with --out, also
//! scores them.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde::Serialize;

use super::{Outcome, Session};
use crate::board::{Discs, Square, transcript};
use crate::eval::{Evaluate, Evaluator, WeightsChoice};
use crate::file::{Existing, FileError, check_output, check_replaceable, plain, read_ordinary};
use crate::openings::{
    self, Balance, MAX_PLIES, MAX_PLIES_HELD, Settings, Written, write_openings,
};
use crate::progress::Progress;
use crate::run::{Shard, described};
use crate::text_table::table;
use othello_cli::arguments::{number_from, number_in};

/// Arguments of `openings`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(long, value_name = "P", value_parser = number_in(0..=MAX_PLIES))]
    plies: u32,

    /// Write all positions with their scores to this file. Positions of the last ply are scored by
    /// search, earlier ones by negamax. An interrupted run is resumed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write nearly even openings instead of scored positions: openings of --plies plies whose
    /// value is at most --within discs from 0, one transcript a line
    #[arg(long, requires = "out", conflicts_with = "shard")]
    balanced: bool,
    #[arg(long, value_name = "DISCS", default_value_t = 2, requires = "balanced")]
    within: Discs,
    #[arg(long, value_name = "N", requires = "balanced", value_parser = number_from(1_usize))]
    count: Option<usize>,
    #[arg(long, value_name = "S", default_value_t = 1, requires = "balanced", value_parser = number_from(0_u64))]
    seed: u64,

    /// Search each position of the last ply this many plies deep
    #[arg(long, value_name = "D", default_value_t = 4, requires = "out", value_parser = number_in(0..=60_u32))]
    score_depth: u32,
    #[arg(long, value_name = "W", default_value = "embedded", requires = "out")]
    weights: WeightsChoice,
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, requires = "out")]
    shard: Shard,
    #[arg(long, requires = "out")]
    force: bool,
}

/// The greatest --plies with --balanced. All openings (434,029 at ply 9) must fit into memory.
const MAX_PLIES_BALANCED: u32 = 9;

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Openings {
    #[serde(flatten)]
    written: Written,
    /// The number of nearly even openings that were written; absent without `--balanced`.
    #[serde(skip_serializing_if = "Option::is_none")]
    balanced: Option<usize>,
    /// The wall time of the command.
    seconds: f64,
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Written { unique, positions, summary } = &self.written;
        let rows = unique.iter().enumerate().map(|(ply, &unique)| [ply, unique]);
        let columns = ["ply", "unique positions"];
        writeln!(f, "{}", table(columns, rows))?;
        if let Some(positions) = positions {
            writeln!(f, "{positions} positions, {}", described(summary.as_ref()))?;
        }
        if let Some(balanced) = self.balanced {
            writeln!(f, "{balanced} balanced openings written")?;
        }
        write!(f, "{:.2} s", self.seconds)
    }
}

/// Enumerates the openings, scores them if there is an output, and prints the report.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let progress = session.progress();
    let (written, balanced) = match &arguments.out {
        None => (counted(arguments.plies, progress), None),
        Some(path) if arguments.balanced => write_balanced(path, arguments, session)?,
        Some(path) => {
            ensure!(
                arguments.plies <= MAX_PLIES_HELD,
                "--plies {}: openings can be written up to ply {MAX_PLIES_HELD}; with more plies, \
                 they are only counted",
                arguments.plies
            );
            check_output(path, arguments.weights.path())?;
            let evaluator = Evaluator::load(&arguments.weights)?;
            let &Arguments { plies, score_depth, shard, .. } = arguments;
            let settings = Settings { plies, score_depth, shard };
            let existing = Existing::by_force(arguments.force);
            (write_openings(path, &settings, &evaluator, existing, progress)?, None)
        }
    };
    session.print(&Openings { written, balanced, seconds: session.seconds() })
}

fn counted(plies: u32, progress: &dyn Progress) -> Written {
    Written { unique: openings::count(plies, progress), ..Written::default() }
}

const COMPARED_OPENINGS: usize = 16;
const LONGEST_FILE: u64 = 64 << 20;

/// Refuses to replace an existing file, unless it is a list of openings that contains the first 16
/// openings of the new list.
fn check_is_own<E: Evaluate>(
    path: &Path,
    balance: &Balance,
    evaluator: &E,
    session: &Session,
) -> anyhow::Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let refused = |reason: String| FileError::Exists { path: path.to_owned(), reason };
    let text = read_ordinary(path, LONGEST_FILE)?;
    let lines = String::from_utf8_lossy(&text);
    let is_long = |game: &Vec<Square>| game.len() == balance.plies as usize;
    let game = |line| transcript::parse(line).ok().filter(is_long);
    let there: Option<BTreeSet<Vec<Square>>> = lines.lines().map(game).collect();
    let Some(there) = there else {
        let reason = format!("it is not a list of transcripts of {} moves", balance.plies);
        return Err(refused(reason).into());
    };
    let count = Some(balance.count.unwrap_or(usize::MAX).min(COMPARED_OPENINGS));
    let first = Balance { count, ..*balance }.openings(evaluator, session.progress())?;
    let are_there = first.iter().all(|game| there.contains(game));
    ensure!(are_there, refused("it has other openings".to_owned()));
    Ok(())
}

fn write_balanced(
    path: &Path,
    arguments: &Arguments,
    session: &Session,
) -> anyhow::Result<(Written, Option<usize>)> {
    let &Arguments { plies, within, count, seed, score_depth: depth, .. } = arguments;
    ensure!(
        plies <= MAX_PLIES_BALANCED,
        "--plies {plies}: balanced openings have at most {MAX_PLIES_BALANCED} plies"
    );
    check_output(path, arguments.weights.path())?;
    let evaluator = Evaluator::load(&arguments.weights)?;
    let balance = Balance { plies, depth, within, count, seed };
    if arguments.force {
        check_replaceable(path)?;
    } else {
        check_is_own(path, &balance, &evaluator, session)?;
    }
    let written = counted(plies, session.progress());
    let openings = balance.openings(&evaluator, session.progress())?;
    let line = |game: &Vec<Square>| game.iter().map(Square::to_string).collect::<String>() + "\n";
    let text: String = openings.iter().map(line).collect();
    plain::write(path, text.as_bytes(), Existing::by_force(arguments.force))?;
    Ok((written, Some(openings.len())))
}
