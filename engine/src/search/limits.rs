//! What ends a search before it is done: a number of nodes, a time, or a flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Searcher;
use crate::eval::Evaluate;

/// The limits of a search. They are looked at where a subtree is worth it, so that a search goes on for
/// some milliseconds, or some ten thousand nodes, after it reached one. Those of nodes alone are
/// reproducible, on one thread.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The greatest number of nodes.
    pub nodes: Option<u64>,
    /// The time at which to end.
    pub deadline: Option<Instant>,
    /// The flag that anyone may set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// Whether a search of so many nodes is to end.
    fn are_reached(&self, nodes: u64) -> bool {
        self.nodes.is_some_and(|most| nodes >= most)
            || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether there are any.
    pub(super) fn are_set(&self) -> bool {
        self.nodes.is_some() || self.are_of_time()
    }

    /// Whether there are such that no search is reproducible under.
    pub(super) fn are_of_time(&self) -> bool {
        self.stop.is_some() || self.deadline.is_some()
    }
}

/// Whether a search goes on.
#[derive(Debug, Default)]
pub(super) struct Control {
    pub(super) limits: Limits,
    /// There are limits.
    has_limits: bool,
    /// Limits do not end the search yet: the first move has to be found.
    pub(super) is_patient: bool,
    /// A limit was reached.
    pub(super) is_stopped: bool,
}

impl Control {
    /// A search with these limits, which do not end it before [`Self::is_patient`] says so.
    pub(super) fn new(limits: &Limits, is_patient: bool) -> Self {
        let has_limits = limits.are_set();
        Self { limits: limits.clone(), has_limits, is_patient, is_stopped: false }
    }
}

impl<E: Evaluate> Searcher<'_, E> {
    /// Whether to leave the search: what it finds from now on is of no use, and is not to be kept.
    #[inline]
    pub(super) fn is_stopped(&mut self) -> bool {
        (self.split.is_some() || self.control.has_limits) && self.has_to_stop()
    }

    #[cold]
    fn has_to_stop(&mut self) -> bool {
        if self.split.as_ref().is_some_and(|split| split.is_stopped()) {
            return true;
        }
        let control = &mut self.control;
        if !control.is_patient && !control.is_stopped {
            control.is_stopped = control.limits.are_reached(self.nodes);
        }
        control.is_stopped
    }
}
