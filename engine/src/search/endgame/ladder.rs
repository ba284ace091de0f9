//! The selectivity ladder: searches to the end at rising ProbCut confidences before an exact solve.
//!
//! Their scores centre the window of the exact search, and their moves, in the transposition table,
//! are the first that it searches. The exact search uses none of their bounds.

use std::sync::Arc;

use super::super::probcut::{Cuts, Selectivity};
use super::super::probcut_schedule::ProbCutSettings;
use super::super::{Features, Searcher};
use crate::board::{Discs, Position};
use crate::eval::Evaluate;
use crate::simd::Instructions;

/// The confidences of the ladder. On four suites, 73 and 87 % take 3 % fewer nodes than 73 % alone;
/// 95 or 99 % in their place, or all four, take up to 10 % more.
const CONFIDENCES: [Selectivity; 2] = [Selectivity::Percent73, Selectivity::Percent87];

/// The least number of empty squares of an exact solve with a ladder. With 12 instead, exact solves
/// take as many nodes; with 18, 3 % more.
const LADDER_EMPTIES: u32 = 16;

/// Returns the settings of the ladder's searches; none if the evaluation has no model for them.
fn rungs(evaluator: &impl Evaluate) -> Arc<[ProbCutSettings]> {
    let rung = |selectivity| {
        let cuts = Cuts::of_end(evaluator, selectivity).ok()?;
        Some(ProbCutSettings { selectivity, cuts, is_rung: true })
    };
    CONFIDENCES.into_iter().filter_map(rung).collect()
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Runs the searches of the selectivity ladder and returns the score of the last one, rounded
    /// down to an even number; without a ladder, returns the guess.
    pub(super) fn climb_selectivity_ladder(
        &mut self,
        position: &Position,
        state: &E::State,
        mut guess: Discs,
    ) -> Discs {
        let Features { selectivity_ladder, transposition_table, null_windows, .. } = self.features;
        // Without null windows no node is pruned; without the table no move would be remembered.
        let is_useful = selectivity_ladder && transposition_table && null_windows;
        let is_exact = self.endgame_probcut.selectivity == Selectivity::Full;
        if !is_useful || !is_exact || position.empties() < LADDER_EMPTIES {
            return guess;
        }
        let evaluator = self.evaluator;
        let ladder = Arc::clone(self.ladder.get_or_insert_with(|| rungs(evaluator)));
        let exact = self.endgame_probcut.clone();
        for rung in &*ladder {
            self.endgame_probcut = rung.clone();
            let value = self.endgame_around(position, state, guess).value;
            if self.is_stopped() {
                break;
            }
            guess = value - value.rem_euclid(2);
        }
        self.endgame_probcut = exact;
        guess
    }
}
