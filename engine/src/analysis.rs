//! The analysis of a position: every move with its value and best line.
//!
//! This example searches each move of a position in 10,000 nodes and prints the best three:
//!
//! ```
//! use othello_engine::analysis::{RatedMove, rated_moves};
//! use othello_engine::board::Position;
//! use othello_engine::eval::Mobility;
//! use othello_engine::search::{Level, Limits, Search};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut searcher = Search::new(&Mobility).searcher()?;
//! let plan = Level::new(12).ok_or("a level is from 1 to 60")?.plan(&Mobility);
//! let limits = Limits { nodes: Some(10_000), ..Limits::default() };
//! let moves = rated_moves(&mut searcher, &Position::START, plan.strength(), &limits);
//! for RatedMove { square, value, depth, line, .. } in moves.iter().take(3) {
//!     println!("{square} {value:+.2}, to depth {depth}: {line:?}");
//!     assert_eq!(line.first(), Some(square));
//! }
//! # Ok(())
//! # }
//! ```

use crate::board::{Position, Square, Squares};
use crate::eval::{Evaluate, Value};
use crate::search::{Found, Limits, Searcher, Selectivity, Strength};

/// A move with the result of its search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RatedMove {
    /// The square of the move.
    pub square: Square,
    /// The value of the move, in the view of the player who makes it.
    pub value: Value,
    /// The depth of the search in plies, including this move; at most the number of empty squares.
    pub depth: u32,
    /// True if the value is proven to be the score under perfect play.
    pub exact: bool,
    /// The ProbCut confidence of the search; [`Selectivity::Full`] without pruning.
    pub selectivity: Selectivity,
    /// The number of nodes that the search visited.
    pub nodes: u64,
    /// The best line of play, starting with the move itself, without passes.
    pub line: Vec<Square>,
}

impl RatedMove {
    /// Describes the search of this move at `empties` empty squares, as [`how_found`] does.
    pub fn how(&self, empties: u32) -> String {
        how_found(self.depth, self.selectivity, empties)
    }
}

/// Describes a search at `empties` empty squares: `depth 12`, `exact`, or `95 % sure` (ProbCut).
pub fn how_found(depth: u32, selectivity: Selectivity, empties: u32) -> String {
    match selectivity {
        _ if depth < empties => format!("depth {depth}"),
        Selectivity::Full => "exact".to_owned(),
        sure => format!("{sure} % sure"),
    }
}

/// Searches each legal move within `limits`. Returns the best move first; orders ties by square.
pub fn rated_moves<E: Evaluate>(
    searcher: &mut Searcher<'_, E>,
    position: &Position,
    strength: Strength,
    limits: &Limits,
) -> Vec<RatedMove> {
    let rate = |square| rated_move(searcher, position, square, strength, limits);
    let mut rated: Vec<RatedMove> = Squares(position.moves()).filter_map(rate).collect();
    rated.sort_by_key(|rated| (-rated.value, rated.square));
    rated
}

/// Finds a move's value and best line by searches within `limits`; `None` if the move is illegal.
pub fn rated_move<E: Evaluate>(
    searcher: &mut Searcher<'_, E>,
    position: &Position,
    square: Square,
    strength: Strength,
    limits: &Limits,
) -> Option<RatedMove> {
    let child = position.play(square)?;
    let (empties, depth) = (position.empties(), strength.depth_of(position));
    let strength = if depth < empties { (depth - 1).into() } else { Strength::PERFECT };
    let found = searcher.search_within(&child, strength, limits);
    let (value, best, depth) = (-found.value, Some(square), found.depth + 1);
    let line = best_line(searcher, position, &Found { best, depth, ..found }, limits);
    let Found { nodes, selectivity, .. } = found;
    let exact = depth == empties && selectivity == Selectivity::Full;
    Some(RatedMove { square, value, depth, exact, selectivity, nodes, line })
}

/// Returns the best line from `position`, without passes. Its first move is the best move of
/// `found`, the result of a search of `position`. Each further move comes from a new search within
/// `limits`, to a depth of one ply less, so that most of its tree is in the transposition table.
pub fn best_line<E: Evaluate>(
    searcher: &mut Searcher<'_, E>,
    position: &Position,
    &Found { mut best, mut depth, selectivity, .. }: &Found,
    limits: &Limits,
) -> Vec<Square> {
    let (mut position, mut line) = (*position, vec![]);
    loop {
        if best.is_none() && depth > 0 && !limits.are_interrupted() {
            if position.moves() == 0 {
                position = position.pass();
            }
            let found = searcher.search_to(&position, depth, Some(selectivity), limits);
            best = found.best.filter(|_| found.depth == depth);
        }
        let next = best.take().and_then(|best| Some((best, position.play(best)?)));
        let Some((square, after)) = next else { return line };
        line.push(square);
        (position, depth) = (after, depth - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Mobility;
    use crate::random::{Generator, random_game, random_position};
    use crate::search::Search;
    use crate::search::tests::minimax;

    fn play_line(position: &Position, line: &[Square]) -> (Position, i32) {
        let (mut position, mut sign) = (*position, 1);
        for &square in line {
            if position.moves() == 0 {
                (position, sign) = (position.pass(), -sign);
            }
            (position, sign) = (position.play(square).unwrap(), -sign);
        }
        (position, sign)
    }

    #[test]
    fn scores_of_all_moves_are_those_of_plain_negamax_and_their_lines_attain_them() {
        let mut passes = 0;
        for number in 0..30 {
            let steps = random_game(5, number, usize::MAX).steps;
            let Some(step) = steps.iter().find(|step| step.position.empties() == 7) else {
                continue;
            };
            let mut searcher = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
            let strength = Strength { depth: 1, exact: 7 };
            let rated = rated_moves(&mut searcher, &step.position, strength, &Limits::default());
            assert_eq!(rated.len() as u32, step.position.moves().count_ones());
            assert!(rated.is_sorted_by(|one, next| one.value >= next.value));
            for rated in rated {
                let child = step.position.play(rated.square).unwrap();
                assert_eq!(rated.value, Value::from_score(-minimax(&child)));
                assert!(rated.exact && rated.depth == 7 && rated.line[0] == rated.square);
                let (end, sign) = play_line(&step.position, &rated.line);
                assert!(end.is_over(), "{end:?}");
                assert_eq!(Value::from_score(end.score() * sign), rated.value);
                passes += usize::from(rated.line.len() as u32 != 7);
                passes += usize::from(sign == 1);
            }
        }
        assert!(passes > 5);
    }

    #[test]
    fn where_limits_end_perfect_play_a_move_is_rated_by_a_deep_search() {
        let limits = Limits { nodes: Some(200_000), ..Limits::default() };
        let strength = Strength { depth: 30, exact: 60 };
        for seed in 0..4 {
            let position = random_position(&mut Generator::new(seed), 20);
            let square = Squares(position.moves()).next().unwrap();
            let mut searcher = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
            let rated = rated_move(&mut searcher, &position, square, strength, &limits);
            let child = position.play(square).unwrap();
            let mut afresh = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
            let deep = afresh.search_within(&child, 11, &limits);
            let rated = rated.unwrap();
            assert_eq!((rated.value, rated.depth), (-deep.value, deep.depth + 1), "{position:?}");
            assert!(!rated.exact && rated.depth > 8 && rated.line.len() > 1);
            assert!(rated.nodes < 250_000, "{rated:?}");
        }
    }
}
