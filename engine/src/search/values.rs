//! The values of many positions, each searched by itself.

use arrayvec::ArrayVec;
use rayon::prelude::*;

use super::{Found, Searcher, Selection, Strength, TableError, Team};
use crate::board::{Position, Square, Squares};
use crate::eval::{Evaluate, Value};
use crate::progress::Progress;
use crate::with_instructions;

/// The table size of a search to a fixed depth, in MiB: shallow searches never fill it.
const HASH_MEGABYTES: usize = 4;
/// The table size when some searches are perfect play, in MiB.
const EXACT_HASH_MEGABYTES: usize = 16;

/// Returns the value of each position after `depth` moves, in the same order; at depth 0, the
/// static value. If the player must pass, it is the negated value after the pass; a finished game
/// counts its score. Positions are searched in parallel, each from a logically empty table. If
/// there are fewer positions than threads, the other threads help. The values do not depend on the
/// other positions or on the number of threads. `progress` advances by one for each position.
///
/// # Panics
/// Where there is no memory for a small table for each thread.
#[expect(clippy::expect_used, reason = "documented; as `Searcher::new` does")]
pub fn values<E: Evaluate>(
    positions: &[Position],
    evaluator: &E,
    depth: u32,
    progress: &dyn Progress,
) -> Vec<Value> {
    let (strength, selection) = (Strength { depth, exact: 0 }, Selection::default());
    strong_values(positions, evaluator, strength, &selection, None, progress)
        .expect("memory for the transposition tables")
}

/// Returns the values as [`values`] does, but by perfect play where the strength says so, and with
/// the cuts of a selection. Each thread has a table of `hash_megabytes` MiB; by default 4, with
/// perfect play 16.
///
/// # Errors
/// If there is no memory for the tables.
pub fn strong_values<E: Evaluate>(
    positions: &[Position],
    evaluator: &E,
    strength: Strength,
    selection: &Selection,
    hash_megabytes: Option<usize>,
    progress: &dyn Progress,
) -> Result<Vec<Value>, TableError> {
    let found = findings(positions, evaluator, strength, selection, hash_megabytes, progress)?;
    Ok(found.into_iter().map(|found| found.value).collect())
}

/// Returns the results of the searches whose values [`strong_values`] returns. At depth 0, and
/// where the player must pass, there is no best move.
///
/// # Errors
/// If there is no memory for the tables.
pub fn findings<'a, E: Evaluate>(
    positions: &[Position],
    evaluator: &'a E,
    strength: Strength,
    selection: &Selection,
    hash_megabytes: Option<usize>,
    progress: &dyn Progress,
) -> Result<Vec<Found>, TableError> {
    let Strength { depth, exact } = strength;
    let hash_megabytes = match (depth, exact) {
        (0, 0) => 0,
        (_, 0) => hash_megabytes.unwrap_or(HASH_MEGABYTES),
        _ => hash_megabytes.unwrap_or(EXACT_HASH_MEGABYTES),
    };
    let search = |searcher: &mut Searcher<'_, E>, position: &Position| {
        let empties = position.empties();
        let found = searcher.search(position, if empties <= exact { empties } else { depth });
        progress.advance(1);
        found
    };
    let threads = rayon::current_num_threads();
    if positions.len() < threads && selection.is_full() {
        let mut team = Team::try_new(evaluator, hash_megabytes, threads, positions.len())?;
        return Ok(team.work(positions, search));
    }
    // Each phase has weights of its own: going phase by phase keeps them in the cache.
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by_key(|&place| positions[place].ply());
    let in_order = order.par_iter().map(|&place| &positions[place]);
    let new = || {
        let searcher = Searcher::try_new(evaluator, hash_megabytes)?;
        Ok(searcher.with_selection(selection.clone()))
    };
    let afresh = |searcher: &mut Result<Searcher<'a, E>, TableError>, position: &Position| {
        let searcher = searcher.as_mut().map_err(|error| *error)?;
        searcher.new_game();
        Ok(search(searcher, position))
    };
    let found: Vec<Found> = in_order.map_init(new, afresh).collect::<Result<_, _>>()?;
    let mut by_place: Vec<(usize, Found)> = order.into_iter().zip(found).collect();
    by_place.sort_by_key(|&(place, _)| place);
    Ok(by_place.into_iter().map(|(_, found)| found).collect())
}

impl<E: Evaluate> Searcher<'_, E> {
    /// Returns the legal moves of a position, each with the static value of the position after it,
    /// for the player. Finished games count their score.
    pub fn move_values(&mut self, position: &Position) -> ArrayVec<(Square, Value), 64> {
        let state = self.evaluator.state(position);
        let mut value = |square: Square| {
            let flips = position.flips(square);
            let child = position.after(square, flips);
            let state = self.evaluator.after(&state, square, flips);
            let [least, greatest] = [-Value::INFINITE, Value::INFINITE];
            with_instructions!(|set| {
                -self.by(set).alpha_beta(&child, &state, least, greatest, 0)
            })
        };
        Squares(position.moves()).map(|square| (square, value(square))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Squares, transcript};
    use crate::eval::Mobility;
    use crate::progress::Silent;
    use crate::random::Generator;

    /// Plays random games from the start, and returns all positions, with those whose player must
    /// pass and the finished ones.
    fn random_positions() -> Vec<Position> {
        let mut positions = vec![];
        for game in 0..40 {
            let mut random = Generator::split(3, game);
            let mut position = Position::START;
            while !position.is_over() {
                positions.push(position);
                let moves = position.moves();
                let choice = random.below(moves.count_ones()) as usize;
                position = Squares(moves).nth(choice).map_or(position.pass(), |square| {
                    position.after(square, position.flips(square))
                });
            }
            positions.push(position);
        }
        positions
    }

    #[test]
    fn passes_and_finished_games_have_the_values_the_words_give_them() {
        let positions = random_positions();
        let found = values(&positions, &Mobility, 0, &Silent);
        let mut passes = 0;
        for (position, &value) in positions.iter().zip(&found) {
            let expected = if position.is_over() {
                Value::from_score(position.score())
            } else if position.moves() == 0 {
                passes += 1;
                -Mobility.value(&(), &position.pass())
            } else {
                Mobility.value(&(), position)
            };
            assert_eq!(value, expected, "{position:?}");
        }
        assert!(passes > 10);
    }

    #[test]
    fn a_value_does_not_depend_on_the_company() {
        let positions = random_positions();
        let positions: Vec<Position> = positions.into_iter().step_by(16).collect();
        let together = values(&positions, &Mobility, 4, &Silent);
        for (&position, value) in positions.iter().zip(together) {
            assert_eq!(values(&[position], &Mobility, 4, &Silent), [value]);
        }
    }

    #[test]
    fn a_wipe_out_is_worth_64_discs() {
        let squares = transcript::parse("f5d6c5f4e7f6g5e6e3").unwrap();
        let end = transcript::Replay::from_start(&squares).unwrap().end;
        assert_eq!(values(&[end], &Mobility, 3, &Silent), [Value::MIN]);
    }
}
