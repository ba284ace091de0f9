//! Search to a fixed depth: iterative deepening, principal variation search, fail-soft.

use super::Searcher;
use super::ordering::{Moves, weighted_count};
use super::window::{Best, Window};
use crate::board::{CORNERS, Position, Squares};
use crate::eval::{Evaluate, STEPS_PER_DISC, Value};

/// From this depth on, nodes are PVS nodes, which order their moves and use the transposition table;
/// below, it costs more than it saves.
const PVS_DEPTH: u32 = 3;
/// The cost of each move of the other side, beside the value, when moves are ordered; in steps.
const MOBILITY_WEIGHT: i32 = STEPS_PER_DISC / 4;

impl<E: Evaluate> Searcher<'_, E> {
    /// Searches deeper and deeper, each time with the table's moves of the time before.
    pub(super) fn iterate(&mut self, position: &Position, depth: u32) -> Best<Value> {
        let state = self.evaluator.state(position);
        if depth == 0 {
            let value = self.alpha_beta(position, &state, -Value::INFINITE, Value::INFINITE, 0);
            return Best { value, square: None };
        }
        for depth in 1..depth {
            self.pvs(position, &state, -Value::INFINITE, Value::INFINITE, depth);
        }
        self.pvs(position, &state, -Value::INFINITE, Value::INFINITE, depth)
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
        if depth >= PVS_DEPTH {
            self.pvs(position, state, alpha, beta, depth).value
        } else {
            self.alpha_beta(position, state, alpha, beta, depth)
        }
    }

    /// A PVS node: with the transposition table and ordered moves; `depth` is 1 at least.
    fn pvs(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Value,
        beta: Value,
        depth: u32,
    ) -> Best<Value> {
        self.nodes += 1;
        let squares = position.moves();
        if squares == 0 {
            let passed = position.pass();
            let value = if passed.moves() == 0 {
                Value::from_score(position.score())
            } else {
                let state = self.evaluator.pass(state);
                -self.pvs(&passed, &state, -beta, -alpha, depth).value
            };
            return Best { value, square: None };
        }
        let mut window = Window::new(alpha, beta);
        let mut table_moves = [None; 2];
        if self.features.transposition_table
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
            -self.evaluator.value(&state, &candidate.child).steps()
                - MOBILITY_WEIGHT * weighted_count(candidate.child.moves())
        });
        let mut first = true;
        while let Some(next) = moves.take_best() {
            let state = self.evaluator.after(state, next.square, next.flips);
            let Window { alpha, beta, .. } = window;
            let mut value = Value::INFINITE;
            let first_or_full = first || !self.features.null_windows;
            if !first_or_full {
                value = -self.midgame(&next.child, &state, -alpha - Value::STEP, -alpha, depth - 1);
            }
            if first_or_full || (alpha < value && value < beta) {
                value = -self.midgame(&next.child, &state, -beta, -alpha, depth - 1);
            }
            first = false;
            if window.take(value, next.square) {
                break;
            }
        }
        if self.features.transposition_table {
            self.table.store(position, depth, window.proven(), window.best.square);
        }
        window.best
    }

    /// An alpha-beta node near the leaves: without a table, the moves ordered by their squares.
    pub(super) fn alpha_beta(
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
                return Value::from_score(position.score());
            }
            let state = self.evaluator.pass(state);
            return -self.alpha_beta(&passed, &state, -beta, -alpha, depth);
        }
        if depth == 0 {
            return self.evaluator.value(state, position);
        }
        let mut best = -Value::INFINITE;
        let mut reached = alpha;
        for group in SQUARES_BY_WORTH {
            for square in Squares(squares & group) {
                let flips = position.flips(square);
                let child = position.after(square, flips);
                let state = self.evaluator.after(state, square, flips);
                let value = -self.alpha_beta(&child, &state, -beta, -reached, depth - 1);
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
