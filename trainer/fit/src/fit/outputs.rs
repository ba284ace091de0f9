//! The files that a fit writes besides metrics and report, and the check that existing ones belong
//! to it.

use std::fs;
use std::path::{Path, PathBuf};

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsError};
use othello_engine::file::{Existing, FileError, Kind, Provenance, Summary};
use serde_json::json;

use super::checkpoint::{PhaseFile, check_is_own};
use super::report::FitReport;

/// The weights of a fit, and the files beside them while it runs.
pub(super) struct Outputs<'a> {
    weights: &'a Path,
    provenance: Provenance,
}

/// The key of the epochs in the provenance of unfinished weights.
const STOPPED_AFTER_EPOCHS: &str = "stopped_after_epochs";

impl<'a> Outputs<'a> {
    /// Creates the outputs of the fit with this provenance that will write `weights`.
    pub(super) fn new(weights: &'a Path, provenance: Provenance) -> Self {
        Self { weights, provenance }
    }

    /// Returns the provenance: everything that decides the weights.
    pub(super) fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Returns the checkpoint file of an unfinished phase.
    pub(super) fn phase_file(&self, phase: Phase) -> PhaseFile<'static> {
        PhaseFile::new(self.weights, &self.provenance, phase)
    }

    /// Deletes the checkpoint files of phases.
    pub(super) fn remove_phase_files(&self, phases: &[Phase]) -> Result<(), FileError> {
        phases.iter().try_for_each(|&phase| self.phase_file(phase).remove())
    }

    /// Refuses foreign files under the names of the phases' checkpoints and of the unfinished
    /// weights, before they are replaced.
    pub(super) fn check_are_own(&self, phases: &[Phase]) -> Result<(), FileError> {
        phases.iter().try_for_each(|&phase| self.phase_file(phase).check_is_own())?;
        let aside = self.unfinished();
        let is_own = |there: &Provenance| self.is_of_this_fit(there);
        [&aside.with_added_extension("partial"), &aside].into_iter().try_for_each(|path| {
            check_is_own(path, Kind::Weights, is_own, "it was made from other settings")
        })
    }

    /// Returns the path of unfinished weights before they are complete. The usual name of a partial
    /// file is that of the finished weights.
    fn unfinished(&self) -> PathBuf {
        self.weights.with_added_extension("unfinished")
    }

    /// Returns true if a provenance is that of this fit's weights, finished or unfinished.
    fn is_of_this_fit(&self, provenance: &Provenance) -> bool {
        let own = self.provenance.clone();
        *provenance
            == match provenance.get(STOPPED_AFTER_EPOCHS) {
                None => own,
                Some(stopped) => own.with(STOPPED_AFTER_EPOCHS, stopped.clone()),
            }
    }

    /// Writes unfinished weights. Their provenance says so, and names the epoch after which each
    /// phase was stopped: these epochs decide the weights, however long they took. The checkpoints
    /// stay for the next run.
    pub(super) fn write_unfinished(
        &self,
        weights: &Weights,
        report: &FitReport,
    ) -> Result<Summary, WeightsError> {
        let stopped = report.0.iter().filter(|row| row.unfinished);
        let epochs = stopped.map(|row| (row.phase.index().to_string(), json!(row.epochs)));
        let epochs: serde_json::Map<_, _> = epochs.collect();
        let provenance = self.provenance.clone().with(STOPPED_AFTER_EPOCHS, epochs);
        let path = self.unfinished();
        let summary = weights.write(&path, &provenance, Existing::Replace)?;
        fs::rename(&path, self.weights).map_err(FileError::io(&path, "rename it"))?;
        Ok(summary)
    }
}
