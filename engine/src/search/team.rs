//! Teams of searchers: a searcher without a position of its own helps others at split points.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::endgame::ToEnd;
use super::limits::Control;
use super::midgame::ToDepth;
use super::split_search::Split;
use super::{Pruning, Searcher};
use crate::eval::Evaluate;
use crate::simd::Instructions;
use crate::with_instructions;

/// A team of searchers, one for each thread. Idle searchers help busy ones at split points.
#[derive(Debug)]
pub struct Team<'a, E: Evaluate> {
    pub(super) searchers: Vec<Searcher<'a, E>>,
    /// The number of searchers that take jobs and have transposition tables. The others only help.
    pub(super) takers: usize,
}

impl<'a, E: Evaluate> Team<'a, E> {
    /// Sets the pruning of all searchers.
    pub fn select(&mut self, pruning: &Pruning) {
        self.searchers.iter_mut().for_each(|searcher| searcher.select(pruning.clone()));
    }

    /// Calls `work` for every job, with a searcher that has forgotten all earlier searches. Returns
    /// the results in the order of the jobs. A searcher without a job helps one that has a job;
    /// help changes no score, but may change the number of nodes and the choice among equal moves.
    pub fn work<J: Sync, T: Send>(
        &mut self,
        jobs: &[J],
        work: impl Fn(&mut Searcher<'a, E>, &J) -> T + Sync,
    ) -> Vec<T> {
        let afresh = |searcher: &mut Searcher<'a, E>, job: &J| {
            searcher.new_game();
            work(searcher, job)
        };
        self.share(jobs, afresh, false)
    }

    /// Calls `work` once, with one searcher, and returns its result. All other searchers help, even
    /// in searches with ProbCut, whose results then depend on the number of threads. The
    /// transposition table keeps its entries from call to call.
    #[expect(clippy::expect_used, reason = "the only job is taken by the first searcher")]
    pub fn lead<T: Send>(&mut self, work: impl FnOnce(&mut Searcher<'a, E>) -> T + Send) -> T {
        if let [alone] = &mut self.searchers[..] {
            return work(alone);
        }
        let work = Mutex::new(Some(work));
        let only = |searcher: &mut Searcher<'a, E>, (): &()| {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            work.map(|work| work(searcher))
        };
        self.share(&[()], only, true).pop().flatten().expect("a searcher takes the job")
    }

    /// Returns the first searcher of the team.
    pub fn leader(&mut self) -> &mut Searcher<'a, E> {
        &mut self.searchers[0]
    }

    fn share<J: Sync, T: Send>(
        &mut self,
        jobs: &[J],
        work: impl Fn(&mut Searcher<'a, E>, &J) -> T + Sync,
        helps_always: bool,
    ) -> Vec<T> {
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
        let pool =
            (self.searchers.len() > 1).then(|| Arc::new(Pool::new(jobs.len(), helps_always)));
        let takers = self.takers;
        let one = |(place, searcher): (usize, &mut Searcher<'a, E>)| {
            searcher.pool.clone_from(&pool);
            let next = || (place < takers).then(|| next.fetch_add(1, Ordering::Relaxed));
            while let Some(number) = next()
                && let Some(job) = jobs.get(number)
            {
                // The guard also wakes waiting searchers if the last job panics.
                let _done = pool.as_deref().map(JobDone);
                let result = work(searcher, job);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
            }
            if let Some(pool) = searcher.pool.take() {
                with_instructions!(|set| searcher.by(set).help(&pool, None));
            }
        };
        if pool.is_some() {
            // Searchers with jobs must begin first: if threads are few, helpers would block them.
            let (one, searchers) = (&one, self.searchers.iter_mut().enumerate());
            rayon::scope_fifo(|scope| {
                searchers.for_each(|searcher| scope.spawn_fifo(move |_| one(searcher)));
            });
        } else {
            self.searchers.iter_mut().enumerate().for_each(one);
        }
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|&(number, _)| number);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

#[derive(Debug)]
pub(super) struct Pool<S> {
    /// True if idle searchers also help in pruned searches, although help can change their results.
    pub(super) helps_always: bool,
    open: Mutex<Open<S>>,
    changed: Condvar,
    idle: AtomicUsize,
}

#[derive(Debug)]
struct Open<S> {
    splits: Vec<Arc<Split<S>>>,
    unfinished_jobs: usize,
}

impl<S> Pool<S> {
    fn new(jobs: usize, helps_always: bool) -> Self {
        let open = Mutex::new(Open { splits: vec![], unfinished_jobs: jobs });
        Self { helps_always, open, changed: Condvar::new(), idle: AtomicUsize::new(0) }
    }

    fn open(&self) -> MutexGuard<'_, Open<S>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub(super) fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    pub(super) fn offer(&self, split: Arc<Split<S>>) {
        self.open().splits.push(split);
        self.changed.notify_all();
    }

    pub(super) fn withdraw(&self, split: &Arc<Split<S>>) {
        self.open().splits.retain(|other| !Arc::ptr_eq(other, split));
    }

    /// Waits until a split point needs help, then joins and returns it. Without `own`, returns
    /// `None` once all jobs are done. With `own`, a split point of this searcher, returns `None`
    /// once all helpers have left `own`.
    fn next(&self, own: Option<&Arc<Split<S>>>) -> Option<Arc<Split<S>>> {
        let mut open = self.open();
        self.idle.fetch_add(1, Ordering::Relaxed);
        let next = loop {
            let is_done = own.map_or(open.unfinished_jobs == 0, |own| own.is_left());
            if is_done {
                break None;
            }
            if let Some(split) = open.join(own) {
                break Some(split);
            }
            open = self.changed.wait(open).unwrap_or_else(PoisonError::into_inner);
        };
        self.idle.fetch_sub(1, Ordering::Relaxed);
        next
    }

    fn tell(&self) {
        // A searcher that is about to wait holds the lock; it must not miss the notification.
        drop(self.open());
        self.changed.notify_all();
    }
}

