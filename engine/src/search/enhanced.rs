//! The enhanced transposition cut-off: what the table knows of a node's children.

use super::ordering::Moves;
use super::window::Unit;
use super::{Searcher, Selectivity};
use crate::board::Square;
use crate::eval::{Evaluate, Value};

impl<E: Evaluate> Searcher<'_, E> {
    /// Bounds of a node's value by those of its children at `depth`, in the unit that `convert` makes of
    /// them: a child whose value lies in [l, h] for its own player proves at least −h here, by the
    /// move that leads to it; and where that is known of every child, the value is at most the greatest −l.
    pub(super) fn bounds_from_children<T: Unit>(
        &self,
        moves: &Moves,
        (depth, selectivity): (u32, Selectivity),
        convert: impl Fn((Value, Value)) -> (T, T),
    ) -> ((T, T), Option<Square>) {
        moves.iter().for_each(|candidate| self.table.prefetch(&candidate.child));
        let (mut bounds, mut square) = ((-T::INFINITE, -T::INFINITE), None);
        for candidate in moves.iter() {
            let Some(entry) = self.table.probe(&candidate.child) else {
                bounds.1 = T::INFINITE;
                continue;
            };
            let (lower, upper) = convert(entry.bounds(depth, selectivity));
            bounds.1 = bounds.1.max(-lower);
            if -upper > bounds.0 {
                (bounds.0, square) = (-upper, Some(candidate.square));
            }
        }
        (bounds, square)
    }
}
