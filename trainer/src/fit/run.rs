//! The fit of all phases: in parallel, resumable, into one weights file.

use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsError, WeightsFile};
use othello_engine::file::{Begin, Existing, FileError, Kind, Provenance, Summary, Writer, remedy};
use othello_engine::progress::{Interrupted, Progress};
use serde_json::json;

use super::assembly::Assembly;
use super::beside::MetricsFile;
use super::checkpoint::{Checkpoint, CheckpointError};
use super::phase::{PhaseEnd, PhaseError, PhaseFit};
use super::unfinished::Unfinished;
use super::{FitReport, FitSettings, Optimizer};
use crate::backend::{Backend, MAX_TOTAL_WEIGHT};
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
    /// By what.
    pub optimizer: Optimizer,
    /// Where to start, and what the ridge pulls towards; its pattern set is the model's. Phases
    /// that are not fitted keep these weights.
    pub initial: Option<&'a WeightsFile>,
    /// Which phases to fit.
    pub phases: RangeInclusive<Phase>,
    /// How much the fit may use.
    pub limits: Limits,
}

/// What a fit may use. None of it decides the weights of a fit that runs to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// How long it may run. What has not come to its end by then goes into the weights as it
    /// stands, and is left to be gone on with by the next run.
    pub time: Option<Duration>,
    /// The bytes that the fit may hold. The phases at work take half of it, or what one of them needs.
    pub memory: Option<u64>,
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
    /// A phase cannot be fitted.
    #[error(transparent)]
    Phase(#[from] PhaseError),
    /// The time was up before anything was there.
    #[error(
        "the time was up before any phase had completed a pass; the same command goes on from where \
         it stopped: give it more --minutes"
    )]
    OutOfTime,
    /// Too little memory for a single phase.
    #[error("the fit of one phase takes {needed} MB; raise --memory-mb")]
    OutOfMemory {
        /// In megabytes of 2²⁰ bytes.
        needed: u64,
    },
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
    /// Fits all phases on `backend` and writes the weights to `path`. Where a killed run had got to
    /// is taken over from its checkpoints. Beside the weights stand the metrics (`path` +
    /// `.metrics.jsonl`) and the report (`path` + `.report.json`).
    pub fn run(
        &self,
        backend: &impl Backend,
        path: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<(Summary, FitReport), FitError> {
        let deadline = self.limits.time.and_then(|time| Instant::now().checked_add(time));
        self.check_total_weights()?;
        let provenance = self.provenance();
        // The output is claimed first: what stands in the way is said before the work, not after.
        let writer = match Writer::begin(path, Kind::Weights, &provenance, existing)? {
            Begin::Done(summary) => return Ok((summary, FitReport::read(path)?)),
            Begin::Writer(writer) => writer,
        };
        let (checkpoint, finished) =
            Checkpoint::open(path, &provenance, existing, self.model.parameters())?;
        progress.warn(checkpoint.warning());
        let metrics = MetricsFile::open(path, finished.is_empty())?;
        let wanted: Vec<Phase> = Phase::all().filter(|phase| self.phases.contains(phase)).collect();
        if existing == Existing::Replace {
            self.remove_unfinished(path, &provenance, &wanted)?;
        }
        progress.begin_stoppable("fit (phases)", finished.len() as u64, wanted.len() as u64);
        let mut fitted = Assembly::new(self.weights_to_begin_with());
        finished.into_iter().for_each(|phase| fitted.insert(phase));
        let mut missing: Vec<Phase> =
            wanted.iter().copied().filter(|phase| !fitted.contains(*phase)).collect();
        // The middle phases have most positions: they go first, so that no thread waits at the end.
        missing.sort_by_key(|p| (std::cmp::Reverse(self.dataset.training(*p).len()), *p));
        let work = Work {
            fit: self,
            backend,
            path,
            provenance: &provenance,
            deadline,
            progress,
            shared: Mutex::new(Shared {
                missing: missing.into_iter(),
                fitted,
                stopped: vec![],
                checkpoint,
                metrics,
                failed: None,
            }),
        };
        let shared = work.run(self.parallel_phases()?)?;
        progress.check()?;
        let (fitted, stopped) = (shared.fitted, &shared.stopped);
        let assembled = fitted.finish(&self.phases, self.initial.is_some(), stopped);
        let (weights, report) = assembled.ok_or_else(|| match **stopped {
            [] => FitError::NoPositions(*self.phases.start(), *self.phases.end()),
            [..] => FitError::OutOfTime,
        })?;
        report.write(path)?;
        if !shared.stopped.is_empty() {
            let summary = write_unfinished(&weights, path, &provenance, &report)?;
            writer.leave();
            return Ok((summary, report));
        }
        let summary = weights.write_to(writer)?;
        shared.checkpoint.remove()?;
        self.remove_unfinished(path, &provenance, &wanted)?;
        Ok((summary, report))
    }

    /// How many phases may be at work at once.
    fn parallel_phases(&self) -> Result<usize, FitError> {
        let threads = rayon::current_num_threads();
        let Some(memory) = self.limits.memory else { return Ok(threads) };
        // Seven vectors of doubles, a vector of sums and the best weights; four more vectors while
        // the phase is kept, and their bytes.
        const BYTES_PER_PARAMETER: u64 = 8 * 17 + 4;
        let one = self.model.parameters() as u64 * BYTES_PER_PARAMETER;
        if one > memory {
            return Err(FitError::OutOfMemory { needed: one.div_ceil(1 << 20) });
        }
        Ok(usize::try_from(memory / 2 / one).unwrap_or(usize::MAX).clamp(1, threads))
    }

    fn remove_unfinished(
        &self,
        path: &Path,
        provenance: &Provenance,
        phases: &[Phase],
    ) -> Result<(), FitError> {
        for &phase in phases {
            Unfinished::new(path, provenance, phase).remove()?;
        }
        Ok(())
    }

    /// What decides the weights.
    fn provenance(&self) -> Provenance {
        let input = |input: &Input| json!({"sha256": input.sha256, "weight": input.weight});
        let inputs = |inputs: &[Input]| inputs.iter().map(input).collect::<Vec<_>>();
        // The test decides nothing but the report, which stands beside the weights: with another
        // test it would be another report.
        Provenance::new("fit")
            .with("optimizer", self.optimizer.name())
            .with("data", inputs(self.dataset.inputs()))
            .with("test", inputs(self.dataset.test_inputs()))
            .with("pattern_set", self.model.set().to_toml())
            .with("settings", self.settings.of(self.optimizer))
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

    fn weights_to_begin_with(&self) -> Weights {
        let initial = self.initial.map(|file| file.weights.clone());
        initial.unwrap_or_else(|| Weights::zero(self.model.set().clone()))
    }
}

/// Writes weights that are not finished. Their provenance says so, and after which passes each phase
/// was stopped: that decides them, however long the passes took. What the next run needs stays.
fn write_unfinished(
    weights: &Weights,
    path: &Path,
    provenance: &Provenance,
    report: &FitReport,
) -> Result<Summary, FitError> {
    let stopped = report.0.iter().filter(|row| row.unfinished);
    let passes = stopped.map(|row| (row.phase.index().to_string(), json!(row.iterations)));
    let passes: serde_json::Map<_, _> = passes.collect();
    let provenance = provenance.clone().with("stopped_after_passes", passes);
    // Under a name of its own: the usual one belongs to the finished weights.
    let aside = path.with_added_extension("unfinished");
    let writer = match Writer::begin(&aside, Kind::Weights, &provenance, Existing::Replace)? {
        Begin::Writer(writer) => writer,
        Begin::Done(summary) => return Ok(summary),
    };
    let summary = weights.write_to(writer)?;
    let renamed = std::fs::rename(&aside, path);
    renamed.map_err(|source| FitError::Beside { path: aside, source })?;
    Ok(summary)
}

/// The phases at work.
struct Work<'a, B> {
    fit: &'a Fit<'a>,
    backend: &'a B,
    path: &'a Path,
    provenance: &'a Provenance,
    deadline: Option<Instant>,
    progress: &'a dyn Progress,
    shared: Mutex<Shared>,
}

