//! What stands beside the weights: the report, and the metrics of every pass.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{FitError, FitReport, Metrics};

impl FitReport {
    /// Writes the report beside the weights, for a later run that finds them complete.
    pub(super) fn write(&self, weights: &Path) -> Result<(), FitError> {
        let path = Self::path(weights);
        let written = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = written.and_then(|text| fs::write(&path, text));
        written.map_err(|source| FitError::Beside { path, source })
    }

    pub(super) fn read(weights: &Path) -> Result<Self, FitError> {
        let path = Self::path(weights);
        let read = fs::read(&path).and_then(|text| Ok(serde_json::from_slice(&text)?));
        read.map_err(|source| FitError::Beside { path, source })
    }

    fn path(weights: &Path) -> PathBuf {
        weights.with_added_extension("report.json")
    }
}

/// Metrics as JSON lines beside the weights.
pub(super) struct MetricsFile {
    path: PathBuf,
    file: File,
}

impl MetricsFile {
    pub(super) fn open(weights: &Path, fresh: bool) -> Result<Self, FitError> {
        let path = weights.with_added_extension("metrics.jsonl");
        let mut options = fs::OpenOptions::new();
        options.create(true).append(!fresh).write(true).truncate(fresh);
        match options.open(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(FitError::Beside { path, source }),
        }
    }

    pub(super) fn write(&mut self, lines: &[Metrics]) -> Result<(), FitError> {
        let mut text = vec![];
        for line in lines {
            // A line is a plain record of numbers.
            text.extend(serde_json::to_vec(line).unwrap_or_default());
            text.push(b'\n');
        }
        let written = self.file.write_all(&text);
        written.map_err(|source| FitError::Beside { path: self.path.clone(), source })
    }
}
