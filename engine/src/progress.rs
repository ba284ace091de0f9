//! How long work reports how far it is, whoever observes it.

use std::path::Path;
#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

/// Observes long work. The command line draws bars with it; [`Silent`] shows nothing.
///
/// Work is a sequence of stages. A new stage ends the one before it.
pub trait Progress: Sync {
    /// A stage of `total` units begins. Its name ends with the unit in parentheses: `solve
    /// (positions)`, `import (bytes)`. `done` units were finished by an earlier run that is now
    /// resumed: they count, but not towards the rate.
    fn begin(&self, stage: &str, done: u64, total: u64);

    /// A stage begins that stops between its units: it asks [`Self::check`] before each, so that an
    /// interrupt can wait for the units at hand.
    fn begin_stoppable(&self, stage: &str, done: u64, total: u64) {
        self.begin(stage, done, total);
    }

    /// A stage begins that reads a file of so many bytes.
    fn begin_file(&self, path: &Path, bytes: u64) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.begin(&format!("{name} (bytes)"), 0, bytes);
    }

    /// `units` more are finished. May be called from any thread.
    fn advance(&self, units: u64);

    /// A line that the reader must see, such as a warning.
    fn message(&self, line: &str);

    /// Passes on a warning, if there is one.
    fn warn(&self, warning: Option<String>) {
        if let Some(line) = warning {
            self.message(&line);
        }
    }

    /// Whether somebody wants the work to stop. Work that keeps what it has finished asks before
    /// each unit, from any thread.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// [`Interrupted`] where somebody wants the work to stop.
    fn check(&self) -> Result<(), Interrupted> {
        if self.is_interrupted() { Err(Interrupted) } else { Ok(()) }
    }
}

/// Work was stopped between two units because somebody wanted it to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Shows nothing: for tests, and for callers that want no progress.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &str, _done: u64, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn message(&self, _line: &str) {}
}

/// Wants the work to stop after some units, and remembers what was reported.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct StopAfter {
    units: u64,
    finished: AtomicU64,
    begun_with: AtomicU64,
}

#[cfg(test)]
impl StopAfter {
    pub(crate) fn units(units: u64) -> Self {
        Self { units, ..Self::default() }
    }

    /// How many units were finished since.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::SeqCst)
    }

    /// How many an earlier run had finished.
    pub(crate) fn begun_with(&self) -> u64 {
        self.begun_with.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
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
