//! Search by realization probability: likely lines are searched deeper than unlikely ones.
//!
//! The probability of a position is the product of the probabilities of the moves that lead to it.
//! A position whose probability is at most a threshold is a leaf. If a move seems better than the
//! best move before it and its probability is below 1/2, it is searched again as if its probability
//! were 1/2, because the refutation of an unlikely move could be beyond the threshold.
//!
//! Source: Y. Tsuruoka and others, "Game-Tree Search Algorithm Based on Realization Probability",
//! 2001.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::ordering::{MOBILITY_WEIGHT, Move, Moves, weighted_count};
use super::table::Effort;
use super::window::{Best, Window};
use super::{Pruning, Searcher};
use crate::board::{CORNERS, Position, Square, X_SQUARES, with_neighbours};
use crate::eval::{
    Evaluate, Memory, MoveKind, Place, PruningError, Rank, Realization, STAGES, Value,
};
use crate::simd::{Instructions, compiled_for};

/// The cost of a move of probability 1/4. A search to depth D ends a line once the costs of its
/// moves total D times this number (the *reach*). So each further ply of depth divides the
/// probability at which lines end by 4, as in the paper by Tsuruoka and others.
const REACH_PER_PLY: u32 = 8;
/// The cost of a move of probability 1/2. Costs are proportional to −log₂ of the probability.
const REACH_PER_HALF: i32 = REACH_PER_PLY as i32 / 2;
/// The greatest depth of a search by probability: depth · [`REACH_PER_PLY`] is stored in 8 bits.
const GREATEST_DEPTH: u32 = u8::MAX as u32 / REACH_PER_PLY;
const FEW_FLIPS: u32 = 2;

const C_SQUARES: u64 = 0x4281_0000_0000_8142;
const EDGES: u64 = 0xFF81_8181_8181_81FF;

impl Pruning {
    /// Creates the pruning by realization probability: the model of `evaluator` predicts the
    /// probability of each move, and a search to depth D ends a line whose probability is at most
    /// 4^−D: after D moves of probability 1/4, or after more moves that are likelier.
    /// Depths above 31 count as 31.
    ///
    /// # Errors
    /// If the weights have no model of move probabilities.
    pub fn by_probability(evaluator: &impl Evaluate) -> Result<Self, PruningError> {
        let model = evaluator.models().realization.as_ref().ok_or(PruningError::NoRealization)?;
        let cost = |stage, kind| {
            let halves = -libm::log2(model.probability(stage, kind));
            (halves * f64::from(REACH_PER_HALF)).round() as u8
        };
        let costs = std::array::from_fn(|stage| std::array::from_fn(|kind| cost(stage, kind)));
        Ok(Self { costs: Some(Arc::new(costs)), ..Self::default() })
    }

    /// Creates the pruning of [`Self::by_probability`], but with the probability 1/2 for each move,
    /// for comparison with the model. A search to depth D ends each line at probability 4^−D, so
    /// after 2 D moves.
    pub fn by_even_probability() -> Self {
        let costs = [[REACH_PER_HALF as u8; MoveKind::COUNT]; STAGES];
        Self { costs: Some(Arc::new(costs)), ..Self::default() }
    }

    /// Returns true if searches end lines by their probability and not by their number of moves.
    pub fn is_by_probability(&self) -> bool {
        self.costs.is_some()
    }
}

#[derive(Clone, Copy, Debug)]
struct RatedMove {
    one: Move,
    kind: MoveKind,
    replies: u32,
    /// The static value after the move, for the side that makes the move; `None` if the opponent
    /// has no legal reply.
    value: Option<Value>,
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns the legal moves in the order of their squares, each with its kind, which determines
    /// its probability. `last` is the previous move, `memory` the best move of an earlier search.
    pub fn move_kinds(
        &self,
        position: &Position,
        last: Option<Square>,
        memory: Option<Square>,
    ) -> ArrayVec<(Square, MoveKind), 64> {
        let mut moves = self.rated_moves(position, &self.evaluator.state(position), last, memory);
        moves.sort_unstable_by_key(|rated| rated.one.square);
        moves.iter().map(|rated| (rated.one.square, rated.kind)).collect()
    }

    /// Returns the total cost of the moves after which a search to `depth` ends a line.
    pub(super) fn reach(depth: u32) -> i32 {
        (depth.min(GREATEST_DEPTH) * REACH_PER_PLY) as i32
    }

