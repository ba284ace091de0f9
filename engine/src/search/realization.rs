//! Search by realization probability: likely lines are searched deeper than unlikely ones.
//!
//! The probability of a position is the product of the probabilities of the moves that lead to it.
//! A position less likely than a threshold is a leaf. If a move seems better than the best move
//! before it, it is searched again as if its probability were 1/2, because the refutation of an
//! unlikely move could be beyond the threshold.
//!
//! Source: Y. Tsuruoka and others, "Game-Tree Search Algorithm Based on Realization Probability",
//! 2001.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::ordering::{MOBILITY_WEIGHT, Move, Moves, weighted_count};
use super::pruning::{Costs, REACH_PER_HALF, REACH_PER_PLY};
use super::table::BY_PROBABILITY;
use super::window::{Best, Window};
use super::{Pruning, Searcher};
use crate::board::{CORNERS, Position, Square, X_SQUARES, with_neighbours};
use crate::eval::{Evaluate, Memory, MoveKind, Place, PruningError, Rank, Realization, Value};
use crate::simd::{Instructions, compiled_for};

/// The greatest depth of a search by probability: depth · [`REACH_PER_PLY`], the total cost at
/// which a line of moves ends, must fit into the 8 bits of a table entry.
const GREATEST_DEPTH: u32 = u8::MAX as u32 / REACH_PER_PLY;
const FEW_FLIPS: u32 = 2;

const C_SQUARES: u64 = 0x4281_0000_0000_8142;
const EDGES: u64 = 0xFF81_8181_8181_81FF;

impl Pruning {
    /// Creates the pruning of a search by realization probability, by the model of an evaluation. A
    /// search to depth D ends a line whose probability is at most 4^−D: after D moves of
    /// probability 1/4, or after more moves that are likelier. Depths above 31 count as 31.
    ///
    /// # Errors
    /// If the weights have no model of move probabilities.
    pub fn by_probability(evaluator: &impl Evaluate) -> Result<Self, PruningError> {
        let model = evaluator.models().realization.as_ref().ok_or(PruningError::NoRealization)?;
        Ok(Self { costs: Some(Arc::new(Costs::new(model))), ..Self::default() })
    }

    /// Creates the pruning of a search by probability that gives every move the probability 1/2. A
    /// search to depth D ends a line at probability 4^−D: here, after 2 D moves. A comparison with
    /// [`Self::by_probability`] shows the effect of the model of move probabilities used there.
    pub fn by_even_probability() -> Self {
        Self { costs: Some(Arc::new(Costs::even())), ..Self::default() }
    }

    /// Returns true if searches end lines by their probability and not by their number of moves.
    pub fn is_by_probability(&self) -> bool {
        self.costs.is_some()
    }
}

