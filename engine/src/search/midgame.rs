//! The search to a fixed depth: iterative deepening, and the nodes near the leaves.

use super::limits::Control;
use super::ordering::{Moves, SQUARES_BY_WORTH, Tuning, square_worth, weighted_count};
use super::probcut::ProbCutSettings;
use super::pvs::SearchMode;
use super::table::Entry;
use super::window::Best;
use super::{Limits, Pruning, Reached, Searcher, Selectivity};
use crate::board::{Position, Square, Squares};
use crate::eval::{Evaluate, STEPS_PER_DISC, Value};
use crate::simd::{Instructions, compiled_for};

/// The least depth of PVS nodes: at smaller depths, move ordering costs more time than it saves.
const PVS_DEPTH: u32 = 3;
/// The least depth at which moves are ordered by static value. At depth 3, the order by square and
/// number of replies is nearly as good, and saves a third of a depth-8 search's evaluations.
const VALUED_DEPTH: u32 = 4;
const MOBILITY_ALONE_WEIGHT: i32 = STEPS_PER_DISC / 2;
/// The number of plies that an iteration adds. It is 2, because values of even and of odd depths
/// differ.
const DEEPENING: u32 = 2;
/// The ply whose weights the shallow searches for move ordering use at endgame nodes with 14 to 18
/// empty squares, because the weights of a single ply stay in the processor's cache.
const RATING_PLY: u32 = 44;

/// The criterion by which a search ends a line: its number of moves, or its probability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Horizon {
    Depth,
    Probability,
}

impl Horizon {
    pub(super) fn by(pruning: &Pruning) -> Self {
        if pruning.is_by_probability() { Self::Probability } else { Self::Depth }
    }

    fn deepening(self) -> u32 {
        if self == Self::Depth { DEEPENING } else { 1 }
    }

    /// Returns the node limit of a search by realization probability, 1,024 · 4^depth; `None` for a
    /// search to a depth. Lines end at probability 4^−depth, and their probabilities total 1, so
    /// there are about 4^depth lines. Only an invalid model, in which every move is nearly certain,
    /// makes the search reach the limit.
    fn most_nodes(self, depth: u32) -> Option<u64> {
        const PER_LINE: u64 = 1 << 10;
        (self == Self::Probability).then(|| 4_u64.saturating_pow(depth).saturating_mul(PER_LINE))
    }
}

pub(super) struct ToDepth;

impl<E: Evaluate, I: Instructions> SearchMode<E, I> for ToDepth {
    const IS_TO_END: bool = false;
    const STEP: Value = Value::STEP;
    const MIN_ENHANCED_CUTOFF_DEPTH: u32 = 4;
    const MIN_SPLIT_DEPTH: u32 = 6;
    const TRUSTED_DEPTHS: [u32; 2] = [0, 0];

    #[inline(always)]
    fn probcut<'s>(searcher: &'s Searcher<'_, E, I>) -> &'s ProbCutSettings {
        &searcher.pruning.midgame
    }

    #[inline(always)]
    fn is_shareable(searcher: &Searcher<'_, E, I>) -> bool {
        searcher.pruning.is_full()
    }

    #[inline(always)]
    fn rate(
        searcher: &mut Searcher<'_, E, I>,
        moves: &mut Moves,
        table_moves: [Option<Square>; 2],
        (_, state): (&Position, &E::State),
        _alpha: Value,
        depth: u32,
    ) {
        let Searcher { evaluator, tuning, set, .. } = searcher;
        let by_value = depth >= VALUED_DEPTH && searcher.features.value_ordering;
        moves.rate(table_moves, |candidate| {
            let replies = weighted_count(candidate.child.moves_by(*set));
            if by_value {
                let state = evaluator.after(state, candidate.square, candidate.flips);
                let value = evaluator.value_at(&state, &candidate.child, tuning.leaf_ply);
                -value.steps() - tuning.mobility_weight * replies
            } else {
                square_worth(candidate.square) - MOBILITY_ALONE_WEIGHT * replies
            }
        });
    }