    /// Returns the legal moves in the order of search: first `memory`, the best move of an earlier
    /// search (if any), then the others by the static value after the move, minus a penalty for
    /// each reply of the opponent.
    #[compiled_for(I::SET)]
    fn rated_moves(
        &self,
        position: &Position,
        state: &E::State,
        last: Option<Square>,
        memory: Option<Square>,
    ) -> ArrayVec<RatedMove, 64> {
        let corners_before = position.pass().moves_by(self.set) & CORNERS;
        let around = last.map_or(0, |last| with_neighbours(last.bit()));
        let mut moves = ArrayVec::<RatedMove, 64>::new();
        for &one in Moves::new(self.set, position, position.moves_by(self.set)).iter() {
            let Move { square, flips, ref child, .. } = one;
            let replies = child.moves_by(self.set);
            let value = -self.evaluator.value_after(state, square, flips, child);
            let score = value.steps() - MOBILITY_WEIGHT * weighted_count(replies);
            let kind = MoveKind {
                rank: Rank::after(0),
                memory: match memory {
                    None => Memory::Nothing,
                    Some(best) if best == square => Memory::Best,
                    Some(_) => Memory::Another,
                },
                place: place_of(square),
                gives_corner: replies & CORNERS & !corners_before != 0,
                answers: around & square.bit() != 0,
                flips_few: flips.count_ones() <= FEW_FLIPS,
                leaves_fewest: false,
            };
            let (one, value) = (Move { score, ..one }, (replies != 0).then_some(value));
            moves.push(RatedMove { one, kind, replies: replies.count_ones(), value });
        }
        moves.sort_unstable_by_key(|rated| (-rated.one.score, rated.one.square));
        let fewest = moves.iter().map(|rated| rated.replies).min();
        for (place, rated) in moves.iter_mut().enumerate() {
            rated.kind.rank = Rank::after(place);
            rated.kind.leaves_fewest = Some(rated.replies) == fewest;
        }
        moves.sort_by_key(|rated| rated.kind.memory != Memory::Best);
        moves
    }

    /// Searches the node by realization probability: each line ends once its moves cost `reach` in
    /// total, where a move of probability p costs −4 log₂ p. `last` is the move that led to this
    /// node; `None` at the root or after a pass.
    #[compiled_for(I::SET)]
    pub(super) fn realized(
        &mut self,
        position: &Position,
        state: &E::State,
        (alpha, beta): (Value, Value),
        reach: i32,
        last: Option<Square>,
    ) -> Best {
        self.nodes += 1;
        self.nodes_by_ply[position.ply() as usize] += 1;
        let squares = position.moves_by(self.set);
        if squares == 0 {
            let passed = position.pass();
            let value = if passed.moves_by(self.set) == 0 {
                Value::from_score(position.score())
            } else {
                let state = self.evaluator.pass(state);
                -self.realized(&passed, &state, (-beta, -alpha), reach, None).value
            };
            return Best { value, square: None };
        }
        if reach <= 0 {
            return Best { value: self.evaluator.value(state, position), square: None };
        }
        let mut window = Window::new(alpha, beta);
        let mut memory = None;
        if self.features.transposition_table
            && let Some(entry) = self.table.probe(position)
        {
            memory = entry.best()[0].filter(|best| squares & best.bit() != 0);
            if window.narrow(entry.bounds(Effort::by_probability(reach)), memory) {
                return window.best;
            }
        }
        let stage = Realization::stage(position.ply());
        let moves = self.rated_moves(position, state, last, memory);
        for (number, rated) in moves.iter().enumerate() {
            let cost = self.cost(stage, rated.kind);
            // No move is better yet, so the first move needs no test, except in a null window.
            let is_tried = number > 0 || window.beta == window.alpha + Value::STEP;
            let bounds = (window.alpha, window.beta);
            let value = self.realized_move(rated, state, bounds, reach, (cost, is_tried));
            if self.is_stopped() {
                return window.best;
            }
            if window.take(value, rated.one.square) {
                break;
            }
        }
        if self.features.transposition_table {
            let effort = Effort::by_probability(reach);
            self.table.store(position, effort, window.proven(), window.best.square);
        }
        window.best
    }

    /// Returns the value of a move or, outside the window, a bound. If `is_tried`, a null-window
    /// search first tests whether the value is above `alpha`. This test subtracts `cost` from
    /// `reach`; the full-window search subtracts at most [`REACH_PER_HALF`], to be deeper.
    fn realized_move(
        &mut self,
        RatedMove { one, value, .. }: &RatedMove,
        state: &E::State,
        (alpha, beta): (Value, Value),
        reach: i32,
        (cost, is_tried): (i32, bool),
    ) -> Value {
        let surer = cost.min(REACH_PER_HALF);
        let leaf = |cost: i32| value.filter(|_| reach <= cost);
        let is_leaf = leaf(cost).is_some() && (is_tried || leaf(surer).is_some());
        if is_leaf {
            self.nodes += 1;
            self.nodes_by_ply[one.child.ply() as usize] += 1;
        }
        if let Some(value) = leaf(surer) {
            return value;
        }
        let after = self.evaluator.after(state, one.square, one.flips);
        let mut search = |(alpha, beta): (Value, Value), cost: i32| {
            let last = Some(one.square);
            -self.realized(&one.child, &after, (-beta, -alpha), reach - cost, last).value
        };
        if is_tried {
            let null = (alpha, alpha + Value::STEP);
            let value = leaf(cost).unwrap_or_else(|| search(null, cost));
            if value <= alpha || (surer == cost && beta == null.1) {
                return value;
            }
        }
        search((alpha, beta), surer)
    }

    fn cost(&self, stage: usize, kind: MoveKind) -> i32 {
        let costs = self.pruning.costs.as_deref();
        costs.map_or(REACH_PER_PLY as i32, |costs| costs[stage][kind.index()].into())
    }
}

fn place_of(square: Square) -> Place {
    let is_in = |squares: u64| squares & square.bit() != 0;
    match () {
        () if is_in(CORNERS) => Place::Corner,
        () if is_in(X_SQUARES) => Place::XSquare,
        () if is_in(C_SQUARES) => Place::CSquare,
        () if is_in(EDGES) => Place::Edge,
        () => Place::Inner,
    }
}
