//! The metrics file: a line of JSON for each epoch of each phase, beside the weights.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_engine::file::{FileError, Provenance, plain};
use serde_json::json;

use super::report::Metrics;

/// The file `WEIGHTS.metrics.jsonl`. Its first line is an object with the fit's provenance; the
/// lines of all phases follow in the order of the phases. Whatever kills there were and however
/// many threads: the file of a finished fit has the same bytes.
pub(super) struct MetricsFile {
    path: PathBuf,
    head: String,
    written: Instant,
}

impl MetricsFile {
    /// How old the file may become while phases are fitted: the whole of it is written anew.
    const INTERVAL: Duration = Duration::from_secs(5);

    /// The metrics file of the fit that will write `weights`.
    pub(super) fn new(weights: &Path, provenance: &Provenance) -> Self {
        let head = format!("{{\"provenance\":{}}}\n", provenance.canonical());
        Self { path: path(weights), head, written: Instant::now() }
    }

    /// Refuses a file of somebody else where this one belongs, before it is replaced.
    pub(super) fn check_is_own(&self) -> Result<(), FileError> {
        plain::check_head(&self.path, self.head.as_bytes())
    }

    /// Writes the metrics so far, if that was not done a moment ago.
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

/// The path of the metrics file of an output.
pub(super) fn path(weights: &Path) -> PathBuf {
    weights.with_added_extension("metrics.jsonl")
}
