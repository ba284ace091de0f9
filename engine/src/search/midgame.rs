//! Search to a fixed depth: iterative deepening, principal variation search, fail-soft.

use super::Searcher;
use super::ordering::{Moves, weighted_count};
use super::window::{Best, Window};
use crate::board::{CORNERS, Position, Squares};
use crate::eval::{Evaluate, MAX_VALUE, STEPS_PER_DISC, Value};

/// Beyond every value.
pub(super) const INFINITE: Value = MAX_VALUE + 1;
/// From this depth on, nodes order their moves and use the table; below, it costs more than it saves.
const ORDERED_DEPTH: u32 = 3;
/// What a move of the other side costs, beside the value, when moves are ordered.
const MOBILITY_WEIGHT: Value = STEPS_PER_DISC / 4;

impl<E: Evaluate> Searcher<'_, E> {
    /// Searches deeper and deeper, each time with the table's moves of the time before.
    pub(super) fn iterate(&mut self, position: &Position, depth: u32) -> Best {
        let state = self.evaluator.state(position);
        if depth == 0 {
            let value = self.unordered(position, &state, -INFINITE, INFINITE, 0);
            return Best { value, square: None };
        }
        for depth in 1..depth {
            self.ordered(position, &state, -INFINITE, INFINITE, depth);
        }
        self.ordered(position, &state, -INFINITE, INFINITE, depth)
    }

    /// The value at `depth`, a bound on it outside the window.
    fn midgame(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Value,
        beta: Value,
        depth: u32,
    ) -> Value {
        if depth >= ORDERED_DEPTH {
            self.ordered(position, state, alpha, beta, depth).value
        } else {
            self.unordered(position, state, alpha, beta, depth)
        }
    }

    /// A node with the table and ordered moves; `depth` is 1 at least.
    fn ordered(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Value,
        beta: Value,
        depth: u32,
    ) -> Best {
        self.nodes += 1;
        let squares = position.moves();
        if squares == 0 {
            let passed = position.pass();
            let value = if passed.moves() == 0 {
                position.score() * STEPS_PER_DISC
            } else {
                let state = self.evaluator.pass(state);
                -self.ordered(&passed, &state, -beta, -alpha, depth).value
            };
            return Best { value, square: None };
        }
        let mut window = Window::new(alpha, beta);
        let mut table_moves = [None; 2];
        if self.ideas.table
            && let Some(entry) = self.table.probe(position)
        {
            table_moves = entry.best();
            if window.narrow(entry.bounds(depth), table_moves[0]) {
                return window.best;
            }
        }
        let mut moves = Moves::new(position, squares);
        moves.rate(table_moves, |candidate| {
            let state = self.evaluator.after(state, candidate.square, candidate.flips);
            -self.evaluator.value(&state, &candidate.child)
                - MOBILITY_WEIGHT * weighted_count(candidate.child.moves())
        });
        let mut first = true;
        while let Some(next) = moves.take_best() {
            let state = self.evaluator.after(state, next.square, next.flips);
            let Window { alpha, beta, .. } = window;
            let mut value = INFINITE;
            let first_or_full = first || !self.ideas.null_windows;
            if !first_or_full {
                value = -self.midgame(&next.child, &state, -alpha - 1, -alpha, depth - 1);
            }
            if first_or_full || (alpha < value && value < beta) {
                value = -self.midgame(&next.child, &state, -beta, -alpha, depth - 1);
            }
            first = false;
            if window.take(value, next.square) {
                break;
            }
        }
        if self.ideas.table {
            self.table.store(position, depth, window.proven(), window.best.square);
        }
        window.best
    }

    /// A node near the leaves: no table, and the moves by where they are.
    pub(super) fn unordered(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Value,
        beta: Value,
        depth: u32,
    ) -> Value {
        self.nodes += 1;
        let squares = position.moves();
        if squares == 0 {
            let passed = position.pass();
            if passed.moves() == 0 {
                return position.score() * STEPS_PER_DISC;
            }
            let state = self.evaluator.pass(state);
            return -self.unordered(&passed, &state, -beta, -alpha, depth);
        }
        if depth == 0 {
            return self.evaluator.value(state, position);
        }
        let mut best = -INFINITE;
        let mut reached = alpha;
        for group in SQUARES_BY_WORTH {
            for square in Squares(squares & group) {
                let flips = position.flips(square);
                let child = position.after(square, flips);
                let state = self.evaluator.after(state, square, flips);
                let value = -self.unordered(&child, &state, -beta, -reached, depth - 1);
                if value > best {
                    best = value;
                    if value >= beta {
                        return best;
                    }
                    reached = reached.max(value);
                }
            }
        }
        best
    }
}

/// All squares: corners, then the others, then those next to corners.
const SQUARES_BY_WORTH: [u64; 3] = [CORNERS, 0x3C3C_FFFF_FFFF_3C3C, 0x42C3_0000_0000_C342];
