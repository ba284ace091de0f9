//! PVS nodes of the endgame, with many empty squares: a shallow search scores their moves.

use super::super::ordering::{Move, Moves, Parity, weighted_count};
use super::super::probcut::ProbCutSettings;
use super::super::pvs::SearchMode;
use super::super::split_search::Goal;
use super::super::window::Best;
use super::super::{Searcher, Selectivity};
use super::{PVS_EMPTIES, stability_bound};
use crate::board::{Discs, Position, Square};
use crate::eval::{Evaluate, STEPS_PER_DISC, Value};
use crate::simd::{Instructions, compiled_for};

/// The least depth of a transposition-table entry whose moves a node searches first. The moves of
/// shallower entries, from the search that guesses the score, are worse than those that come first
/// by [`Searcher::move_score`]. With 6, solves take 3 to 14 % more nodes on four test suites, and
/// 12 % fewer on fforum-20-39. (A root below [`PVS_EMPTIES`] empty squares uses all entries.)
const TRUSTED_DEPTH: u32 = 8;

/// The least numbers of empty squares at which the shallow search that scores a move has depth 1, 2
/// and 3 (below: 0). Solves with 15, 17 and 20 search as many nodes, but take 2 to 4 % more time.
const MOVE_SCORE_EMPTIES: [u32; 3] = [16, 18, 21];

/// The least number of empty squares at which move scores include the factors' contribution. With
/// fewer, moves are scored without factors, by the weights of one phase at all plies: 1 to 4 % more
/// nodes, but 3 to 20 % less time, than with factors and the weights of the position's phase.
const FACTOR_EMPTIES: u32 = 19;

const MOVE_SCORE_MARGIN: i32 = 8 * STEPS_PER_DISC;

const HOPELESS_MARGIN: Discs = 8;

pub(super) struct ToEnd;

impl<E: Evaluate, I: Instructions> SearchMode<E, I> for ToEnd {
    type Unit = Discs;

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
        alpha: Discs,
        empties: u32,
    ) -> Option<Discs> {
        stability_bound(searcher.set, position, alpha, empties, searcher.features)
    }

    #[inline(always)]
    fn rate(
        searcher: &mut Searcher<'_, E, I>,
        moves: &mut Moves,
        table_moves: [Option<Square>; 2],
        node: (&Position, &E::State),
        alpha: Discs,
        _empties: u32,
    ) {
        searcher.rate_by_search(moves, table_moves, node, alpha);
    }

    #[inline(always)]
    fn child(
        searcher: &mut Searcher<'_, E, I>,
        position: &Position,
        state: &E::State,
        (alpha, beta): (Discs, Discs),
        empties: u32,
    ) -> Discs {
        searcher.endgame(position, state, alpha, beta, empties)
    }

    fn goal(searcher: &Searcher<'_, E, I>, _empties: u32) -> Goal {
        Goal::End(searcher.endgame_probcut.clone())
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    pub(in super::super) fn endgame(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Discs,
        beta: Discs,
        empties: u32,
    ) -> Discs {
        if empties >= PVS_EMPTIES {
            return self.pvs::<ToEnd>(position, state, alpha, beta, empties).value;
        }
        let parity = self.parity(position);
        let (mut lower, mut upper) = (alpha, beta);
        // Each null window halves the interval of possible scores, or ends the search.
        loop {
            let middle = (lower + upper - 1).div_euclid(2);
            let value = self.null_window(*position, parity, middle, empties);
            if value > middle {
                lower = value;
            } else {
                upper = value;
            }
            if lower >= upper || value <= alpha || beta <= value {
                return value;
            }
        }
    }

    /// Finds a move that attains a known score, by null-window searches of one move after another.
    /// If the score is from a pruned search and no move attains it, returns the first move in move
    /// ordering. The player must have a legal move.
    pub(super) fn attaining_move(
        &mut self,
        position: &Position,
        state: &E::State,
        score: Discs,
    ) -> Best<Discs> {
        self.nodes += 1;
        let empties = position.empties();
        let mut moves = Moves::new(self.set, position, position.moves_by(self.set));
        if moves.len() > 1 {
            self.rate_by_search(&mut moves, [None; 2], (position, state), score - 1);
        }
        let is_proven = self.endgame_probcut.selectivity == Selectivity::Full;
        let mut best = Best { value: score, square: None };
        while let Some(next) = moves.take_best() {
            if is_proven && moves.is_empty() {
                best.square = Some(next.square);
                break;
            }
            let state = self.evaluator.after(state, next.square, next.flips);
            let reply = self.endgame(&next.child, &state, -score, 1 - score, empties - 1);
            if -reply >= score {
                best.square = Some(next.square);
                break;
            }
            best.square = best.square.or(Some(next.square));
        }
        best
    }

    /// Computes the move scores of a node by shallow searches. To save time, a search may stop with
    /// only an upper bound if this puts the move's score at least [`MOVE_SCORE_MARGIN`] below the
    /// best of the earlier moves (saves 6 to 8 % of the time of a solve), or the move's value at
    /// least [`HOPELESS_MARGIN`] below `alpha` (saves 3 to 8 %; Edax also does this).
    fn rate_by_search(
        &mut self,
        moves: &mut Moves,
        table_moves: [Option<Square>; 2],
        (position, state): (&Position, &E::State),
        alpha: Discs,
    ) {
        let odd_squares = self.parity(position).odd_squares();
        let hopeless = Value::clamped((alpha - HOPELESS_MARGIN) * STEPS_PER_DISC);
        let mut most = None;
        moves.rate(table_moves, |candidate| {
            let least = most.map(|most| most - MOVE_SCORE_MARGIN);
            let move_score = self.move_score(candidate, state, odd_squares, least, hopeless);
            most = most.max(Some(move_score));
            move_score
        });
    }

    /// Returns a move's ordering score in steps of 1/32 disc. It may be only an upper bound if it
    /// is at most `least`, or if a shallow search values the move at `hopeless` or less.
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
