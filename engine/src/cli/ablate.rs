//! `othello-engine ablate`: what each feature of the search is worth, by leaving it out.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use cpu_time::ThreadTime;
use serde::Serialize;

use super::arguments::number_in;
use super::solve::Line;
use super::table::{Align, table};
use super::{Outcome, Session};
use crate::board::Discs;
use crate::eval::{Evaluate as _, Evaluator, WeightsChoice};
use crate::progress::Progress as _;
use crate::search::{Features, Searcher};
use crate::text::Lines;

/// Arguments of `ablate`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File of positions to solve, one a line: boards with the side to move, or OBF
    file: PathBuf,

    /// Size of the transposition table in MB
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_u32 << 20))]
    hash_mb: u32,

    /// Weights that order moves: a file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
}

/// The row of one search of all positions.
#[derive(Serialize)]
struct Row {
    /// The feature left out; `None` in the row of the search with all of them.
    without: Option<&'static str>,
    nodes: u64,
    seconds: f64,
    /// The CPU time of the thread: unlike `seconds` the same on a busy machine, or nearly so.
    cpu_seconds: f64,
    /// The nodes divided by those with all features.
    nodes_ratio: f64,
    /// The CPU time divided by that with all features.
    cpu_ratio: f64,
    /// Positions with another score than with all features.
    different_scores: usize,
}

/// The result of one search of all positions.
struct Solved {
    scores: Vec<Discs>,
    nodes: u64,
    seconds: f64,
    cpu_seconds: f64,
}

#[derive(Serialize)]
struct Ablate {
    positions: usize,
    rows: Vec<Row>,
}

impl fmt::Display for Ablate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = [
            ("without", Align::Left),
            ("nodes", Align::Right),
            ("ratio", Align::Right),
            ("CPU s", Align::Right),
            ("ratio", Align::Right),
            ("", Align::Left),
        ];
        let rows = self.rows.iter().map(|row| {
            let note = match row.different_scores {
                0 => String::new(),
                scores => format!("{scores} different scores"),
            };
            [
                row.without.unwrap_or("(nothing)").to_owned(),
                row.nodes.to_string(),
                format!("{:.2}", row.nodes_ratio),
                format!("{:.3}", row.cpu_seconds),
                format!("{:.2}", row.cpu_ratio),
                note,
            ]
        });
        f.write_str(&table(columns, rows))
    }
}

/// Solves all positions with all features, then without each in turn; on one thread.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights)?;
    let lines: Vec<Line> = Lines::open(&arguments.file)?.next_lines(usize::MAX)?;
    // Without a move-ordering evaluation there is nothing to leave out of it.
    let is_there = |features: &Features| {
        features.move_ordering_evaluation || evaluator.move_ordering().is_some()
    };
    let one_off = Features::one_off().filter(|(_, features)| is_there(features));
    let features: Vec<(Option<&'static str>, Features)> = std::iter::once((None, Features::ALL))
        .chain(one_off.map(|(name, features)| (Some(name), features)))
        .collect();
    session.progress().begin("ablate (positions)", 0, (features.len() * lines.len()) as u64);
    let solve = |features: Features| -> anyhow::Result<Solved> {
        let searcher = Searcher::try_new(&evaluator, arguments.hash_mb as usize);
        let mut searcher = searcher.context("--hash-mb")?.with_features(features);
        let (begun, cpu_begun) = (Instant::now(), ThreadTime::now());
        let mut nodes = 0;
        let scores = lines.iter().map(|line| {
            searcher.new_game();
            let solution = searcher.solve(&line.position);
            session.progress().advance(1);
            nodes += solution.nodes;
            solution.score
        });
        let scores = scores.collect();
        let (seconds, cpu) = (begun.elapsed(), cpu_begun.elapsed());
        let (seconds, cpu_seconds) = (seconds.as_secs_f64(), cpu.as_secs_f64());
        Ok(Solved { scores, nodes, seconds, cpu_seconds })
    };
    let solved = features.iter().map(|&(_, features)| solve(features));
    let solved = solved.collect::<anyhow::Result<Vec<Solved>>>()?;
    let all = &solved[0];
    let row = |(&(without, _), one): (&(Option<&'static str>, Features), &Solved)| Row {
        without,
        nodes: one.nodes,
        seconds: one.seconds,
        cpu_seconds: one.cpu_seconds,
        nodes_ratio: one.nodes as f64 / all.nodes.max(1) as f64,
        cpu_ratio: one.cpu_seconds / all.cpu_seconds.max(1e-9),
        different_scores: one.scores.iter().zip(&all.scores).filter(|(a, b)| a != b).count(),
    };
    let rows: Vec<Row> = features.iter().zip(&solved).map(row).collect();
    let wrong = rows.iter().any(|row| row.different_scores > 0);
    session.print(&Ablate { positions: lines.len(), rows })?;
    Ok(Outcome::wrong_if(wrong))
}
