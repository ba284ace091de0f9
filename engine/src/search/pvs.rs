//! Principal variation search, fail-soft: nodes that order moves and use the transposition table.

use super::ordering::Moves;
use super::probcut::ProbCutSettings;
use super::split_search::Goal;
use super::window::{Best, Unit, Window};
use super::{Searcher, Selectivity};
use crate::board::{Position, Square};
use crate::eval::{Evaluate, Value};
use crate::simd::{Instructions, compiled_for};

/// What differs between PVS to a fixed depth and PVS to the end of the game. In a search to the
/// end, the depth of a node is its number of empty squares.
pub(super) trait SearchMode<E: Evaluate, I: Instructions> {
    type Unit: Unit;

    const MIN_ENHANCED_CUTOFF_DEPTH: u32;
    const MIN_SPLIT_DEPTH: u32;
    /// `[d, n]`: the table moves come first if their entry has at least depth `d` or the node has
    /// less than depth `n`; otherwise they are ordered like all other moves.
    const TRUSTED_DEPTHS: [u32; 2];

    fn probcut<'s>(searcher: &'s Searcher<'_, E, I>) -> &'s ProbCutSettings;

    /// Returns true if the final value does not depend on help from other threads: this search has
    /// no selective pruning, or only prepares (moves, window) a later search that has none.
    fn is_shareable(searcher: &Searcher<'_, E, I>) -> bool;

    /// Returns an upper bound that stable discs prove, if it is at most `alpha`; by default `None`.
    #[inline(always)]
    fn proven_bound(
        _: &Searcher<'_, E, I>,
        _: &Position,
        _alpha: Self::Unit,
        _depth: u32,
    ) -> Option<Self::Unit> {
        None
    }

    fn rate(
        searcher: &mut Searcher<'_, E, I>,
        moves: &mut Moves,
        table_moves: [Option<Square>; 2],
        node: (&Position, &E::State),
        alpha: Self::Unit,
        depth: u32,
    );

    /// Searches `position`, the child of a node. `window` and the value are for the side to move in
    /// the child.
    fn child(
        searcher: &mut Searcher<'_, E, I>,
        position: &Position,
        state: &E::State,
        window: (Self::Unit, Self::Unit),
        depth: u32,
    ) -> Self::Unit;

    fn goal(searcher: &Searcher<'_, E, I>, depth: u32) -> Goal;
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Searches the node to `depth`, at least 1. Outside the window, the value is only a bound.
    #[compiled_for(I::SET)]
    pub(super) fn pvs<K: SearchMode<E, I>>(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: K::Unit,
        beta: K::Unit,
        depth: u32,
    ) -> Best<K::Unit> {
        self.nodes += 1;
        self.table.prefetch(position);
        let squares = position.moves_by(self.set);
        if squares == 0 {
            let passed = position.pass();
            let value = if passed.moves_by(self.set) == 0 {
                K::Unit::of_value(Value::from_score(position.score()))
            } else {
                let state = self.evaluator.pass(state);
                -self.pvs::<K>(&passed, &state, -beta, -alpha, depth).value
            };
            return Best { value, square: None };
        }
        // Stability cutoff, in the endgame.
        if beta == alpha + K::Unit::STEP
            && let Some(value) = K::proven_bound(self, position, alpha, depth)
        {
            return Best { value, square: None };
        }
        // Transposition cutoff; otherwise the entry narrows the window, and its moves come first.
        let effort = (depth, K::probcut(self).selectivity);
        let mut window = Window::new(alpha, beta);
        let mut table_moves = [None; 2];
        if self.features.transposition_table
            && let Some(entry) = self.table.probe(position)
        {
            let (found, (lower, upper)) = (entry.best(), entry.bounds(effort.0, effort.1));
            let bounds = (K::Unit::of_value(lower), K::Unit::of_value(upper));
            if window.narrow(bounds, found[0]) {
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
            let (bounds, square) = self.bounds_from_children(&moves, (depth - 1, effort.1));
            if window.narrow(bounds, square) {
                return window.best;
            }
        }
        // Multi-ProbCut: a shallow search makes it likely that this one fails high or low.
        if window.beta == window.alpha + K::Unit::STEP
            && let Some(value) = self.probable_bound::<K>(position, state, window.alpha, depth)
        {
            return Best { value, square: table_moves[0] };
        }
        // Move ordering.
        K::rate(self, &mut moves, table_moves, (position, state), window.alpha, depth);
        let mut first = true;
        while let Some(next) = moves.take_best() {
            let after = self.evaluator.after(state, next.square, next.flips);
            let Window { alpha, beta, .. } = window;
            let mut value = K::Unit::INFINITE;
            let first_or_full = first || !self.features.null_windows;
            // Principal variation search: a null window for every move but the first.
            if !first_or_full {
                let null = (-(alpha + K::Unit::STEP), -alpha);
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
                let shared = (state, position.empties(), K::goal(self, depth));
                let whole = self.share(shared, moves, window.map(K::Unit::number));
                window = whole.map(K::Unit::of_number);
                if self.is_stopped() {
                    return window.best;
                }
                break;
            }
        }
        if self.features.transposition_table {
            let (lower, upper) = window.proven();
            let bounds = (lower.map(K::Unit::value), upper.map(K::Unit::value));
            self.table.store(position, effort, bounds, window.best.square);
        }
        window.best
    }

    /// Multi-ProbCut in a null window: returns `alpha` if a shallow search makes it likely that the
    /// node fails low, beta if it makes failing high likely, and otherwise `None`.
    fn probable_bound<K: SearchMode<E, I>>(
        &mut self,
        position: &Position,
        state: &E::State,
        alpha: K::Unit,
        depth: u32,
    ) -> Option<K::Unit> {
        let cut = K::probcut(self).cuts.as_deref()?.at(position.ply(), depth)?;
        let (beta, node) = (alpha + K::Unit::STEP, (position, state));
        let found = self.likely_bound(cut, node, (alpha.value(), beta.value()))?;
        Some(if found == alpha.value() { alpha } else { beta })
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns bounds of a node's value, and the lower bound's move. If a child's table entry of
    /// depth `depth` has bounds l and h, the move to it is worth −h to −l (without an entry: −∞ to
    /// ∞). The lower bound is the greatest −h; the upper one, the greatest −l.
    fn bounds_from_children<T: Unit>(
        &self,
        moves: &Moves,
        (depth, selectivity): (u32, Selectivity),
    ) -> ((T, T), Option<Square>) {
        moves.iter().for_each(|candidate| self.table.prefetch(&candidate.child));
        let (mut bounds, mut square) = ((-T::INFINITE, -T::INFINITE), None);
        for candidate in moves.iter() {
            let Some(entry) = self.table.probe(&candidate.child) else {
                bounds.1 = T::INFINITE;
                continue;
            };
            let (lower, upper) = entry.bounds(depth, selectivity);
            let (lower, upper) = (T::of_value(lower), T::of_value(upper));
            bounds.1 = bounds.1.max(-lower);
            if -upper > bounds.0 {
                (bounds.0, square) = (-upper, Some(candidate.square));
            }
        }
        (bounds, square)
    }
}
