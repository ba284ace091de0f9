//! `othello-engine solve`: exact scores of positions.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context as _;
use serde::Serialize;

use super::common::{Outcome, Session};
use crate::board::notation::{BoardLine, NotationError, board_text};
use crate::board::obf::Problem;
use crate::board::{Discs, Position, Side};
use crate::eval::{Evaluator, WeightsChoice};
use crate::progress::Progress as _;
use crate::search::Searcher;
use crate::text::Lines;

/// Arguments of `solve`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Positions, one a line: boards with the side to move, or OBF; scores stated there are checked
    file: PathBuf,

    /// The size of the transposition table; the scores do not depend on it
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash_mb: u32,

    /// What orders moves: a weights file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
}

/// A line of the file, in either notation.
pub(super) struct Line {
    pub(super) position: Position,
    pub(super) side: Side,
    pub(super) expected: Option<Discs>,
}

impl FromStr for Line {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        if text.contains(';') {
            let problem: Problem = text.parse()?;
            let expected = problem.expected();
            return Ok(Self { position: problem.position, side: problem.side, expected });
        }
        let BoardLine { position, side, score } = text.parse()?;
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
        writeln!(f, "  no  score  best         nodes   seconds")?;
        for (index, solved) in self.positions.iter().enumerate() {
            let Solved { score, nodes, seconds, expected, .. } = solved;
            let best = solved.best.as_deref().unwrap_or("--");
            write!(f, "{:4}  {score:+5}  {best:>4}  {nodes:12}  {seconds:8.3}", index + 1)?;
            match expected {
                Some(expected) if solved.is_wrong() => writeln!(f, "  expected {expected:+}")?,
                _ => writeln!(f)?,
            }
        }
        let (count, wrong) = (self.positions.len(), self.wrong);
        let checked = self.positions.iter().filter(|solved| solved.expected.is_some()).count();
        writeln!(f, "{count} positions, {checked} with a stated score, {wrong} wrong")?;
        let rate = self.nodes as f64 / self.seconds.max(1e-9) / 1e6;
        write!(f, "{} nodes, {:.3} s, {rate:.1} M nodes/s", self.nodes, self.seconds)
    }
}

/// Solves one position after another, each from an empty table, and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights)?;
    let lines: Vec<Line> = Lines::open(&arguments.file)?.next_lines(usize::MAX)?;
    let searcher = Searcher::try_new(&evaluator, arguments.hash_mb as usize);
    let mut searcher = searcher.context("--hash-mb")?;
    session.progress().begin("solve (positions)", 0, lines.len() as u64);
    let solve = |line: &Line| {
        searcher.new_game();
        let begun = Instant::now();
        let solution = searcher.solve(&line.position);
        session.progress().advance(1);
        Solved {
            board: board_text(&line.position, line.side),
            score: solution.score,
            best: solution.best.map(|square| square.to_string()),
            nodes: solution.nodes,
            seconds: begun.elapsed().as_secs_f64(),
            expected: line.expected,
        }
    };
    let begun = Instant::now();
    let positions: Vec<Solved> = lines.iter().map(solve).collect();
    let seconds = begun.elapsed().as_secs_f64();
    let nodes = positions.iter().map(|solved| solved.nodes).sum();
    let wrong = positions.iter().filter(|solved| solved.is_wrong()).count();
    session.print(&Solve { positions, nodes, seconds, wrong })?;
    Ok(Outcome::wrong_if(wrong > 0))
}
