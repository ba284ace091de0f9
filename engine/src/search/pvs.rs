//! Principal variation search (fail-soft), for nodes at which move ordering and the transposition
//! table save more time than they cost.

use super::Searcher;
use super::ordering::Moves;
use super::probcut::ProbCutSettings;
use super::table::Effort;
use super::window::{Best, Window};
use crate::board::{Position, Square};
use crate::eval::{Evaluate, Value};
use crate::simd::{Instructions, compiled_for};

/// The differences between PVS to a fixed depth and PVS to the end of the game. In a search to the
/// end, the depth of a node is its number of empty squares.
pub(super) trait SearchMode<E: Evaluate, I: Instructions> {
    const IS_TO_END: bool;
    /// The smallest difference between two values: 1/32 disc or, in a search to the end, 1 disc.
    const STEP: Value;
    const MIN_ENHANCED_CUTOFF_DEPTH: u32;
    const MIN_SPLIT_DEPTH: u32;
    /// `[d, n]`: the best moves in a node's table entry are searched first if the entry's depth is
    /// at least d, or if the node's depth is less than n. Otherwise, they get no precedence.
    const TRUSTED_DEPTHS: [u32; 2];

    fn probcut<'s>(searcher: &'s Searcher<'_, E, I>) -> &'s ProbCutSettings;

    /// Returns true if help from other threads cannot change the final value: in a search without
    /// ProbCut, or in a search that only guides a later search without ProbCut.
    fn is_shareable(searcher: &Searcher<'_, E, I>) -> bool;

    /// Returns an upper bound of the node's value, proven by the opponent's stable discs, if it is
    /// at most `alpha` (the node then fails low). This default returns `None`.
    #[inline(always)]
    fn proven_bound(
        _: &Searcher<'_, E, I>,
        _: &Position,
        _alpha: Value,
        _depth: u32,
    ) -> Option<Value> {
        None
    }

    fn rate(
        searcher: &mut Searcher<'_, E, I>,
        moves: &mut Moves,
        table_moves: [Option<Square>; 2],
        node: (&Position, &E::State),
        alpha: Value,
        depth: u32,
    );

    /// Searches the child of a node; `window` and the value are for the side to move in the child.
    fn child(
        searcher: &mut Searcher<'_, E, I>,
        position: &Position,
        state: &E::State,
        window: (Value, Value),
        depth: u32,
    ) -> Value;
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Searches the node to `depth`, at least 1. Outside the window, the value is only a bound.
    #[compiled_for(I::SET)]
    pub(super) fn pvs<K: SearchMode<E, I>>(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: Value,
        beta: Value,
        depth: u32,
    ) -> Best {
        self.nodes += 1;
        self.table.prefetch(position);
        let squares = position.moves_by(self.set);
        if squares == 0 {
            let passed = position.pass();
            let value = if passed.moves_by(self.set) == 0 {
                Value::from_score(position.score())
            } else {
                let state = self.evaluator.pass(state);
                -self.pvs::<K>(&passed, &state, -beta, -alpha, depth).value
            };
            return Best { value, square: None };
        }
        // Stability cutoff, in the endgame.
        if beta == alpha + K::STEP
            && let Some(value) = K::proven_bound(self, position, alpha, depth)
        {
            return Best { value, square: None };
        }
        // Transposition cutoff; otherwise the entry narrows the window, and its moves come first.
        let selectivity = K::probcut(self).selectivity;
        let effort = Effort::new(depth, selectivity);
        let mut window = Window::new(alpha, beta);
        let mut table_moves = [None; 2];
        if self.features.transposition_table
            && let Some(entry) = self.table.probe(position)
        {
            let found = entry.best();
            if window.narrow(entry.bounds(effort), found[0]) {
                return window.best;
            }
            let [trusted, trusting] = K::TRUSTED_DEPTHS;
            if entry.depth() >= trusted || depth < trusting {
                table_moves = found;
            }
        }
        // Enhanced transposition cutoff: the entries of the children bound the value.
        let mut moves = Moves::new(self.set, position, squares);
        if self.features.enhanced_cutoff
            && self.features.transposition_table
            && depth >= K::MIN_ENHANCED_CUTOFF_DEPTH
        {
            let effort = Effort::new(depth - 1, selectivity);
            let (bounds, square) = self.bounds_from_children::<K>(&moves, effort);
            if window.narrow(bounds, square) {
                return window.best;
            }
        }
        // Multi-ProbCut: a shallow search makes it likely that this one fails high or low.
        if window.beta == window.alpha + K::STEP
            && let Some(cut) = K::probcut(self).cut(position.ply(), depth)
            && let Some(value) =
                self.likely_bound(cut, (position, state), (window.alpha, window.beta))
        {
            return Best { value, square: table_moves[0] };
        }
        // Move ordering.
        K::rate(self, &mut moves, table_moves, (position, state), window.alpha, depth);
        let mut first = true;
        while let Some(next) = moves.take_best() {
            let after = self.evaluator.after(state, next.square, next.flips);
            let Window { alpha, beta, .. } = window;
            let mut value = Value::INFINITE;
            let first_or_full = first || !self.features.null_windows;
            // Principal variation search: a null window for every move but the first.
            if !first_or_full {
                let null = (-(alpha + K::STEP), -alpha);
                value = -K::child(self, &next.child, &after, null, depth - 1);
            }
            // PVS re-search, if the null window proved that the move is better.
            if first_or_full || (alpha < value && value < beta && !self.is_stopped()) {
                value = -K::child(self, &next.child, &after, (-beta, -alpha), depth - 1);
            }
            first = false;
            if self.is_stopped() {
                return window.best;
            }
            if window.take(value, next.square) {
                break;
            }
            // Young brothers wait: after the first move, idle searchers share the remaining moves.
            if depth >= K::MIN_SPLIT_DEPTH && self.is_help_welcome(&moves, K::is_shareable(self)) {
                let node = (state, position.empties(), depth);
                window = self.share::<K>(node, moves, window);
                if self.is_stopped() {
                    return window.best;
                }
                break;
            }
        }
        if self.features.transposition_table {
            self.table.store(position, effort, window.proven(), window.best.square);
        }
        window.best
    }

    /// Returns the bounds of a node's value by its children's table entries, and the move that
    /// attains the lower bound. If a child's value is from l to h (without an entry, from −∞ to ∞),
    /// its move is worth −h to −l. The node's bounds are the greatest −h and the greatest −l.
    fn bounds_from_children<K: SearchMode<E, I>>(
        &self,
        moves: &Moves,
        effort: Effort,
    ) -> ((Value, Value), Option<Square>) {
        moves.iter().for_each(|candidate| self.table.prefetch(&candidate.child));
        let infinite = Value::MAX + K::STEP;
        let (mut bounds, mut square) = ((-infinite, -infinite), None);
        for candidate in moves.iter() {
            let Some(entry) = self.table.probe(&candidate.child) else {
                bounds.1 = infinite;
                continue;
            };
            let (lower, upper) = entry.bounds(effort);
            bounds.1 = bounds.1.max(-lower);
            if -upper > bounds.0 {
                (bounds.0, square) = (-upper, Some(candidate.square));
            }
        }
        (bounds, square)
    }
}
