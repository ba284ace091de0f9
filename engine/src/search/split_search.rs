//! Parallel search at split points, by young brothers wait (YBWC): once the first move of a node is
//! searched, idle searchers share the remaining moves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Searcher;
use super::limits::Limits;
use super::ordering::{Move, Moves, Tuning};
use super::probcut::ProbCutSettings;
use super::pvs::SearchMode;
use super::table::Table;
use super::window::Window;
use crate::eval::{Evaluate, Value};
use crate::simd::Instructions;

/// A split point: a node whose moves several searchers share, each taking one after another.
#[derive(Debug)]
pub(super) struct Split<S> {
    pub(super) above: Option<Arc<Split<S>>>,
    pub(super) state: S,
    pub(super) empties: u32,
    pub(super) is_to_end: bool,
    depth: u32,
    pub(super) tuning: Tuning,
    pub(super) endgame_probcut: ProbCutSettings,
    /// The transposition table of the searcher that owns the node; helpers also use it.
    pub(super) table: Arc<Table>,
    pub(super) limits: Limits,
    is_stopped: AtomicBool,
    work: Mutex<Work>,
}

#[derive(Debug)]
struct Work {
    moves: Moves,
    window: Window,
    /// The number of searchers that help at this node, not counting the searcher that owns it.
    helpers: usize,
    /// The number of nodes that helpers searched here, added as each helper leaves; complete once
    /// `helpers` is 0.
    nodes: u64,
    /// True if a searcher stopped during the search of a move, which therefore has no value.
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

    fn next_move(&self) -> Option<(Move, Value)> {
        let mut work = self.work();
        if self.is_stopped() {
            return None;
        }
        let next = work.moves.take_best()?;
        Some((next, work.window.alpha))
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns whether to make the node a split point: a searcher is idle, at least two moves
    /// remain, and help cannot change the final value (`is_shareable`) or is always allowed
    /// (`helps_always`). A search with a node limit is never shared, so that it is reproducible.
    #[inline]
    pub(super) fn is_help_welcome(&self, moves: &Moves, is_shareable: bool) -> bool {
        self.pool
            .as_ref()
            .is_some_and(|pool| pool.has_idle() && (is_shareable || pool.helps_always))
            && moves.len() > 1
            && self.control.limits.nodes.is_none()
    }

    /// Searches `moves` together with idle searchers. Returns the window after these searches, with
    /// the best move and a raised alpha; returns `window` unchanged if the search was stopped.
    pub(super) fn share<K: SearchMode<E, I>>(
        &mut self,
        (state, empties, depth): (&E::State, u32, u32),
        moves: Moves,
        window: Window,
    ) -> Window {
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
            is_to_end: K::IS_TO_END,
            depth,
            tuning: self.tuning,
            endgame_probcut: self.endgame_probcut.clone(),
            table: Arc::clone(&self.table),
            limits,
            is_stopped: AtomicBool::new(false),
            work: Mutex::new(Work { moves, window, helpers: 0, nodes: 0, is_torn: false }),
        });
        pool.offer(Arc::clone(&split));
        self.split = Some(Arc::clone(&split));
        self.search_split::<K>(&split);
        if self.is_stopped() {
            split.stop();
        }
        pool.withdraw(&split);
        self.help(&pool, Some(&split));
        self.split.clone_from(&split.above);
        let work = split.work();
        self.nodes += work.nodes;
        let is_cut = work.window.best.value >= work.window.beta;
        if is_cut || !work.is_torn && work.moves.is_empty() {
            return work.window;
        }
        if !self.is_stopped() {
            // A helper abandoned a move at a limit, which then also ends this search.
            self.control.is_stopped = true;
        }
        window
    }

    pub(super) fn search_split<K: SearchMode<E, I>>(&mut self, split: &Split<E::State>) {
        while let Some((next, alpha)) = split.next_move() {
            let state = self.evaluator.after(&split.state, next.square, next.flips);
            let (child, depth) = (&next.child, split.depth - 1);
            let null = (-(alpha + K::STEP), -alpha);
            let mut value = -K::child(self, child, &state, null, depth);
            // Meanwhile, another searcher may have found a better move and raised alpha.
            let Window { alpha: raised, beta, .. } = split.work().window;
            if alpha < value && value < beta && raised < beta && !self.is_stopped() {
                value = -K::child(self, child, &state, (-beta, -raised), depth);
            }
            if self.is_stopped() {
                split.work().is_torn = true;
                return;
            }
            if split.work().window.take(value, next.square) {
                split.stop();
            }
        }
    }
}
