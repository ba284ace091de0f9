//! Younger brothers of a node, searched by several searchers at once.

use std::sync::Arc;

use super::super::Searcher;
use super::super::limits::Limits;
use super::super::ordering::Moves;
use super::super::split::Split;
use super::super::window::Window;
use crate::board::Discs;
use crate::eval::Evaluate;

/// The number of empty squares from which on the moves of a node are worth sharing.
const SHARED_EMPTIES: u32 = 16;

impl<E: Evaluate> Searcher<'_, E> {
    /// Whether to share the moves that are left: with someone idle, and enough to do for both. A limit of nodes
    /// is to end the search at the same place each time.
    #[inline]
    pub(super) fn is_help_welcome(&self, moves: &Moves, empties: u32) -> bool {
        empties >= SHARED_EMPTIES
            && self.pool.as_ref().is_some_and(|pool| pool.has_idle())
            && moves.len() > 1
            && self.control.limits.nodes.is_none()
    }

    /// Searches the moves that are left, together with whoever is idle, and returns the window after them.
    pub(super) fn share(
        &mut self,
        state: &E::State,
        empties: u32,
        moves: Moves,
        window: Window<Discs>,
    ) -> Window<Discs> {
        let Some(pool) = self.pool.clone() else { return window };
        let limits = match &self.control {
            control if control.is_patient => Limits::default(),
            control => control.limits.clone(),
        };
        let split = Arc::new(Split::new(
            self.split.clone(),
            (*state, empties),
            (Arc::clone(&self.table), limits),
            (moves, window),
        ));
        pool.offer(Arc::clone(&split));
        self.split = Some(Arc::clone(&split));
        self.search_brothers(&split);
        if self.is_stopped() {
            split.stop();
        }
        pool.withdraw(&split);
        self.help(&pool, Some(&split));
        self.split.clone_from(&split.above);
        let (result, nodes) = split.result();
        self.nodes += nodes;
        if result.is_none() && !self.is_stopped() {
            // A helper reached a limit.
            self.control.is_stopped = true;
        }
        result.unwrap_or(window)
    }

    /// Searches one move after another of a split point, while there are any.
    pub(in super::super) fn search_brothers(&mut self, split: &Split<E::State>) {
        let empties = split.empties - 1;
        while let Some((next, alpha)) = split.next_move() {
            let state = self.evaluator.after(&split.state, next.square, next.flips);
            let mut score = -self.endgame(&next.child, &state, -alpha - 1, -alpha, empties);
            // Meanwhile another move may have been found that is better than the best was.
            let Window { alpha: raised, beta, .. } = split.window();
            if alpha < score && score < beta && raised < beta && !self.is_stopped() {
                score = -self.endgame(&next.child, &state, -beta, -raised, empties);
            }
            if self.is_stopped() {
                split.tear();
                return;
            }
            split.take(score, next.square);
        }
    }
}
