//! The search to the end of the game: exact, in discs, fail-soft, mostly in null windows.
//!
//! First, a fixed-depth search guesses the score. With many empty squares, endgame searches with
//! ProbCut at rising confidence follow ([`ladder`]). Then exact searches in windows around the
//! guess determine the score.
//!
//! The number of empty squares determines the algorithm of a node. At 14 or more, PVS orders the
//! moves by a shallow search ([`pvs`]). At 6 to 13, a null-window search orders them by the number
//! of replies, and at 5 by parity ([`null_window`]). At 4 or fewer, moves are tried one after
//! another ([`last`]).

mod ladder;
mod last;
mod null_window;
mod pvs;

pub(super) use self::pvs::ToEnd;

use super::midgame::Horizon;
use super::table::Effort;
use super::window::Best;
use super::{Reached, Searcher};
use crate::board::{Discs, Position};
use crate::eval::{Evaluate, Value};
use crate::simd::Instructions;

/// One disc above the highest score: no score reaches it.
const INFINITE: Discs = 65;
const DISC: Value = Value::from_score(1);
/// The least number of empty squares at which a fixed-depth search guesses the score before the
/// search to the end of the game begins.
const GUESSED_EMPTIES: u32 = 10;
/// The least number of empty squares at which [`pvs`] searches a node, instead of [`null_window`].
/// With 13, the search takes as many nodes, but more time; with 16, more nodes, but as much time.
const PVS_EMPTIES: u32 = 14;
/// The least number of empty squares at which null-window nodes order moves also by the
/// move-ordering evaluation, a small pattern evaluation. With 9, the search takes 2 % fewer nodes;
/// with 11, 2 % more. Neither takes less time.
const MOVE_ORDERING_EMPTIES: u32 = 10;
const FASTEST_FIRST_EMPTIES: u32 = 6;
const FIRST_MARGIN: Value = Value::from_score(3);

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Searches `position` to the end of the game. Stores its score in the transposition table, and
    /// also the score of the position after the best move: a later search of this next position
    /// then only looks for a move with the stored score. If a limit ends the search, the error is
    /// the result to use instead: a score that an earlier search stored or, if there is none, the
    /// result of a fixed-depth search.
    pub(super) fn endgame_to_the_end(&mut self, position: &Position) -> Result<Best, Reached> {
        let state = self.evaluator.state(position);
        let best = match self.solved(position) {
            Some(Best { value, square: None }) if position.moves_by(self.set) != 0 => {
                self.control.is_patient = false;
                let best = self.attaining_move(position, &state, value);
                if self.is_stopped() {
                    return Err(Reached { best, depth: 1 });
                }
                best
            }
            Some(known) => {
                self.nodes += 1;
                return Ok(known);
            }
            None => match self.endgame_from_a_guess(position, &state)? {
                // The unproven bounds of a pruned search may contradict each other: then no move.
                Best { value, square: None } if position.moves_by(self.set) != 0 => {
                    self.attaining_move(position, &state, value)
                }
                best => best,
            },
        };
        self.remember(position, best);
        Ok(best)
    }

    fn endgame_from_a_guess(
        &mut self,
        position: &Position,
        state: &E::State,
    ) -> Result<Best, Reached> {
        let empties = position.empties();
        if empties < GUESSED_EMPTIES || !self.features.aspiration {
            // The search ignores limits here: without a guess, it could return no result.
            let open = Value::MAX + DISC;
            return Ok(self.pvs::<ToEnd>(position, state, -open, open, empties));
        }
        let guess = self.iterate(position, guess_depth(empties), Horizon::Depth);
        let center = Value::from_score(guess.best.value.nearest_multiple_of(2));
        let center = self.climb_selectivity_ladder(position, state, center);
        if self.is_stopped() {
            return Err(guess);
        }
        let best = self.endgame_around(position, state, center);
        if self.is_stopped() { Err(guess) } else { Ok(best) }
    }

    /// Finds the score by searches in growing windows, the first around `center`. The result is
    /// invalid if a limit stops a search.
    fn endgame_around(&mut self, position: &Position, state: &E::State, mut center: Value) -> Best {
        let (mut margin, open) = (FIRST_MARGIN, Value::MAX + DISC);
        loop {
            let [alpha, beta] = [(center - margin).max(-open), (center + margin).min(open)];
            let best = self.pvs::<ToEnd>(position, state, alpha, beta, position.empties());
            if self.is_stopped() || (alpha < best.value && best.value < beta) {
                return best;
            }
            margin = margin + margin;
            center = best.value;
        }
    }

    fn solved(&self, position: &Position) -> Option<Best> {
        let entry = self.table.probe(position).filter(|_| self.features.transposition_table)?;
        let (lower, upper) = entry.bounds(self.endgame_effort(position));
        (lower == upper).then(|| Best { value: lower, square: entry.best()[0] })
    }

    fn endgame_effort(&self, position: &Position) -> Effort {
        Effort::new(position.empties(), self.endgame_probcut.selectivity)
    }

    fn remember(&mut self, position: &Position, Best { value, square }: Best) {
        let Some(square) = square.filter(|_| self.features.transposition_table) else { return };
        let child = position.after(square, position.flips_by(self.set, square));
        let is_pass = child.moves_by(self.set) == 0;
        let (next, after) = if is_pass { (child.pass(), value) } else { (child, -value) };
        for (position, value, best) in [(position, value, Some(square)), (&next, after, None)] {
            let exact = (Some(value), Some(value));
            self.table.store(position, self.endgame_effort(position), exact, best);
        }
    }

    /// Returns the upper bound of the score that the opponent's stable discs prove; `None` if it
    /// exceeds `alpha`. If a bound of at most `alpha` is unlikely, returns `None` without counting
    /// stable discs.
    #[inline(always)]
    fn stability_bound(&self, position: &Position, alpha: Discs, empties: u32) -> Option<Discs> {
        let bound = |discs: u64| 64 - 2 * discs.count_ones() as Discs;
        let is_promising = alpha >= 2 * empties as Discs - 6;
        // Counting is useless if the bound with all discs of the opponent stable exceeds `alpha`.
        if !self.features.stability || !is_promising || bound(position.opponent()) > alpha {
            return None;
        }
        let upper = bound(position.stable_of_opponent(self.set));
        (upper <= alpha).then_some(upper)
    }
}

/// Returns the depth of the fixed-depth search that guesses the score of a position with `empties`
/// empty squares, at least [`GUESSED_EMPTIES`]. The best moves that this search stores in the
/// transposition table also improve the move order of the exact search.
fn guess_depth(empties: u32) -> u32 {
    let depth = (2 + empties / 4).max(empties.saturating_sub(12).min(8));
    depth.min(empties - 8)
}
