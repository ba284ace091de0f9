//! How long work says how far it is, without knowing who listens.

/// Listens to long work. The command line draws bars with it; [`Silent`] hears nothing.
///
/// Work is a sequence of stages. A new stage ends the one before it.
pub trait Progress: Sync {
    /// A stage of `total` units (games, positions, iterations) begins. `done` of them were finished
    /// by an earlier run that is now resumed: they count, but not towards the rate.
    fn begin(&self, stage: &str, done: u64, total: u64);

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

/// Hears nothing: for tests, and for callers that want no progress.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &str, _done: u64, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn message(&self, _line: &str) {}
}