#[derive(Clone, Copy, Debug)]
struct RatedKind {
    kind: MoveKind,
    /// The static value after the move, for the side that moves; `None` if the opponent must pass.
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
        let mut moves = Moves::new(self.set, position, position.moves_by(self.set));
        let kinds =
            self.rate_kinds(&mut moves, position, &self.evaluator.state(position), last, memory);
        moves.iter().zip(kinds).map(|(one, rated)| (one.square, rated.kind)).collect()
    }

    /// Returns the cost at which a line of moves ends; a move of probability p costs −4 log₂ p.
    pub(super) fn reach(depth: u32) -> i32 {
        (depth.min(GREATEST_DEPTH) * REACH_PER_PLY) as i32
    }

    #[compiled_for(I::SET)]
    fn rate_kinds(
        &self,
        moves: &mut Moves,
        position: &Position,
        state: &E::State,
        last: Option<Square>,
        memory: Option<Square>,
    ) -> ArrayVec<RatedKind, 64> {
        let mut values = ArrayVec::<(Option<Value>, u32), 64>::new();
        moves.rate([None, None], |candidate| {
            let replies = candidate.child.moves_by(self.set);
            let Move { square, flips, ref child, .. } = *candidate;
            let value = -self.evaluator.value_after(state, square, flips, child);
            values.push(((replies != 0).then_some(value), replies.count_ones()));
            value.steps() - MOBILITY_WEIGHT * weighted_count(replies)
        });
        let fewest = values.iter().map(|&(_, replies)| replies).min().unwrap_or(0);
        let corners_before = position.pass().moves_by(self.set) & CORNERS;
        let around = last.map_or(0, |last| with_neighbours(last.bit()));
        let kinds = moves.iter().zip(&values).enumerate().map(|(place, (candidate, known))| {
            let earlier =
                |(other, one): (usize, &Move)| (one.score, place) > (candidate.score, other);
            let others = moves.iter().enumerate().filter(|&pair| earlier(pair)).count();
            let kind = MoveKind {
                rank: Rank::after(others),
                memory: match memory {
                    None => Memory::Nothing,
                    Some(best) if best == candidate.square => Memory::Best,
                    Some(_) => Memory::Another,
                },
                place: place_of(candidate.square),
                gives_corner: candidate.child.moves_by(self.set) & CORNERS & !corners_before != 0,
                answers: around & candidate.square.bit() != 0,
                flips_few: candidate.flips.count_ones() <= FEW_FLIPS,
                leaves_fewest: known.1 == fewest,
            };
            RatedKind { kind, value: known.0 }
        });
        kinds.collect()
    }

    /// Searches each line until its moves cost `reach` in total; a move costs −4 log₂ p (p: its
    /// probability). `last` is the move that led to this node; `None` at the root or after a pass.
    #[compiled_for(I::SET)]
    pub(super) fn realized(
        &mut self,
        position: &Position,
        state: &E::State,
        (alpha, beta): (Value, Value),
        reach: i32,
        last: Option<Square>,
    ) -> Best<Value> {
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
            if window.narrow(entry.realized_bounds(reach as u8), memory) {
                return window.best;
            }
        }
        let mut moves = Moves::new(self.set, position, squares);
        let kinds = self.rate_kinds(&mut moves, position, state, last, memory);
        let stage = Realization::stage(position.ply());
        let mut rated_moves: ArrayVec<_, 64> = moves.iter().copied().zip(kinds).collect();
        let order = |(one, rated): &(Move, RatedKind)| {
            (rated.kind.memory != Memory::Best, -one.score, one.square)
        };
        rated_moves.sort_unstable_by_key(order);
        for (number, (one, rated)) in rated_moves.into_iter().enumerate() {
            let cost = self.cost(stage, rated.kind);
            // No move is better yet, so the first move needs no test, except in a null window.
            let is_tried = number > 0 || window.beta == window.alpha + Value::STEP;
            let bounds = (window.alpha, window.beta);
            let value = self.realized_move((&one, &rated, state), bounds, reach, (cost, is_tried));
            if self.is_stopped() {
                return window.best;
            }
            if window.take(value, one.square) {
                break;
            }
        }
        if self.features.transposition_table {
            let best = window.best.square;
            let effort = (reach as u8, BY_PROBABILITY);
            self.table.record(position, effort, window.proven(), best);
        }
        window.best
    }

    /// Returns the value of a move or, outside the window, a bound of it. If `is_tried`, a
    /// null-window search, in which the move costs `cost`, first tests whether the value is above
    /// `alpha`; if not, its result is returned. In the full window, the move costs `cost`, but at
    /// most [`REACH_PER_HALF`]. `reach` minus that cost remains for the rest of the line.
    fn realized_move(
        &mut self,
        (one, rated, state): (&Move, &RatedKind, &E::State),
        (alpha, beta): (Value, Value),
        reach: i32,
        (cost, is_tried): (i32, bool),
    ) -> Value {
        let surer = cost.min(REACH_PER_HALF);
        let leaf = |cost: i32| rated.value.filter(|_| reach <= cost);
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
        costs.map_or(REACH_PER_PLY as i32, |costs| costs.0[stage][kind.index()].into())
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
