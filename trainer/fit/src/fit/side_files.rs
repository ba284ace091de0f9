//! The plain files beside the weights: the metrics, a JSON line for each epoch of each phase, and
//! the report, the result of the fit of each phase. A later run that finds the weights complete
//! reads the report.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_engine::file::{FileError, Provenance, plain, read_ordinary};
use serde::Deserialize;
use serde_json::json;

use super::report::{FitReport, Metrics};

/// Returns the paths of the plain files that a fit writes beside its weights: metrics and report.
pub fn side_files(weights: &Path) -> [PathBuf; 2] {
    ["metrics.jsonl", "report.json"].map(|extension| weights.with_added_extension(extension))
}

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
        let [path, _] = side_files(weights);
        Self { path, head, written: Instant::now() }
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

/// The file `WEIGHTS.report.json`: a JSON object with the fit's provenance and its phases.
pub(super) struct ReportFile {
    path: PathBuf,
    head: String,
}

/// The error of a missing or foreign report beside complete weights.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {source}; the weights are complete, and this is not the report of their fit: fit them \
     again with --force, or name another output", path.display()
)]
pub struct ReportError {
    path: PathBuf,
    source: io::Error,
}

#[derive(Deserialize)]
struct Stored {
    phases: FitReport,
}

impl ReportFile {
    /// Creates the report file of the fit that will write `weights`.
    pub(super) fn new(weights: &Path, provenance: &Provenance) -> Self {
        let [_, path] = side_files(weights);
        Self { path, head: format!("{{\"provenance\":{},\n", provenance.canonical()) }
    }

    /// Refuses a foreign file under this name before it is replaced.
    pub(super) fn check_is_own(&self) -> Result<(), FileError> {
        plain::check_head(&self.path, self.head.as_bytes())
    }

    /// Writes a report, one line for each phase.
    pub(super) fn write(&self, report: &FitReport) -> Result<(), FileError> {
        let rows: Vec<String> = report.0.iter().map(|row| json!(row).to_string()).collect();
        let text = format!("{}\"phases\":[\n{}\n]}}\n", self.head, rows.join(",\n"));
        plain::replace(&self.path, text.as_bytes())
    }

    /// Reads the report of weights that an earlier run has completed.
    pub(super) fn read(&self) -> Result<FitReport, ReportError> {
        let error = |source| ReportError { path: self.path.clone(), source };
        let text = read_ordinary(&self.path, LONGEST).map_err(|problem| match problem {
            FileError::Io { source, .. } => error(source),
            other => error(io::Error::other(other)),
        })?;
        if !text.starts_with(self.head.as_bytes()) {
            return Err(error(io::Error::other("made from other settings, or by another program")));
        }
        let stored: Stored = serde_json::from_slice(&text).map_err(|e| error(e.into()))?;
        Ok(stored.phases)
    }
}

/// The largest report that is read, in bytes: its provenance may list a hundred thousand inputs.
const LONGEST: u64 = 64 << 20;