/// What the workers share.
struct Shared {
    missing: std::vec::IntoIter<Phase>,
    fitted: Assembly,
    /// The phases that the time was too short for.
    stopped: Vec<Phase>,
    checkpoint: Checkpoint,
    metrics: MetricsFile,
    failed: Option<FitError>,
}

impl<B: Backend> Work<'_, B> {
    /// Fits all phases, `at_once` at a time: no more are ever begun, so memory is bounded, although
    /// the sums of a phase may use all threads.
    fn run(self, at_once: usize) -> Result<Shared, FitError> {
        let worker = &self;
        rayon::scope(|scope| (0..at_once).for_each(|_| scope.spawn(|_| worker.work())));
        let shared = self.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        match shared.failed {
            Some(error) => Err(error),
            None => Ok(shared),
        }
    }

    /// Takes one phase after another until none is left or one has failed.
    fn work(&self) {
        loop {
            let phase = {
                let mut shared = self.lock();
                let phase = shared.missing.next();
                if shared.failed.is_some() { None } else { phase }
            };
            let Some(phase) = phase else { return };
            if let Err(error) = self.fit_phase(phase) {
                self.lock().failed = Some(error);
            }
        }
    }

    fn fit_phase(&self, phase: Phase) -> Result<(), FitError> {
        self.progress.check()?;
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.lock().stopped.push(phase);
            return Ok(());
        }
        let &Fit { model, dataset, settings, optimizer, initial, .. } = self.fit;
        let initial = initial.map(|file| &file.weights);
        let backend = self.backend;
        let fit = PhaseFit { backend, model, dataset, settings, optimizer, initial, phase };
        let mut unfinished =
            Unfinished::new(self.path, self.provenance, phase).until(self.deadline, self.progress);
        let resumed = unfinished.read(model.parameters(), |line| self.progress.message(line));
        let end = match fit.run(resumed, &mut unfinished) {
            Err(PhaseError::Foreign(error)) => {
                self.progress.message(&unfinished.anew(&error));
                fit.run(None, &mut unfinished)
            }
            end => end,
        };
        let PhaseEnd { fitted, metrics, stopped } = end?;
        let mut shared = self.lock();
        if stopped {
            shared.stopped.push(phase);
        } else if let Some(fitted) = &fitted {
            shared.metrics.write(&metrics)?;
            shared.checkpoint.push(phase, fitted)?;
            unfinished.remove()?;
        }
        if let Some(fitted) = fitted {
            shared.fitted.insert(fitted);
        }
        self.progress.advance(1);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
