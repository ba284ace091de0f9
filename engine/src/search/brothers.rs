//! The search of a node's remaining moves (the younger brothers) by several searchers at once.

use std::sync::Arc;

use super::Searcher;
use super::limits::Limits;
use super::ordering::Moves;
use super::split::{Goal, Split};
use super::window::Window;
use crate::board::Position;
use crate::eval::{Evaluate, Value};
use crate::instructions::Instructions;

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns true if the remaining moves of a node are to be shared: a helper is idle, and the
    /// subtree is large enough for both. Under a limit of nodes nothing is shared, since such a
    /// search ends at the same node each time. The value of a selective search depends on the
    /// table, and so on the helpers: it is shared only in a pool that shares everything.
    #[inline]
    pub(super) fn is_help_welcome(&self, moves: &Moves, leaves_nothing_out: bool) -> bool {
        self.pool
            .as_ref()
            .is_some_and(|pool| pool.has_idle() && (leaves_nothing_out || pool.shares_everything()))
            && moves.len() > 1
            && self.control.limits.nodes.is_none()
    }

    /// Searches the remaining moves together with idle searchers, and returns the window after
    /// them.
    pub(super) fn share(
        &mut self,
        (state, empties, goal): (&E::State, u32, Goal),
        moves: Moves,
        window: Window<i32>,
    ) -> Window<i32> {
        let Some(pool) = self.pool.clone() else { return window };
        let limits = match &self.control {
            control if !control.is_patient => control.limits.clone(),
            control if control.is_interruptible => {
                Limits { interrupt: control.limits.interrupt.clone(), ..Limits::default() }
            }
            _ => Limits::default(),
        };
        let split = Arc::new(Split::new(
            self.split.clone(),
            (*state, empties, goal),
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
    pub(super) fn search_brothers(&mut self, split: &Split<E::State>) {
        while let Some((next, alpha)) = split.next_move() {
            let state = self.evaluator.after(&split.state, next.square, next.flips);
            let mut value = -self.brother(split, &next.child, &state, (-alpha - 1, -alpha));
            // Meanwhile another move may have been found that is better than the best was.
            let Window { alpha: raised, beta, .. } = split.window();
            if alpha < value && value < beta && raised < beta && !self.is_stopped() {
                value = -self.brother(split, &next.child, &state, (-beta, -raised));
            }
            if self.is_stopped() {
                split.tear();
                return;
            }
            split.take(value, next.square);
        }
    }

    /// Returns the score or value of a child of a split point, in the unit of its window.
    fn brother(
        &mut self,
        split: &Split<E::State>,
        child: &Position,
        state: &E::State,
        (alpha, beta): (i32, i32),
    ) -> i32 {
        match split.goal {
            Goal::End(_) => self.endgame(child, state, alpha, beta, split.empties - 1),
            Goal::Depth(depth, _) => {
                // Ends of open windows are beyond every value.
                let [alpha, beta] = [alpha, beta].map(|steps| Value::ZERO.raised(steps));
                self.midgame(child, state, alpha, beta, depth - 1).steps()
            }
        }
    }
}
