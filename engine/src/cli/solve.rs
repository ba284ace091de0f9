//! `othello-engine solve`: exact scores of positions.

use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context as _;
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::number_in;
use super::positions::Positions;
use super::table::{Align, table};
use super::{Outcome, Session};
use crate::board::notation::{NotationError, board_text};
use crate::board::{Discs, Position, Side, StatedPosition};
use crate::eval::{Evaluator, WeightsChoice};
use crate::progress::Progress as _;
use crate::search::Searchers;

/// Arguments of `solve`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File of positions, one a line, `-` for standard input, or a position itself: a board with the
    /// side to move, OBF, or a transcript. Scores that it states are checked after solving
    #[arg(allow_hyphen_values = true)]
    file: Positions,

    /// Size of the transposition table in MB, one for each thread; scores do not depend on it
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_usize << 20))]
    hash_mb: usize,

    /// Weights that order moves: a file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
}

/// A position of the file, and the score that is expected.
pub(super) struct Line {
    pub(super) position: Position,
    pub(super) side: Side,
    pub(super) expected: Option<Discs>,
}

impl FromStr for Line {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let StatedPosition { position, side, score } = text.parse()?;
        let whole = |score: f64| {
            let not_whole = || NotationError::Score { found: score.to_string() };
            if score.fract() == 0.0 { Ok(score as Discs) } else { Err(not_whole()) }
        };
        Ok(Self { position, side, expected: score.map(whole).transpose()? })
    }
}

#[derive(Serialize)]
struct Solved {
    board: String,
    score: Discs,
    best: Option<String>,
    nodes: u64,
    seconds: f64,
    expected: Option<Discs>,
}

impl Solved {
    fn is_wrong(&self) -> bool {
        self.expected.is_some_and(|expected| expected != self.score)
    }
}

#[derive(Serialize)]
struct Solve {
    positions: Vec<Solved>,
    nodes: u64,
    seconds: f64,
    wrong: usize,
}

impl fmt::Display for Solve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.positions.iter().enumerate().map(|(index, solved)| {
            let Solved { score, best, nodes, seconds, expected, .. } = solved;
            let expected = expected.filter(|_| solved.is_wrong());
            [
                (index + 1).to_string(),
                format!("{score:+}"),
                best.clone().unwrap_or("--".to_owned()),
                nodes.to_string(),
                format!("{seconds:.3}"),
                expected.map_or(String::new(), |expected| format!("expected {expected:+}")),
            ]
        });
        let numbers = ["no", "score", "best", "nodes", "seconds"].map(|name| (name, Align::Right));
        let [no, score, best, nodes, seconds] = numbers;
        let columns = [no, score, best, nodes, seconds, ("", Align::Left)];
        writeln!(f, "{}", table(columns, rows))?;
        let (count, wrong) = (self.positions.len(), self.wrong);
        let checked = self.positions.iter().filter(|solved| solved.expected.is_some()).count();
        writeln!(f, "{count} positions, {checked} with a stated score, {wrong} wrong")?;
        let rate = self.nodes as f64 / self.seconds.max(1e-9) / 1e6;
        write!(f, "{} nodes, {:.3} s, {rate:.1} M nodes/s", self.nodes, self.seconds)
    }
}

/// Solves as many positions at a time as there are threads, and reports them in the order of the file.
/// Each is searched by one thread from a logically empty table, so that its nodes do not depend on the
/// others.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights)?;
    let lines: Vec<Line> = arguments.file.lines()?.next_lines(usize::MAX)?;
    let at_a_time = session.threads().min(lines.len());
    let searchers = Searchers::try_new(&evaluator, arguments.hash_mb, at_a_time);
    let searchers = searchers.context("--hash-mb, of which each thread needs as much")?;
    session.progress().begin("solve (positions)", 0, lines.len() as u64);
    let solve = |line: &Line| {
        let (solution, seconds) = searchers.with(|searcher| {
            searcher.new_game();
            let begun = Instant::now();
            (searcher.solve(&line.position), begun.elapsed().as_secs_f64())
        });
        session.progress().advance(1);
        Solved {
            board: board_text(&line.position, line.side),
            score: solution.score,
            best: solution.best.map(|square| square.to_string()),
            nodes: solution.nodes,
            seconds,
            expected: line.expected,
        }
    };
    let begun = Instant::now();
    let positions: Vec<Solved> = lines.par_iter().with_max_len(1).map(solve).collect();
    let seconds = begun.elapsed().as_secs_f64();
    let nodes = positions.iter().map(|solved| solved.nodes).sum();
    let wrong = positions.iter().filter(|solved| solved.is_wrong()).count();
    session.print(&Solve { positions, nodes, seconds, wrong })?;
    Ok(Outcome::wrong_if(wrong > 0))
}
