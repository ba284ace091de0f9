//! `othello-engine solve`: exact scores of positions.

use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context as _;
use serde::Serialize;

use super::arguments::Positions;
use super::{Outcome, Session};
use crate::board::notation::board_text;
use crate::board::transcript::Form;
use crate::board::{Discs, Square, StatedPosition};
use crate::eval::{Evaluator, WeightsChoice};
use crate::progress::Progress as _;
use crate::search::{Search, Searcher};
use crate::text::Invalid;
use crate::text_table::table;
use othello_cli::arguments::number_in;

/// Arguments of `solve`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File of positions, one a line; `-` for standard input; or one position as text: a board with
    /// the side to move, OBF, or a transcript. Stated scores are compared with the results
    #[arg(allow_hyphen_values = true)]
    file: Positions,

    /// Also solve and check each move whose score the input states (in OBF)
    #[arg(long)]
    moves: bool,
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_usize << 20))]
    hash_mb: usize,
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
}

/// A position of the input. Parsing fails if the score that the input states for it is not a whole
/// number of discs.
pub(super) struct Line(pub(super) StatedPosition);

impl Line {
    pub(super) fn states_as_best(&self, square: Option<Square>) -> bool {
        let best = self.0.moves.iter().map(|&(_, score)| score).max();
        self.0.moves.iter().any(|&(one, score)| Some(one) == square && Some(score) == best)
    }
}

impl FromStr for Line {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let stated: StatedPosition = text.parse()?;
        match stated.score.filter(|score| score.fract() != 0.0) {
            Some(score) => Err(Invalid(format!("`{score}` is not a score; expected whole discs"))),
            None => Ok(Self(stated)),
        }
    }
}

#[derive(Serialize, schemars::JsonSchema)]
struct Solved {
    /// The position, as 64 squares and the side to move.
    board: String,
    /// The exact score for the side to move.
    score: Discs,
    /// A move that attains the score; null if no move is legal.
    best: Option<String>,
    /// The nodes of the search.
    nodes: u64,
    /// The wall time of the search.
    seconds: f64,
    /// The score that the file states, or null.
    expected: Option<Discs>,
    /// The moves whose scores the input states, each solved for comparison.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<SolvedMove>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct SolvedMove {
    /// The move, such as `f5`.
    #[serde(rename = "move")]
    square: String,
    /// The exact score of the move, in discs for the side that plays it.
    score: Discs,
    /// The score that the file states.
    expected: Discs,
}

impl Solved {
    /// Describes the solved scores that differ from the stated ones; empty if all agree.
    fn complaint(&self) -> String {
        let score = self.expected.filter(|&expected| expected != self.score);
        let score = score.map(|expected| format!("expected {expected:+}"));
        let moves = self.moves.iter().filter(|checked| checked.score != checked.expected);
        let moves = moves.map(|SolvedMove { square, score, expected }| {
            format!("{square} {score:+}, expected {expected:+}")
        });
        score.into_iter().chain(moves).collect::<Vec<_>>().join("; ")
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Solve {
    /// The positions.
    positions: Vec<Solved>,
    /// The nodes of all searches.
    nodes: u64,
    /// The wall time from the beginning of the first search to the end of the last, in seconds.
    seconds: f64,
    /// The number of positions for which a score, of the position or a move, is not as stated.
    wrong: usize,
}

impl fmt::Display for Solve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.positions.iter().enumerate().map(|(index, solved)| {
            let Solved { score, best, nodes, seconds, .. } = solved;
            [
                (index + 1).to_string(),
                format!("{score:+}"),
                best.clone().unwrap_or("--".to_owned()),
                nodes.to_string(),
                format!("{seconds:.3}"),
                solved.complaint(),
            ]
        });
        let columns = ["no", "score", "best", "nodes", "seconds", "<"];
        writeln!(f, "{}", table(columns, rows))?;
        let (count, wrong) = (self.positions.len(), self.wrong);
        let checked = self.positions.iter().filter(|solved| solved.expected.is_some()).count();
        write!(f, "{count} positions, {checked} with a stated score")?;
        let moves: usize = self.positions.iter().map(|solved| solved.moves.len()).sum();
        if moves > 0 {
            write!(f, ", {moves} moves checked")?;
        }
        writeln!(f, ", {wrong} wrong")?;
        let rate = self.nodes as f64 / self.seconds.max(1e-9) / 1e6;
        write!(f, "{} nodes, {:.3} s, {rate:.1} M nodes/s", self.nodes, self.seconds)
    }
}

/// Solves the positions, one on each thread. A thread without a position helps another thread. The
/// transposition table is empty before each position.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights)?;
    let lines: Vec<Line> = arguments.file.all()?;
    Form::report(lines.iter().map(|line| line.0.form), session.progress());
    let search = Search::new(&evaluator).hash_mb(arguments.hash_mb).threads(session.threads());
    let mut team =
        search.team(lines.len()).context("--hash-mb, the size of the table of each thread")?;
    session.progress().begin("solve (positions)", 0, lines.len() as u64);
    let solve = |searcher: &mut Searcher<'_, Evaluator>, Line(line): &Line| {
        let begun = Instant::now();
        let solution = searcher.solve(&line.position);
        let seconds = begun.elapsed().as_secs_f64();
        let wanted = line.moves.iter().filter(|_| arguments.moves);
        let moves = wanted.filter_map(|&(square, expected)| {
            let score = -searcher.solve(&line.position.play(square)?).value.score();
            Some(SolvedMove { square: square.to_string(), score, expected })
        });
        let moves = moves.collect();
        session.progress().advance(1);
        Solved {
            board: board_text(&line.position, line.side),
            score: solution.value.score(),
            best: solution.best.map(|square| square.to_string()),
            nodes: solution.nodes,
            seconds,
            expected: line.score.map(|score| score as Discs),
            moves,
        }
    };
    let begun = Instant::now();
    let positions: Vec<Solved> = team.work(&lines, solve);
    let seconds = begun.elapsed().as_secs_f64();
    let nodes = positions.iter().map(|solved| solved.nodes).sum();
    let wrong = positions.iter().filter(|solved| !solved.complaint().is_empty()).count();
    session.print(&Solve { positions, nodes, seconds, wrong })?;
    Ok(Outcome::wrong_if(wrong > 0))
}
