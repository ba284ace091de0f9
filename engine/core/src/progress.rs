//! The interface by which long work reports its progress.

use std::path::Path;

use serde_json::{Map, Value};

/// An observer of long work. Work is a sequence of stages; a new stage ends the previous one.
pub trait Progress: Sync {
    /// Begins a stage, such as `solve (positions)`, of `total` units. An earlier run has finished
    /// `done` of them, which do not count for the speed.
    fn begin(&self, stage: &str, done: u64, total: u64);

    /// Begins a stage that can stop between units: its code calls [`Self::check`] before each unit.
    fn begin_stoppable(&self, stage: &str, done: u64, total: u64) {
        self.begin(stage, done, total);
    }

    /// Begins a stage that reads a file of `bytes` bytes.
    fn begin_file(&self, path: &Path, bytes: u64) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.begin(&format!("{name} (bytes)"), 0, bytes);
    }

    /// Reports that `units` further units are finished. May be called from any thread.
    fn advance(&self, units: u64);

    /// Shows a line that the user must see, such as a warning.
    fn message(&self, line: &str);

    /// Reports the end of an epoch of a fit, as a line of text and as the fields of a JSON event.
    fn epoch(&self, _line: &str, _fields: &Map<String, Value>) {}

    /// Shows a warning, if one is given.
    fn warn(&self, warning: Option<String>) {
        warning.iter().for_each(|line| self.message(line));
    }

    /// Returns whether the work should stop. May be called from any thread.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Returns [`Interrupted`] if the work should stop.
    fn check(&self) -> Result<(), Interrupted> {
        if self.is_interrupted() { Err(Interrupted) } else { Ok(()) }
    }
}

/// The error of work that was stopped between two units on request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// An observer that shows nothing, for tests and for callers that want no progress.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &str, _done: u64, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn message(&self, _line: &str) {}
}
