//! The fit of all phases: in parallel, resumable, into one weights file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsError, WeightsFile};
use othello_engine::file::{Begin, Existing, FileError, Kind, Provenance, Summary, Writer, remedy};
use othello_engine::progress::{Interrupted, Progress};
use rayon::prelude::*;
use serde_json::json;

use super::checkpoint::{Checkpoint, CheckpointError};
use super::{FitReport, FitSettings, FittedPhase, Metrics, PhaseReport, fit_phase};
use crate::backend::{Backend, BackendError, MAX_TOTAL_WEIGHT};
use crate::dataset::{Dataset, Input};
use crate::model::Model;

/// Everything that a fit needs.
pub struct Fit<'a> {
    /// What the parameters are.
    pub model: &'a Model,
    /// The positions.
    pub dataset: &'a Dataset,
    /// How to fit.
    pub settings: &'a FitSettings,
    /// Where to start, and what the ridge pulls towards; its pattern set is the model's. Phases
    /// that are not fitted keep these weights.
    pub initial: Option<&'a WeightsFile>,
    /// Which phases to fit.
    pub phases: RangeInclusive<Phase>,
}

/// Why a fit fails.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// Nothing to fit.
    #[error("none of the phases {0} to {1} has training positions: check the data and --phases")]
    NoPositions(Phase, Phase),
    /// More data than the sums hold.
    #[error("phase {0} has too many training positions in its window; narrow the --window")]
    TooMany(Phase),
    /// The work was stopped; the phases it had finished are kept.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// The device gave up.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The weights cannot be written.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The output is in the way, or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The metrics or the report cannot be read or written.
    #[error("{}: {source}{}", path.display(), remedy("write it", source))]
    Beside {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Fit<'_> {
    /// Fits all phases on `backend` and writes the weights to `path`. Phases that a killed run had finished are
    /// taken over from its checkpoint. Beside the weights stand the
    /// metrics (`path` + `.metrics.jsonl`) and the report (`path` + `.report.json`).
    pub fn run(
        &self,
        backend: &impl Backend,
        path: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<(Summary, FitReport), FitError> {
        self.check_total_weights()?;
        let provenance = self.provenance();
        let initial = self.initial.map(|file| &file.weights);
        // The output is claimed first: what stands in the way is said before the work, not after.
        let writer = match Writer::begin(path, Kind::Weights, &provenance, existing)? {
            Begin::Done(summary) => return Ok((summary, FitReport::read(path)?)),
            Begin::Writer(writer) => writer,
        };
        let (checkpoint, finished) =
            Checkpoint::open(path, &provenance, existing, self.model.parameters())?;
        progress.warn(checkpoint.warning());
        let metrics = MetricsFile::open(path, finished.is_empty())?;
        let mut fitted: BTreeMap<Phase, FittedPhase> =
            finished.into_iter().map(|phase| (phase.report.phase, phase)).collect();
        let wanted: Vec<Phase> = Phase::all().filter(|phase| self.phases.contains(phase)).collect();
        let missing: Vec<Phase> =
            wanted.iter().copied().filter(|phase| !fitted.contains_key(phase)).collect();
        progress.begin("fit, phases", fitted.len() as u64, wanted.len() as u64);
        let output = Mutex::new((checkpoint, metrics));
        let work = |&phase: &Phase| -> Result<Option<(Phase, FittedPhase)>, FitError> {
            progress.check()?;
            let mut lines = vec![];
            let log = |line| lines.push(line);
            let fitted =
                fit_phase(backend, self.model, self.dataset, self.settings, initial, phase, log)?;
            if let Some(fitted) = &fitted {
                let mut output = output.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let (checkpoint, metrics) = &mut *output;
                metrics.write(&lines)?;
                checkpoint.push(phase, fitted)?;
            }
            progress.advance(1);
            Ok(fitted.map(|fitted| (phase, fitted)))
        };
        // The middle phases have most positions: they go first, so that no thread waits at the end.
        let mut order = missing;
        order.sort_by_key(|phase| (std::cmp::Reverse(self.dataset.training(*phase).len()), *phase));
        for result in order.par_iter().with_max_len(1).map(work).collect::<Vec<_>>() {
            fitted.extend(result?);
        }
        let (weights, report) = self.assemble(&fitted)?;
        report.write(path)?;
        let summary = weights.write_to(writer)?;
        let (checkpoint, _) =
            output.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        checkpoint.remove()?;
        Ok((summary, report))
    }

    /// What decides the weights.
    fn provenance(&self) -> Provenance {
        let input = |input: &Input| json!({"sha256": input.sha256, "weight": input.weight});
        let inputs = |inputs: &[Input]| inputs.iter().map(input).collect::<Vec<_>>();
        // The test decides nothing but the report, which stands beside the weights: with another
        // test it would be another report.
        Provenance::new("fit")
            .with("optimizer", "lsq")
            .with("data", inputs(self.dataset.inputs()))
            .with("test", inputs(self.dataset.test_inputs()))
            .with("pattern_set", self.model.set().to_toml())
            .with("settings", json!(self.settings))
            .with("initial", self.initial.map(|file| file.sha256.as_str()))
            .with("phases", json!([self.phases.start(), self.phases.end()]))
    }

    fn check_total_weights(&self) -> Result<(), FitError> {
        for phase in Phase::all().filter(|phase| self.phases.contains(phase)) {
            let near = self.settings.window.around(phase);
            let rows = near.flat_map(|(near, _)| self.dataset.training(near));
            let total: u64 = rows.map(|row| u64::from(row.weight().steps())).sum();
            if total > MAX_TOTAL_WEIGHT {
                return Err(FitError::TooMany(phase));
            }
        }
        Ok(())
    }

    /// Puts the phases together; one without positions takes the nearest fitted one's weights
    /// (the earlier of two), one outside `phases` keeps the initial weights if there are any.
    fn assemble(
        &self,
        fitted: &BTreeMap<Phase, FittedPhase>,
    ) -> Result<(Weights, FitReport), FitError> {
        let none = || FitError::NoPositions(*self.phases.start(), *self.phases.end());
        let mut weights = self
            .initial
            .map(|file| file.weights.clone())
            .unwrap_or_else(|| Weights::zero(self.model.set().clone()));
        let mut rows = vec![];
        for phase in Phase::all() {
            let distance = |other: &&Phase| other.index().abs_diff(phase.index());
            let nearest = *fitted.keys().min_by_key(distance).ok_or_else(none)?;
            let source = &fitted[&nearest];
            let wanted = self.phases.contains(&phase);
            if wanted || self.initial.is_none() {
                weights.set_steps(phase, |parameter| source.steps[parameter]);
            }
            if nearest == phase {
                weights.set_counts(phase, |parameter| source.counts[parameter]);
            }
            if wanted {
                let copied = || PhaseReport::copied(phase, nearest);
                rows.push(fitted.get(&phase).map_or_else(copied, |own| own.report.clone()));
            }
        }
        Ok((weights, FitReport(rows)))
    }
}

impl FitReport {
    /// Writes the report beside the weights, for a later run that finds them complete.
    fn write(&self, weights: &Path) -> Result<(), FitError> {
        let path = Self::path(weights);
        let written = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = written.and_then(|text| fs::write(&path, text));
        written.map_err(|source| FitError::Beside { path, source })
    }

    fn read(weights: &Path) -> Result<Self, FitError> {
        let path = Self::path(weights);
        let read = fs::read(&path).and_then(|text| Ok(serde_json::from_slice(&text)?));
        read.map_err(|source| FitError::Beside { path, source })
    }

    fn path(weights: &Path) -> PathBuf {
        weights.with_added_extension("report.json")
    }
}

/// Metrics as JSON lines beside the weights.
struct MetricsFile {
    path: PathBuf,
    file: File,
}

impl MetricsFile {
    fn open(weights: &Path, fresh: bool) -> Result<Self, FitError> {
        let path = weights.with_added_extension("metrics.jsonl");
        let mut options = fs::OpenOptions::new();
        options.create(true).append(!fresh).write(true).truncate(fresh);
        match options.open(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(source) => Err(FitError::Beside { path, source }),
        }
    }

    fn write(&mut self, lines: &[Metrics]) -> Result<(), FitError> {
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
