//! The enhanced transposition cutoff: bounds of a node from the table entries of its children.

use super::ordering::Moves;
use super::window::Unit;
use super::{Searcher, Selectivity};
use crate::board::Square;
use crate::eval::Evaluate;
use crate::simd::Instructions;

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns bounds of a node's value, and the lower bound's move, from the children's table
    /// entries for this `depth`. A move to a child with a value in [l, h] is worth −h to −l. So the
    /// greatest −h is a lower bound; the greatest −l is an upper bound if all have entries.
    pub(super) fn bounds_from_children<T: Unit>(
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
