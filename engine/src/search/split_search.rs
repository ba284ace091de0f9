//! Parallel search at split points, by young brothers wait (YBWC): once the first move of a node is
//! searched, idle searchers share the remaining moves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Searcher;
use super::limits::Limits;
use super::ordering::{Move, Moves, Tuning};
use super::probcut::ProbCutSettings;
use super::table::Table;
use super::window::Window;
use crate::board::{Position, Square};
use crate::eval::{Evaluate, Value};
use crate::simd::Instructions;

#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// A search to the end of the game with these ProbCut settings, in a window in discs.
    End(ProbCutSettings),
    /// A search to this depth in plies with these settings, in a window in steps of 1/32 disc.
    Depth(u32, Tuning),
}

/// A split point: a node whose moves several searchers share, each taking one after another.
#[derive(Debug)]
pub(super) struct Split<S> {
    pub(super) above: Option<Arc<Split<S>>>,
    pub(super) state: S,
    pub(super) empties: u32,
    pub(super) goal: Goal,
    /// The transposition table of the searcher that owns the node; helpers also use it.
    pub(super) table: Arc<Table>,
    pub(super) limits: Limits,
    is_stopped: AtomicBool,
    work: Mutex<Work>,
}

#[derive(Debug)]
struct Work {
    moves: Moves,
    window: Window<i32>,
    /// The number of searchers that help at this node, not counting the searcher that owns it.
    helpers: usize,
    /// The number of nodes of all helpers that have left; the total once `helpers` is 0.
    nodes: u64,
    /// True if a searcher was stopped before it had searched its move, which thus has no value.
    is_torn: bool,
}

impl<S> Split<S> {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

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

    /// Returns whether this split point is `other` or a descendant of `other`.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        let mut split = self;
        while !std::ptr::eq(split, other) {
            let Some(above) = &split.above else { return false };
            split = above;
        }
        true
    }

    pub(super) fn join(&self) -> bool {
        let mut work = self.work();
        let is_open = !work.moves.is_empty() && !self.is_stopped();
        work.helpers += usize::from(is_open);
        is_open
    }

    pub(super) fn leave(&self, nodes: u64) {
        let mut work = self.work();
        work.helpers -= 1;
        work.nodes += nodes;
    }

    pub(super) fn is_left(&self) -> bool {
        self.work().helpers == 0
    }

    pub(super) fn next_move(&self) -> Option<(Move, i32)> {
        let mut work = self.work();
        if self.is_stopped() {
            return None;
        }
        let next = work.moves.take_best()?;
        Some((next, work.window.alpha))
    }

    pub(super) fn window(&self) -> Window<i32> {
        self.work().window
    }

    pub(super) fn take(&self, value: i32, square: Square) {
        if self.work().window.take(value, square) {
            self.stop();
        }
    }

    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Returns the window after all moves, and the number of nodes of the helpers. Call it after
    /// all helpers have left. The window is `None` if the search of some move is incomplete and no
    /// move caused a beta cutoff.
    pub(super) fn result(&self) -> (Option<Window<i32>>, u64) {
        let work = self.work();
        let window = work.window;
        let is_whole = window.best.value >= window.beta || !work.is_torn && work.moves.is_empty();
        (is_whole.then_some(window), work.nodes)
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns whether the node should become a split point: a searcher is idle, at least two moves
    /// remain, the search has no limit of nodes (with one, it must end at the same node each time),
    /// and either help cannot change the final value (`is_shareable`) or the pool accepts changed
    /// values (`helps_always`).
    #[inline]
    pub(super) fn is_help_welcome(&self, moves: &Moves, is_shareable: bool) -> bool {
        self.pool
            .as_ref()
            .is_some_and(|pool| pool.has_idle() && (is_shareable || pool.helps_always))
            && moves.len() > 1
            && self.control.limits.nodes.is_none()
    }

    /// Searches `moves` at a split point, where idle searchers help. Returns `window` with the best
    /// move and alpha after these searches; unchanged if the search was stopped.
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
        let split = Arc::new(Split {
            above: self.split.clone(),
            state: *state,
            empties,
            goal,
            table: Arc::clone(&self.table),
            limits,
            is_stopped: AtomicBool::new(false),
            work: Mutex::new(Work { moves, window, helpers: 0, nodes: 0, is_torn: false }),
        });
        pool.offer(Arc::clone(&split));
        self.split = Some(Arc::clone(&split));
        self.search_split(&split);
        if self.is_stopped() {
            split.stop();
        }
        pool.withdraw(&split);
        self.help(&pool, Some(&split));
        self.split.clone_from(&split.above);
        let (result, nodes) = split.result();
        self.nodes += nodes;
        if result.is_none() && !self.is_stopped() {
            // A helper abandoned a move at a limit, which then also ends this search.
            self.control.is_stopped = true;
        }
        result.unwrap_or(window)
    }

    pub(super) fn search_split(&mut self, split: &Split<E::State>) {
        while let Some((next, alpha)) = split.next_move() {
            let state = self.evaluator.after(&split.state, next.square, next.flips);
            let mut value = -self.split_child(split, &next.child, &state, (-alpha - 1, -alpha));
            // Meanwhile, another searcher may have found a better move and raised alpha.
            let Window { alpha: raised, beta, .. } = split.window();
            if alpha < value && value < beta && raised < beta && !self.is_stopped() {
                value = -self.split_child(split, &next.child, &state, (-beta, -raised));
            }
            if self.is_stopped() {
                split.work().is_torn = true;
                return;
            }
            split.take(value, next.square);
        }
    }

    fn split_child(
        &mut self,
        split: &Split<E::State>,
        child: &Position,
        state: &E::State,
        (alpha, beta): (i32, i32),
    ) -> i32 {
        match split.goal {
            Goal::End(_) => self.endgame(child, state, alpha, beta, split.empties - 1),
            Goal::Depth(depth, _) => {
                // `Value::clamped` would fail: bounds of a full window are beyond all values.
                let [alpha, beta] = [alpha, beta].map(|steps| Value::ZERO.raised(steps));
                self.midgame(child, state, alpha, beta, depth - 1).steps()
            }
        }
    }
}
