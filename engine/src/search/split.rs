//! Split points: nodes whose younger brothers several searchers share once the eldest move is
//! searched ("young brothers wait"). They occur in searches to a depth and in searches to the end.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ends::End;
use super::limits::Limits;
use super::ordering::{Move, Moves};
use super::table::Table;
use super::tuning::Tuning;
use super::window::Window;
use crate::board::Square;

/// The kind of search below a split point, which also gives the unit of its window.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// The score, in discs, with this selectivity.
    End(End),
    /// The value after this many moves, in steps.
    Depth(u32, Tuning),
}

/// A node whose moves several searchers take one after another.
pub(super) struct Split<S> {
    /// The next split point above this node.
    pub(super) above: Option<Arc<Split<S>>>,
    /// The state of the evaluation at the node.
    pub(super) state: S,
    pub(super) empties: u32,
    pub(super) goal: Goal,
    /// The table of the searcher that owns the node; helpers use the same one.
    pub(super) table: Arc<Table>,
    /// The limits of the search that the node belongs to.
    pub(super) limits: Limits,
    is_stopped: AtomicBool,
    work: Mutex<Work>,
}

/// The remaining moves of a split point, and the results so far.
struct Work {
    moves: Moves,
    window: Window<i32>,
    /// The number of searchers at work, without the owner of the node.
    helpers: usize,
    /// The nodes that helpers visited before they left.
    nodes: u64,
    /// True if a helper left before its move was searched to the end.
    is_torn: bool,
}

impl<S> fmt::Debug for Split<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split").field("empties", &self.empties).finish_non_exhaustive()
    }
}

impl<S> Split<S> {
    pub(super) fn new(
        above: Option<Arc<Self>>,
        (state, empties, goal): (S, u32, Goal),
        (table, limits): (Arc<Table>, Limits),
        (moves, window): (Moves, Window<i32>),
    ) -> Self {
        let work = Mutex::new(Work { moves, window, helpers: 0, nodes: 0, is_torn: false });
        let is_stopped = AtomicBool::new(false);
        Self { above, state, empties, goal, table, limits, is_stopped, work }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this node, or a split point above it, has ended: a search below it is
    /// useless.
    pub(super) fn is_stopped(&self) -> bool {
        let mut split = self;
        loop {
            if split.is_stopped.load(Ordering::Relaxed) {
                return true;
            }
            let Some(above) = &split.above else { return false };
            split = above;
        }
    }

    /// Returns whether this split point is `other`, or lies below it.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        let mut split = self;
        while !std::ptr::eq(split, other) {
            let Some(above) = &split.above else { return false };
            split = above;
        }
        true
    }

    /// Adds a helper if moves are left; returns whether it did.
    pub(super) fn join(&self) -> bool {
        let mut work = self.work();
        let is_open = !work.moves.is_empty() && !self.is_stopped();
        work.helpers += usize::from(is_open);
        is_open
    }

    /// Removes a helper that visited `nodes` nodes.
    pub(super) fn leave(&self, nodes: u64) {
        let mut work = self.work();
        work.helpers -= 1;
        work.nodes += nodes;
    }

    /// Returns whether no helper is at work any more.
    pub(super) fn is_left(&self) -> bool {
        self.work().helpers == 0
    }

    /// Returns the next move and the lower end of the window, unless the node has ended.
    pub(super) fn next_move(&self) -> Option<(Move, i32)> {
        let mut work = self.work();
        if self.is_stopped() {
            return None;
        }
        let next = work.moves.take_best()?;
        Some((next, work.window.alpha))
    }

    /// Returns the current window.
    pub(super) fn window(&self) -> Window<i32> {
        self.work().window
    }

    /// Takes the score or value of a move, which may end the node.
    pub(super) fn take(&self, value: i32, square: Square) {
        if self.work().window.take(value, square) {
            self.stop();
        }
    }

    /// Records that a move was left before its value was known.
    pub(super) fn tear(&self) {
        self.work().is_torn = true;
    }

    /// Ends the node, so that everyone leaves it.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns the window and the nodes of all helpers, after these left. The window is `None` if a
    /// move was not completed and no other move ended the node.
    pub(super) fn result(&self) -> (Option<Window<i32>>, u64) {
        let work = self.work();
        let window = work.window;
        let is_whole = window.best.value >= window.beta || !work.is_torn && work.moves.is_empty();
        (is_whole.then_some(window), work.nodes)
    }
}
