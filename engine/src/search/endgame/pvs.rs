//! PVS in the endgame, at many empty squares. The nodes order moves by shallow searches.

use super::super::ordering::{Move, Moves, Parity, weighted_count};
use super::super::probcut::ProbCutSettings;
use super::super::pvs::SearchMode;
use super::super::window::Best;
use super::super::{Searcher, Selectivity};
use super::{DISC, PVS_EMPTIES};
use crate::board::{Position, Square};
use crate::eval::{Evaluate, STEPS_PER_DISC, Value};
use crate::simd::{Instructions, compiled_for};

/// The least depth of a transposition table entry whose best moves are searched first. Shallower
/// entries come from the fixed-depth search that guesses the score, and their best moves are worse
/// than an order by move scores. With 6 instead, solves take 3 to 14 % more nodes on four test
/// suites, and 12 % fewer on the test suite fforum-20-39.
const TRUSTED_DEPTH: u32 = 8;

/// The least numbers of empty squares at which searches to depth 1, 2 and 3 give the move scores;
/// at fewer, depth 0. With 15, 17 and 20, solves take as many nodes, but 2 to 4 % more time.
const MOVE_SCORE_EMPTIES: [u32; 3] = [16, 18, 21];

/// The least number of empty squares at which move scores use the whole evaluation. At fewer, they
/// use only the weights for ply 44, without the factorization-machine factors. Compared with the
/// whole evaluation at all numbers, solves take 1 to 4 % more nodes, but 3 to 20 % less time.
const FACTOR_EMPTIES: u32 = 19;

const MOVE_SCORE_MARGIN: i32 = 8 * STEPS_PER_DISC;

const HOPELESS_MARGIN: i32 = 8 * STEPS_PER_DISC;

pub(in super::super) struct ToEnd;

impl<E: Evaluate, I: Instructions> SearchMode<E, I> for ToEnd {
    const IS_TO_END: bool = true;
    const STEP: Value = DISC;
    const MIN_ENHANCED_CUTOFF_DEPTH: u32 = PVS_EMPTIES + 1;
    const MIN_SPLIT_DEPTH: u32 = 16;
    const TRUSTED_DEPTHS: [u32; 2] = [TRUSTED_DEPTH, PVS_EMPTIES];

    #[inline(always)]
    fn probcut<'s>(searcher: &'s Searcher<'_, E, I>) -> &'s ProbCutSettings {
        &searcher.endgame_probcut
    }

    #[inline(always)]
    fn is_shareable(searcher: &Searcher<'_, E, I>) -> bool {
        let probcut = &searcher.endgame_probcut;
        probcut.selectivity == Selectivity::Full || probcut.is_rung
    }

    #[inline(always)]
    fn proven_bound(
        searcher: &Searcher<'_, E, I>,
        position: &Position,
        alpha: Value,
        empties: u32,
    ) -> Option<Value> {
        searcher.stability_bound(position, alpha.score(), empties).map(Value::from_score)
    }

    /// Computes move scores by shallow searches. Such a search stops as soon as it proves a move
    /// score at least [`MOVE_SCORE_MARGIN`] below the best one so far (saves 6 to 8 % of the time)
    /// or, as in Edax, a value at least [`HOPELESS_MARGIN`] below `alpha` (saves 3 to 8 %).
    fn rate(
        searcher: &mut Searcher<'_, E, I>,
        moves: &mut Moves,
        table_moves: [Option<Square>; 2],
        (position, state): (&Position, &E::State),
        alpha: Value,
        _empties: u32,
    ) {
        let odd_squares = searcher.parity(position).odd_squares();
        let hopeless = Value::clamped(alpha.steps() - HOPELESS_MARGIN);
        let mut most = None;
        moves.rate(table_moves, |candidate| {
            let least = most.map(|most| most - MOVE_SCORE_MARGIN);
            let move_score = searcher.move_score(candidate, state, odd_squares, least, hopeless);
            most = most.max(Some(move_score));
            move_score
        });
    }

    fn child(
        searcher: &mut Searcher<'_, E, I>,
        position: &Position,
        state: &E::State,
        (alpha, beta): (Value, Value),
        empties: u32,
    ) -> Value {
        if empties >= PVS_EMPTIES {
            return searcher.pvs::<Self>(position, state, alpha, beta, empties).value;
        }
        let parity = searcher.parity(position);
        let (alpha, beta) = (alpha.score(), beta.score());
        let (mut lower, mut upper) = (alpha, beta);
        // Each null window halves the interval of possible scores, or ends the search.
        loop {
            let middle = (lower + upper - 1).div_euclid(2);
            let value = searcher.null_window(*position, parity, middle, empties);
            if value > middle {
                lower = value;
            } else {
                upper = value;
            }
            if lower >= upper || value <= alpha || beta <= value {
                return Value::from_score(value);
            }
        }
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Finds a move with the score `score`, the result of an earlier search of `position`, by
    /// null-window searches. If that search was pruned, its score may be wrong: if no move has this
    /// score, returns the first move tried. There must be a legal move.
    pub(super) fn attaining_move(
        &mut self,
        position: &Position,
        state: &E::State,
        score: Value,
    ) -> Best {
        self.nodes += 1;
        let empties = position.empties();
        let mut moves = Moves::new(self.set, position, position.moves_by(self.set));
        if moves.len() > 1 {
            ToEnd::rate(self, &mut moves, [None; 2], (position, state), score - DISC, empties);
        }
        let is_proven = self.endgame_probcut.selectivity == Selectivity::Full;
        let (null, mut first) = ((-score, DISC - score), None);
        while let Some(next) = moves.take_best() {
            let (square, is_last) = (Some(next.square), moves.is_empty());
            let state = self.evaluator.after(state, next.square, next.flips);
            if is_last && is_proven
                || -ToEnd::child(self, &next.child, &state, null, empties - 1) >= score
            {
                return Best { value: score, square };
            }
            first = first.or(square);
        }
        Best { value: score, square: first }
    }

    /// Returns a move's ordering score in steps of 1/32 disc. The score may be only an upper bound
    /// if it is at most `least`, or if the move's value in a shallow search is at most `hopeless`.
    #[compiled_for(I::SET)]
    fn move_score(
        &mut self,
        candidate: &Move,
        state: &E::State,
        odd_squares: u64,
        least: Option<i32>,
        hopeless: Value,
    ) -> i32 {
        let child = &candidate.child;
        let odd = i32::from(candidate.square.bit() & odd_squares != 0);
        let mut move_score = odd * STEPS_PER_DISC / 2;
        if self.features.fastest_first {
            move_score -= 2 * STEPS_PER_DISC * weighted_count(child.moves_by(self.set));
        }
        if self.features.value_ordering {
            let state = self.evaluator.after(state, candidate.square, candidate.flips);
            let empties = child.empties() + 1;
            let depth = MOVE_SCORE_EMPTIES.iter().filter(|&&from| empties >= from).count() as u32;
            let enough =
                least.map_or(Value::INFINITE, |least| Value::ZERO.raised(move_score - least));
            let beta = enough.min(-hopeless).max(Value::MIN);
            self.is_rating = (PVS_EMPTIES..FACTOR_EMPTIES).contains(&empties);
            move_score -= self.alpha_beta(child, &state, -Value::INFINITE, beta, depth).steps();
            self.is_rating = false;
        }
        move_score
    }

    #[inline]
    pub(super) fn parity(&self, position: &Position) -> Parity {
        if self.features.parity { Parity::of(position.empty()) } else { Parity::EVEN }
    }
}
