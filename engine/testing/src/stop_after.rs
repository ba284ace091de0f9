//! A progress observer that interrupts work before it is complete.

use std::sync::atomic::{AtomicU64, Ordering};

use othello_engine::progress::Progress;

/// An observer that stops the work after some units, and records the progress that the work
/// reports.
#[derive(Debug, Default)]
pub struct StopAfter {
    units: u64,
    finished: AtomicU64,
    begun_with: AtomicU64,
}

impl StopAfter {
    /// Creates an observer that stops each stage after `units` units.
    pub fn units(units: u64) -> Self {
        Self { units, ..Self::default() }
    }

    /// Returns the number of units finished since the stage began.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::SeqCst)
    }

    /// Returns the number of units that an earlier run had finished.
    pub fn begun_with(&self) -> u64 {
        self.begun_with.load(Ordering::SeqCst)
    }
}

impl Progress for StopAfter {
    fn begin(&self, _stage: &str, done: u64, _total: u64) {
        self.begun_with.store(done, Ordering::SeqCst);
        self.finished.store(0, Ordering::SeqCst);
    }

    fn advance(&self, units: u64) {
        self.finished.fetch_add(units, Ordering::SeqCst);
    }

    fn message(&self, _line: &str) {}

    fn is_interrupted(&self) -> bool {
        self.finished() >= self.units
    }
}
