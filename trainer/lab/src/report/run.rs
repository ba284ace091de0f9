//! A run: its weights, with the files that its fit left beside them.

use std::io;
use std::path::{Path, PathBuf};

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

/// Errors of reading a run.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RunError {
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error("{}: cannot read it: {source}; take it away to have the page without it", path.display())]
    Side { path: PathBuf, source: io::Error },
}

#[derive(Deserialize)]
struct Stored {
    phases: FitReport,
}

impl Run {
    /// Reads weights and the files beside them; keeps for each pattern the `classes` that training
    /// met most often.
    pub fn read(path: &Path, classes: usize) -> Result<Self, RunError> {
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

    /// Returns true if the report of the fit is beside the weights.
    pub fn has_report(&self) -> bool {
        self.phases.is_some()
    }
}

fn read_beside<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Result<Option<T>, RunError> {
    let failed = |source| RunError::Side { path: path.to_owned(), source };
    match read_ordinary(path, LONGEST) {
        Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(FileError::Io { source, .. }) => Err(failed(source)),
        Err(error) => Err(failed(io::Error::other(error))),
        Ok(bytes) => {
            let text = str::from_utf8(&bytes).map_err(|error| failed(io::Error::other(error)))?;
            parse(text).map(Some).map_err(|error| failed(error.into()))
        }
    }
}

/// The most bytes that are read of a file beside weights: the metrics of a hundred thousand epochs
/// of every phase.
const LONGEST: u64 = 1 << 30;
