//! `othello-engine hint`: all moves of positions, with what a search says of each.

use std::fmt;
use std::time::Instant;

use anyhow::Context as _;
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::number_in;
use super::positions::Positions;
use super::table::{Align, table};
use super::{Outcome, Session};
use crate::analysis::{Level, RatedMove, rated_move, sort_best_first};
use crate::board::notation::board_text;
use crate::board::{Square, Squares, StatedPosition};
use crate::eval::{Evaluator, WeightsChoice};
use crate::progress::Progress as _;
use crate::search::Searchers;

/// Arguments of `hint`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Position (64 characters with the side to move, OBF, or a transcript), file of positions, or `-` for
    /// standard input
    #[arg(value_name = "POSITION", allow_hyphen_values = true, default_value = START)]
    positions: Positions,

    /// Level, 1 to 60: moves that a search looks ahead; scores are exact from twice as many empty squares on
    #[arg(long, value_name = "L", default_value = "8")]
    level: Level,

    /// Size of the transposition table in MB, one for each thread; values do not depend on it
    #[arg(long, value_name = "M", default_value_t = 64, value_parser = number_in(1..=1_usize << 20))]
    hash_mb: usize,

    /// Weights: a file, `none`, `mobility` or `embedded`
    #[arg(long, value_name = "W", default_value = "embedded")]
    weights: WeightsChoice,
}

/// The first position of a game.
const START: &str = "---------------------------OX------XO--------------------------- X";

#[derive(Serialize)]
struct Hints {
    /// The positions.
    boards: Vec<String>,
    /// Their moves, position by position, the best first.
    moves: Vec<Hint>,
    seconds: f64,
}

#[derive(Serialize)]
struct Hint {
    /// The number of the position, counted from 1.
    position: usize,
    #[serde(rename = "move")]
    square: String,
    /// The value for the side to move, in discs.
    value: f64,
    /// The number of moves that the search looked ahead.
    depth: u32,
    /// Whether the value is the score by perfect play.
    exact: bool,
    /// The moves that attain the value, as a transcript.
    line: String,
}

impl Hint {
    fn new(position: usize, rated: &RatedMove) -> Self {
        let RatedMove { square, value, depth, exact, ref line } = *rated;
        let line = line.iter().map(Square::to_string).collect();
        Self { position, square: square.to_string(), value: value.discs(), depth, exact, line }
    }
}

impl fmt::Display for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (board, number) in self.boards.iter().zip(1..) {
            writeln!(f, "{board}")?;
            let rows = self.moves.iter().filter(|hint| hint.position == number).map(|hint| {
                let Hint { square, value, depth, exact, line, .. } = hint;
                let (value, depth) = if *exact {
                    (format!("{value:+.0}"), "exact".to_owned())
                } else {
                    (format!("{value:+.2}"), depth.to_string())
                };
                [square.clone(), value, depth, line.clone()]
            });
            let rows: Vec<_> = rows.collect();
            if rows.is_empty() {
                writeln!(f, "no legal move\n")?;
                continue;
            }
            let columns = [
                ("move", Align::Left),
                ("value", Align::Right),
                ("depth", Align::Right),
                ("line", Align::Left),
            ];
            writeln!(f, "{}\n", table(columns, rows))?;
        }
        let (positions, moves) = (self.boards.len(), self.moves.len());
        write!(f, "{positions} positions, {moves} moves, {:.2} s", self.seconds)
    }
}

/// Searches the position after every move by itself, from an empty table, so that nothing depends on the
/// number of threads.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let evaluator = Evaluator::load(&arguments.weights)?;
    let positions: Vec<StatedPosition> = arguments.positions.lines()?.next_lines(usize::MAX)?;
    let numbered = positions.iter().enumerate();
    let moves = numbered.flat_map(|(index, stated)| {
        Squares(stated.position.moves()).map(move |square| (index, square))
    });
    let moves: Vec<(usize, Square)> = moves.collect();
    let at_a_time = session.threads().min(moves.len());
    let searchers = Searchers::try_new(&evaluator, arguments.hash_mb, at_a_time);
    let searchers = searchers.context("--hash-mb, of which each thread needs as much")?;
    session.progress().begin("hint (moves)", 0, moves.len() as u64);
    let begun = Instant::now();
    let rate = |&(index, square): &(usize, Square)| {
        let rated = searchers.with(|searcher| {
            searcher.new_game();
            rated_move(searcher, &positions[index].position, square, arguments.level.strength())
        });
        session.progress().advance(1);
        Some((index, rated?))
    };
    let rated: Vec<_> = moves.par_iter().with_max_len(1).filter_map(rate).collect();
    let mut of_positions = vec![vec![]; positions.len()];
    rated.into_iter().for_each(|(index, rated)| of_positions[index].push(rated));
    of_positions.iter_mut().for_each(|moves: &mut Vec<RatedMove>| sort_best_first(moves));
    let moves = of_positions.iter().zip(1..);
    session.print(&Hints {
        boards: positions.iter().map(|p| board_text(&p.position, p.side)).collect(),
        moves: moves.flat_map(|(m, number)| m.iter().map(move |m| Hint::new(number, m))).collect(),
        seconds: begun.elapsed().as_secs_f64(),
    })?;
    Ok(Outcome::Done)
}
