//! The metrics file: a JSON line for each epoch of each phase, beside the weights.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_engine::file::{FileError, Provenance, plain};
use serde_json::json;

use super::report::Metrics;

/// The file `WEIGHTS.metrics.jsonl`. Its first line is an object with the fit's provenance; the
/// lines of all phases follow in the order of the phases. A finished fit writes the same bytes with
/// any number of threads and after any number of kills.
pub(super) struct MetricsFile {
    path: PathBuf,
    head: String,
    written: Instant,
}

impl MetricsFile {
    /// The least time between two writes during a fit. Each write replaces the whole file.
    const INTERVAL: Duration = Duration::from_secs(5);

    /// Creates the metrics file of the fit that will write `weights`.
    pub(super) fn new(weights: &Path, provenance: &Provenance) -> Self {
        let head = format!("{{\"provenance\":{}}}\n", provenance.canonical());
        Self { path: path(weights), head, written: Instant::now() }
    }

    /// Refuses a foreign file under this name before it is replaced.
    pub(super) fn check_is_own(&self) -> Result<(), FileError> {
        plain::check_head(&self.path, self.head.as_bytes())
    }

    /// Writes the metrics so far, unless the last write was a moment ago.
    pub(super) fn update<'m>(
        &mut self,
        metrics: impl Iterator<Item = &'m Metrics>,
    ) -> Result<(), FileError> {
        if self.written.elapsed() < Self::INTERVAL { Ok(()) } else { self.write(metrics) }
    }

    /// Writes all metrics.
    pub(super) fn write<'m>(
        &mut self,
        metrics: impl Iterator<Item = &'m Metrics>,
    ) -> Result<(), FileError> {
        let mut text = self.head.clone();
        for line in metrics {
            text += &json!(line).to_string();
            text.push('\n');
        }
        plain::replace(&self.path, text.as_bytes())?;
        self.written = Instant::now();
        Ok(())
    }
}

/// Returns the path of the metrics file of an output.
pub(super) fn path(weights: &Path) -> PathBuf {
    weights.with_added_extension("metrics.jsonl")
}
