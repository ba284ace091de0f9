//! The report file beside the weights: the result of the fit of each phase. A later run that finds
//! the weights complete reads it.

use std::io;
use std::path::{Path, PathBuf};

use othello_engine::file::{FileError, Provenance, plain, read_ordinary};
use serde::Deserialize;
use serde_json::json;

use super::report::FitReport;

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
        Self {
            path: path(weights),
            head: format!("{{\"provenance\":{},\n", provenance.canonical()),
        }
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

/// Returns the path of the report of an output.
pub(super) fn path(weights: &Path) -> PathBuf {
    weights.with_added_extension("report.json")
}