impl<S> Open<S> {
    /// Joins and returns the split point that has moves left to search and the most empty squares
    /// (most work). With `own`, considers only `own` and its descendants.
    fn join(&self, own: Option<&Arc<Split<S>>>) -> Option<Arc<Split<S>>> {
        let mut splits: Vec<_> = self.splits.iter().collect();
        splits.retain(|split| own.is_none_or(|own| split.is_below(own)));
        splits.sort_by_key(|split| split.empties);
        splits.into_iter().rev().find(|split| split.join()).cloned()
    }
}

struct JobDone<'p, S>(&'p Pool<S>);

impl<S> Drop for JobDone<'_, S> {
    fn drop(&mut self) {
        // After a panic, perhaps no searcher is left to take the remaining jobs.
        let is_lost = std::thread::panicking();
        let left = |jobs: usize| if is_lost { 0 } else { jobs.saturating_sub(1) };
        let mut open = self.0.open();
        open.unfinished_jobs = left(open.unfinished_jobs);
        drop(open);
        self.0.tell();
    }
}

struct Visit<'p, 's, 'a, E: Evaluate, I: Instructions> {
    pool: &'p Pool<E::State>,
    split: &'p Arc<Split<E::State>>,
    helper: &'s mut Searcher<'a, E, I>,
}

impl<E: Evaluate, I: Instructions> Drop for Visit<'_, '_, '_, E, I> {
    fn drop(&mut self) {
        self.split.leave(self.helper.nodes);
        self.pool.tell();
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Helps at split points until all jobs of the team are done. A searcher that waits at its
    /// split point `own` helps only in the subtree of `own`, until all helpers have left `own`.
    pub(super) fn help(&mut self, pool: &Arc<Pool<E::State>>, own: Option<&Arc<Split<E::State>>>) {
        while let Some(split) = pool.next(own) {
            let kept = (self.split.replace(Arc::clone(&split)), self.nodes, self.pool.clone());
            let table = std::mem::replace(&mut self.table, Arc::clone(&split.table));
            // The limits of the split point have an interrupt flag only if it may end this search.
            let control = Control { is_interruptible: true, ..Control::new(&split.limits, false) };
            let control = std::mem::replace(&mut self.control, control);
            let tuning = std::mem::replace(&mut self.tuning, split.tuning);
            let end = std::mem::replace(&mut self.endgame_probcut, split.endgame_probcut.clone());
            self.nodes = 0;
            self.pool = Some(Arc::clone(pool));
            let visit = Visit { pool, split: &split, helper: self };
            if split.is_to_end {
                visit.helper.search_split::<ToEnd>(&split);
            } else {
                visit.helper.search_split::<ToDepth>(&split);
            }
            drop(visit);
            (self.split, self.nodes, self.pool) = kept;
            (self.table, self.control, self.tuning, self.endgame_probcut) =
                (table, control, tuning, end);
        }
    }
}
