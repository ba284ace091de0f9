//! A run: its weights, with the side files of its fit.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;

use othello_engine::eval::{Weights, WeightsError, WeightsFile};
use othello_engine::file::{FileError, read_ordinary};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::WeightsSummary;
use othello_fit::fit::{FitReport, Metrics, side_files};

/// The content of a run.
#[derive(Serialize)]
pub struct Run {
    name: String,
    sha256: String,
    provenance: Map<String, Json>,
    /// The result of the fit of each phase; `None` if its file is missing.
    phases: Option<FitReport>,
    /// The metrics of all epochs; `None` if their file is missing.
    metrics: Option<Vec<Metrics>>,
    weights: WeightsSummary,
}

#[derive(Deserialize)]
struct Stored {
    phases: FitReport,
}

impl Run {
    /// Reads weights and their side files; keeps the most frequent `classes` of each pattern.
    pub fn read(path: &Path, classes: usize) -> Result<Self, WeightsError> {
        let WeightsFile { weights, provenance, sha256 } = Weights::read(path)?;
        let [metrics, report] = side_files(path);
        Ok(Self {
            name: path.display().to_string(),
            sha256,
            provenance: provenance.as_map().clone(),
            phases: read_beside(&report, |text| {
                serde_json::from_str(text).map(|stored: Stored| stored.phases)
            })?,
            metrics: read_beside(&metrics, |text| {
                text.lines().skip(1).map(serde_json::from_str).collect()
            })?,
            weights: WeightsSummary::new(&weights, classes),
        })
    }

    /// Returns true if the report of the fit exists.
    pub fn has_report(&self) -> bool {
        self.phases.is_some()
    }
}

fn read_beside<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Result<Option<T>, WeightsError> {
    let unreadable = |reason: &dyn Display| {
        let remedy = "remove it to have the page without it";
        FileError::refused(path, format!("cannot be read: {reason}; {remedy}"))
    };
    let bytes = match read_ordinary(path, LONGEST) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            return Ok(None);
        }
        bytes => bytes?,
    };
    let text = str::from_utf8(&bytes).map_err(|error| unreadable(&error))?;
    Ok(Some(parse(text).map_err(|error| unreadable(&error))?))
}

/// The most bytes of a side file: a hundred thousand epochs of every phase.
const LONGEST: u64 = 1 << 30;
