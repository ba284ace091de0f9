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
}

/// Hears nothing: for tests, and for callers that want no progress.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &str, _done: u64, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn message(&self, _line: &str) {}
}
