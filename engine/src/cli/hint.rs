//! `othello-engine hint`: all moves of positions, each with its value and best line.

use std::fmt;
use std::time::Instant;

use anyhow::Context as _;
use othello_cli::arguments::number_in;
use serde::Serialize;

use super::arguments::{Positions, SearchArguments};
use super::{Outcome, Session};
use crate::analysis::{RatedMove, rated_move};
use crate::board::notation::board_text;
use crate::board::transcript::Form;
use crate::board::{Square, Squares, StatedPosition};
use crate::eval::Evaluator;
use crate::player::{MAX_MILLISECONDS, SearchBy, SearchSpec, WeightsSpec};
use crate::progress::Progress as _;
use crate::search::{Level, Plan, Search, Searcher};
use crate::text_table::table;

/// Arguments of `hint`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Position (64 characters with the side to move, OBF, or a transcript), file of positions, or
    /// `-` for standard input
    #[arg(value_name = "POSITION", allow_hyphen_values = true, default_value = START)]
    positions: Positions,
    #[arg(long, value_name = "D", value_parser = number_in(1..=60_u32))]
    depth: Option<u32>,
    #[arg(long, value_name = "E", value_parser = number_in(0..=60_u32))]
    exact: Option<u32>,
    #[command(flatten)]
    searching: SearchArguments,
    #[arg(long, value_name = "WAY", value_enum)]
    search: Option<SearchBy>,
    #[arg(long, value_name = "T", value_parser = number_in(1..=MAX_MILLISECONDS))]
    milliseconds: Option<u64>,
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_usize << 20))]
    hash_mb: usize,
    #[arg(long, value_name = "PLAYER", default_value = "embedded")]
    weights: WeightsSpec,
}

impl Arguments {
    fn spec(&self) -> SearchSpec {
        let flags = self.searching.spec(self.depth, self.exact);
        let flags = SearchSpec { milliseconds: self.milliseconds, search: self.search, ..flags };
        let usual = SearchSpec { level: Some(Level::USUAL), ..SearchSpec::default() };
        self.weights.search.clone().or(&flags).or(&usual)
    }
}

const START: &str = "---------------------------OX------XO--------------------------- X";

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Hints {
    /// The searched positions, each as 64 squares and the side to move.
    boards: Vec<String>,
    /// The moves of all positions, position by position, the best first.
    moves: Vec<Hint>,
    /// The wall time of the searches.
    seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Hint {
    /// The number of the position, counted from 1.
    position: usize,
    /// The move, such as `f5`.
    #[serde(rename = "move")]
    square: String,
    /// The value for the side to move, in discs.
    value: f64,
    /// The depth of the search in moves.
    depth: u32,
    /// True if the value is the score under perfect play.
    exact: bool,
    /// The ProbCut confidence of the search, in percent; 100 for a search without ProbCut.
    selectivity: u32,
    /// A description of the search that found the value, for the printed table only.
    #[serde(skip)]
    how: String,
    /// The number of nodes that the search visited.
    nodes: u64,
    /// The best line as a transcript, starting with the move itself.
    line: String,
}

impl Hint {
    fn new(position: usize, empties: u32, rated: &RatedMove) -> Self {
        let RatedMove { square, value, depth, exact, nodes, ref line, .. } = *rated;
        let (how, selectivity) = (rated.how(empties), rated.selectivity.percent());
        let line = line.iter().map(Square::to_string).collect();
        let (square, value) = (square.to_string(), value.discs());
        Self { position, square, value, depth, exact, selectivity, how, nodes, line }
    }
}

impl fmt::Display for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (board, number) in self.boards.iter().zip(1..) {
            writeln!(f, "{board}")?;
            let rows = self.moves.iter().filter(|hint| hint.position == number).map(|hint| {
                let Hint { square, value, exact, how, line, .. } = hint;
                let discs = if *exact { format!("{value:+.0}") } else { format!("{value:+.2}") };
                let how = how.strip_prefix("depth ").unwrap_or(how).to_owned();
                [square.clone(), discs, how, line.clone()]
            });
            let rows: Vec<_> = rows.collect();
            if rows.is_empty() {
                writeln!(f, "no legal move\n")?;
                continue;
            }
            let columns = ["<move", "value", "depth", "<line"];
            writeln!(f, "{}\n", table(columns, rows))?;
        }
        let (positions, moves) = (self.boards.len(), self.moves.len());
        write!(f, "{positions} positions, {moves} moves, {:.2} s", self.seconds)
    }
}

/// Searches each move from an empty transposition table, so that values do not depend on the number
/// of threads. Idle threads help busy ones in searches without ProbCut or realization probability.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights.weights)?;
    let positions: Vec<StatedPosition> = arguments.positions.all()?;
    Form::report(positions.iter().map(|stated| stated.form), session.progress());
    let moves_of = |(index, stated): (usize, &StatedPosition)| {
        Squares(stated.position.moves()).map(move |square| (index, square))
    };
    let moves: Vec<(usize, Square)> = positions.iter().enumerate().flat_map(moves_of).collect();
    let spec = arguments.spec();
    let (strength, pruning) = spec.search(Plan::to_depth(0), &evaluator)?;
    let search = Search::new(&evaluator).pruning(pruning).hash_mb(arguments.hash_mb);
    let team = search.threads(session.threads()).team(moves.len());
    let mut team = team.context("--hash-mb, the size of the table of each thread")?;
    session.progress().begin("hint (moves)", 0, moves.len() as u64);
    let begun = Instant::now();
    let rate = |searcher: &mut Searcher<'_, Evaluator>, &(index, square): &(usize, Square)| {
        let position = &positions[index].position;
        let rated = rated_move(searcher, position, square, strength, &spec.limits());
        session.progress().advance(1);
        Some((index, rated?))
    };
    let mut rated: Vec<_> = team.work(&moves, rate).into_iter().flatten().collect();
    rated.sort_by_key(|(index, rated)| (*index, -rated.value, rated.square));
    let hint = |(index, rated): &(usize, RatedMove)| {
        Hint::new(index + 1, positions[*index].position.empties(), rated)
    };
    session.print(&Hints {
        boards: positions.iter().map(|p| board_text(&p.position, p.side)).collect(),
        moves: rated.iter().map(hint).collect(),
        seconds: begun.elapsed().as_secs_f64(),
    })
}