    #[inline]
    fn child(
        searcher: &mut Searcher<'_, E, I>,
        position: &Position,
        state: &E::State,
        (alpha, beta): (Value, Value),
        depth: u32,
    ) -> Value {
        if depth >= PVS_DEPTH {
            searcher.pvs::<Self>(position, state, alpha, beta, depth).value
        } else {
            searcher.alpha_beta(position, state, alpha, beta, depth)
        }
    }
}

/// Returns the depth of the first iteration if the root's table entry makes shallower iterations
/// unnecessary, else `None`. With an entry at most 2 plies shallower than `depth`, returns `depth`.
/// An entry more than 2 plies shallower counts only in a search with a time limit: the first
/// iteration then has the entry's depth, or 1 more so that it is odd or even like `depth`.
fn first_depth(entry: Entry, depth: u32, limits: &Limits) -> Option<u32> {
    let found = entry.depth();
    // A search with limits returns the entry's value if it completes no iteration.
    if entry.value().is_none() && limits.are_set() {
        None
    } else if found + DEEPENING >= depth {
        Some(depth)
    } else {
        (limits.are_of_time() && found > 0).then(|| found + (depth - found) % DEEPENING)
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Searches to increasing depths, up to `depth`. Returns the result of the last completed
    /// search. If a limit ends the first search, returns the result in the table entry that
    /// replaced shallower searches or, without such an entry, the result of a search to depth 1.
    pub(super) fn iterate(&mut self, position: &Position, depth: u32, horizon: Horizon) -> Reached {
        let state = self.evaluator.state(position);
        if depth == 0 {
            let value = self.alpha_beta(position, &state, -Value::INFINITE, Value::INFINITE, 0);
            return Reached { best: Best { value, square: None }, depth };
        }
        self.refutation = None;
        let deepening = horizon.deepening();
        let (mut next, mut guess) = (deepening - depth % deepening, None);
        let mut reached = None;
        if self.features.transposition_table
            && horizon == Horizon::Depth
            && let Some(entry) = self.table.probe(position)
            && entry.best()[0].is_some()
            && let Some(first) = first_depth(entry, depth, &self.control.limits)
        {
            // Skips the iterations up to the entry's depth, as its best move is as good.
            next = first;
            guess = entry.value();
            let answer = |value| Best { value, square: entry.best()[0] };
            reached = guess.map(|value| Reached { best: answer(value), depth: entry.depth() });
        }
        loop {
            let deepest = if horizon == Horizon::Depth { depth } else { 0 };
            self.tuning = Tuning::of(position, next, deepest);
            (self.control.is_patient, self.control.is_interruptible) = (reached.is_none(), true);
            if let Some(most) = horizon.most_nodes(next) {
                self.control.end_at(self.nodes.saturating_add(most));
            }
            let best = self.aspirate(position, &state, (next, horizon), guess);
            if self.is_stopped() {
                return reached.unwrap_or_else(|| self.one_ply(position, &state));
            }
            let now = Reached { best, depth: next };
            if next == depth {
                self.control.is_patient = false;
                return now;
            }
            reached = Some(now);
            next += deepening;
            guess = Some(best.value);
        }
    }

    /// Searches a position to depth 1, without limits.
    pub(super) fn one_ply(&mut self, position: &Position, state: &E::State) -> Reached {
        let control = std::mem::take(&mut self.control);
        let best = self.aspirate(position, state, (1, Horizon::Depth), None);
        self.control = Control { is_stopped: true, ..control };
        Reached { best, depth: 1 }
    }

    fn aspirate(
        &mut self,
        position: &Position,
        state: &E::State,
        (depth, horizon): (u32, Horizon),
        guess: Option<Value>,
    ) -> Best {
        let guess = guess.filter(|_| self.features.aspiration && depth > horizon.deepening());
        // A pruned search may contradict itself in two windows, so each contains the one before.
        let is_proof = horizon == Horizon::Depth && self.pruning.selectivity() == Selectivity::Full;
        let mut margin = self.tuning.first_margin;
        let (mut alpha, mut beta) = match guess {
            None => (-Value::INFINITE, Value::INFINITE),
            Some(guess) => (guess.lowered(margin), guess.raised(margin)),
        };
        loop {
            let best = match horizon {
                Horizon::Depth => self.pvs::<ToDepth>(position, state, alpha, beta, depth),
                Horizon::Probability => {
                    let reach = Self::reach(depth);
                    self.realized(position, state, (alpha, beta), reach, None)
                }
            };
            if self.is_stopped() {
                return best;
            }
            margin *= 4;
            if best.value <= alpha && alpha > -Value::INFINITE {
                let above = if is_proof { alpha.raised(1) } else { beta };
                (alpha, beta) = (best.value.lowered(margin), above);
            } else if best.value >= beta && beta < Value::INFINITE {
                let below = if is_proof { beta.lowered(1) } else { alpha };
                (alpha, beta) = (below, best.value.raised(margin));
            } else {
                return best;
            }
        }
    }

    #[inline]
    pub(super) fn midgame(
        &mut self,
        position: &Position,
        state: &E::State,
        window: (Value, Value),
        depth: u32,
    ) -> Value {
        ToDepth::child(self, position, state, window, depth)
    }

    #[compiled_for(I::SET)]
    pub(super) fn alpha_beta(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Value,
        beta: Value,
        depth: u32,
    ) -> Value {
        self.nodes += 1;
        let squares = position.moves_by(self.set);
        if squares == 0 {
            let passed = position.pass();
            if passed.moves_by(self.set) == 0 {
                return Value::from_score(position.score());
            }
            let state = self.evaluator.pass(state);
            return -self.alpha_beta(&passed, &state, -beta, -alpha, depth);
        }
        match depth {
            0 if self.is_rating => self.evaluator.value_at(state, position, RATING_PLY),
            0 => self.evaluator.value(state, position),
            1 => self.best_leaf(position, squares, state, alpha, beta),
            _ => self.best_child(position, squares, state, alpha, beta, depth),
        }
    }

    #[compiled_for(I::SET)]
    fn best_child(
        &mut self,
        position: &Position,
        squares: u64,
        state: &E::State,
        alpha: Value,
        beta: Value,
        depth: u32,
    ) -> Value {
        let mut best = -Value::INFINITE;
        for group in SQUARES_BY_WORTH {
            for square in Squares(squares & group) {
                let flips = position.flips_by(self.set, square);
                let child = position.after(square, flips);
                let state = self.evaluator.after(state, square, flips);
                let value = -self.alpha_beta(&child, &state, -beta, -best.max(alpha), depth - 1);
                best = best.max(value);
                if best >= beta {
                    return best;
                }
            }
        }
        best
    }

    /// Searches a node to depth 1. First tries the move that caused the most recent beta cutoff at
    /// any node of depth 1, if this move is legal here.
    #[compiled_for(I::SET)]
    fn best_leaf(
        &mut self,
        position: &Position,
        squares: u64,
        state: &E::State,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let is_sure = self.pruning.selectivity() == Selectivity::Full;
        // Move ordering: the last such node's refutation, corners, other squares, X and C squares.
        let first = squares & self.refutation.map_or(0, Square::bit);
        let [corners, usual, last] = SQUARES_BY_WORTH.map(|group| squares & group & !first);
        let mut best = -Value::INFINITE;
        for group in [first, corners, usual, last] {
            for square in Squares(group) {
                let flips = position.flips_by(self.set, square);
                let child = position.after(square, flips);
                let value = if child.moves_by(self.set) == 0 {
                    let state = self.evaluator.after(state, square, flips);
                    -self.alpha_beta(&child, &state, -beta, -best.max(alpha), 0)
                } else {
                    self.nodes += 1;
                    let (evaluator, window) = (self.evaluator, [-beta, -best.max(alpha)]);
                    -if self.is_rating {
                        let state = evaluator.after(state, square, flips);
                        evaluator.value_at(&state, &child, RATING_PLY)
                    } else if is_sure {
                        evaluator.value_after(state, square, flips, &child)
                    } else {
                        evaluator.value_after_within(state, square, flips, &child, window)
                    }
                };
                best = best.max(value);
                if best >= beta {
                    self.refutation = Some(square);
                    return best;
                }
            }
        }
        best
    }
}
