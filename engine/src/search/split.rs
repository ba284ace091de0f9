//! Split points: nodes of an exact search or of one to a depth, whose younger brothers several searchers
//! share, once the eldest is searched (young brothers wait).

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

/// What is searched below a split point; it says what the numbers of its window are.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// The score, in discs, as sure as this.
    End(End),
    /// The value after so many moves, in steps.
    Depth(u32, Tuning),
}

/// A node whose moves several searchers take one after another.
pub(super) struct Split<S> {
    /// The split point that this node lies below.
    pub(super) above: Option<Arc<Split<S>>>,
    /// The state of the evaluation at the node.
    pub(super) state: S,
    pub(super) empties: u32,
    pub(super) goal: Goal,
    /// The table of the searcher whose node it is: who helps uses it, too.
    pub(super) table: Arc<Table>,
    /// The limits of the search that the node belongs to.
    pub(super) limits: Limits,
    is_stopped: AtomicBool,
    work: Mutex<Work>,
}

/// What is left to do at a split point, and what was done.
struct Work {
    moves: Moves,
    window: Window<i32>,
    /// The number of searchers at work, but for the one whose node it is.
    helpers: usize,
    /// The nodes of those who left.
    nodes: u64,
    /// Someone left with a move that was not searched to its end.
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

    /// Whether the node ended, or one above it: what is searched below is of no use any more.
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

    /// Whether this is another split point, or lies below it.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        let mut split = self;
        while !std::ptr::eq(split, other) {
            let Some(above) = &split.above else { return false };
            split = above;
        }
        true
    }

    /// Lets one more searcher in, if there is something to do.
    pub(super) fn join(&self) -> bool {
        let mut work = self.work();
        let is_open = !work.moves.is_empty() && !self.is_stopped();
        work.helpers += usize::from(is_open);
        is_open
    }

    /// Lets a searcher out that visited so many nodes.
    pub(super) fn leave(&self, nodes: u64) {
        let mut work = self.work();
        work.helpers -= 1;
        work.nodes += nodes;
    }

    /// Whether only the searcher whose node it is may still be at work.
    pub(super) fn is_left(&self) -> bool {
        self.work().helpers == 0
    }

    /// The next move and the lower end of the window, while the node has not ended.
    pub(super) fn next_move(&self) -> Option<(Move, i32)> {
        let mut work = self.work();
        if self.is_stopped() {
            return None;
        }
        let next = work.moves.take_best()?;
        Some((next, work.window.alpha))
    }

    /// The window as it is now.
    pub(super) fn window(&self) -> Window<i32> {
        self.work().window
    }

    /// Takes the score or value of a move, which may end the node.
    pub(super) fn take(&self, value: i32, square: Square) {
        if self.work().window.take(value, square) {
            self.stop();
        }
    }

    /// Says that a move was left before its score was known.
    pub(super) fn tear(&self) {
        self.work().is_torn = true;
    }

    /// Has everyone leave.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// The window once everyone left and the nodes of those who helped. The window is `None` where a move
    /// was left, and none ended the node.
    pub(super) fn result(&self) -> (Option<Window<i32>>, u64) {
        let work = self.work();
        let window = work.window;
        let is_whole = window.best.value >= window.beta || !work.is_torn && work.moves.is_empty();
        (is_whole.then_some(window), work.nodes)
    }
}
