//! The fit of all phases: in parallel, resumable, into one weights file.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsError, WeightsFile};
use othello_engine::file::{Begin, Existing, FileError, Kind, Provenance, Summary, Writer};
use othello_engine::progress::{Interrupted, Progress};
use othello_engine::record::Shard;
use serde_json::json;

use super::assembly::Assembly;
use super::checkpoint::{CheckpointError, Finished, PhaseFile, Snapshot};
use super::epochs::PhaseError;
use super::group::{FittedGroup, GroupEnd, GroupFit, group_of};
use super::optimizer::Optimizer;
use super::outputs::Outputs;
use super::parts::write_part;
use super::phase::{PhaseEnd, PhaseFit};
use super::report::FitReport;
use super::settings::FitSettings;
use super::side_files::{MetricsFile, ReportError, ReportFile};
use super::units::{Units, UnitsError};
use crate::backend::{Backend, Group, MAX_TOTAL_WEIGHT};
use crate::dataset::{Dataset, Input};
use crate::model::Model;

/// The inputs of a fit.
pub struct Fit<'a> {
    /// The parameters.
    pub model: &'a Model,
    /// The positions.
    pub dataset: &'a Dataset,
    /// The settings.
    pub settings: &'a FitSettings,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// The weights to start from, which the ridge pulls towards; their pattern set is the model's.
    /// Phases that are not fitted keep these weights; without them, such phases take over those of
    /// the nearest fitted phase.
    pub initial: Option<&'a WeightsFile>,
    /// The phases to fit.
    pub phases: RangeInclusive<Phase>,
    /// The part of these phases to fit, if several machines share them. The output is then a part
    /// for [`super::merge_parts`].
    pub shard: Option<Shard>,
    /// The limits of time and memory.
    pub limits: Limits,
}

/// The limits of time and memory of a fit. Neither decides the weights of a fit that runs to its
/// end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The longest time that the fit may run. Phases that are unfinished by then go into the
    /// weights as they are, and the next run resumes them.
    pub time: Option<Duration>,
    /// The number of bytes that the fit may hold. Running phases use half of it, or as much as one
    /// phase needs.
    pub memory: Option<u64>,
}

/// Errors of a fit.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// There is nothing to fit.
    #[error("none of the phases {0} to {1} has training positions: check the data and --phases")]
    NoPositions(Phase, Phase),
    /// The data is more than the sums can hold.
    #[error("phase {0} has too many training positions in its window; narrow the --window")]
    TooMany(Phase),
    /// The data is more than the sums of factors can hold.
    #[error(
        "the phases from {0} on that share factors have too many training positions together; make the \
         groups of the pattern set smaller"
    )]
    TooManyInGroup(Phase),
    /// The work was stopped; finished phases are kept.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// A phase cannot be fitted.
    #[error(transparent)]
    Phase(#[from] PhaseError),
    /// The time was up before any phase had completed an epoch.
    #[error(
        "the time was up before any phase had completed an epoch; the same command goes on from \
         where it stopped: give it more --minutes"
    )]
    OutOfTime,
    /// There are more shards than units of work.
    #[error(transparent)]
    Shard(#[from] UnitsError),
    /// There is too little memory for a single phase.
    #[error("the fit of one phase takes {needed} MB; raise --memory-mb")]
    OutOfMemory {
        /// The memory that a phase needs, in megabytes of 2²⁰ bytes.
        needed: u64,
    },
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The weights cannot be written.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// An output is in the way, or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The weights are complete, but their report cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// The name of the work in progress messages.
const PHASES: &str = "fit (phases)";

impl Fit<'_> {
    /// Fits all phases, or those of the shard, on `backend` and writes the weights, or the part, to
    /// `path`. Takes over the phases that a killed run had finished from its checkpoints. Writes
    /// the metrics (`path` + `.metrics.jsonl`) and the report (`path` + `.report.json`) beside the
    /// weights. Refuses foreign files under all these names, unless `existing` allows replacing
    /// them.
    pub fn run(
        &self,
        backend: &impl Backend,
        path: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<(Summary, FitReport), FitError> {
        let deadline = self.limits.time.and_then(|time| Instant::now().checked_add(time));
        let units = Units::of(self.model, &self.phases, self.shard)?;
        let wanted = units.phases();
        self.check_total_weights(&units)?;
        let outputs = Outputs::new(path, self.provenance());
        let provenance = outputs.provenance();
        let report_file = ReportFile::new(path, provenance);
        // The outputs are claimed first, so that an obstacle is reported before the work, not after
        // it.
        let kind = if self.shard.is_some() { Kind::Checkpoint } else { Kind::Weights };
        let writer = match Writer::begin(path, kind, provenance, existing)? {
            Begin::Done(summary) => {
                let report = report_file.read()?;
                progress.begin(PHASES, wanted.len() as u64, wanted.len() as u64);
                return Ok((summary, report));
            }
            Begin::Writer(writer) => writer,
        };
        let metrics_file = MetricsFile::new(path, provenance);
        match existing {
            Existing::Replace => outputs.remove_phase_files(&wanted)?,
            Existing::Keep => {
                report_file.check_is_own()?;
                metrics_file.check_is_own()?;
                outputs.check_are_own(&wanted)?;
            }
        }
        let (finished_file, finished) = Finished::open(path, provenance, existing, self.model)?;
        progress.warn(finished_file.warning());
        progress.begin_stoppable(PHASES, finished.phases.len() as u64, wanted.len() as u64);
        let mut fitted = Assembly::new(self.weights_to_begin_with());
        fitted.insert_found(finished);
        let mut missing = units.into_inner();
        missing.retain(|unit| unit.iter().any(|&phase| !fitted.contains(phase)));
        // The middle phases have most positions. They go first, so that no thread waits at the end.
        let positions = |unit: &Vec<Phase>| -> usize {
            unit.iter().map(|&phase| self.dataset.training(phase).len()).sum()
        };
        missing.sort_by_cached_key(|unit| (std::cmp::Reverse(positions(unit)), unit[0]));
        let work = Work {
            fit: self,
            backend,
            outputs: &outputs,
            deadline,
            progress,
            shared: Mutex::new(Shared {
                missing: missing.into_iter(),
                fitted,
                stopped: vec![],
                finished_file,
                metrics_file,
                failed: None,
            }),
        };
        let mut shared = work.run(self.parallel_phases()?)?;
        progress.check()?;
        shared.metrics_file.write(shared.fitted.metrics())?;
        if self.shard.is_some() {
            if !shared.stopped.is_empty() {
                return Err(FitError::OutOfTime);
            }
            let report = shared.fitted.report();
            report_file.write(&report)?;
            let summary = write_part(writer, &shared.fitted, progress)?;
            shared.finished_file.remove()?;
            outputs.remove_phase_files(&wanted)?;
            return Ok((summary, report));
        }
        let assembled = shared.fitted.finish(&self.phases, self.initial.is_some(), &shared.stopped);
        let (weights, report) = assembled.ok_or_else(|| match *shared.stopped {
            [] => FitError::NoPositions(*self.phases.start(), *self.phases.end()),
            [..] => FitError::OutOfTime,
        })?;
        report_file.write(&report)?;
        if !shared.stopped.is_empty() {
            let summary = outputs.write_unfinished(&weights, &report)?;
            writer.leave();
            return Ok((summary, report));
        }
        let summary = weights.write_to(writer)?;
        shared.finished_file.remove()?;
        outputs.remove_phase_files(&wanted)?;
        Ok((summary, report))
    }

    /// Returns the number of phases, or of groups of phases, that may run at once.
    fn parallel_phases(&self) -> Result<usize, FitError> {
        let threads = rayon::current_num_threads();
        let Some(memory) = self.limits.memory else { return Ok(threads) };
        let units = Units::all(self.model).into_inner().into_iter();
        let lengths = units.filter_map(|unit| Group::largest_length(self.model, unit.len()));
        let one = bytes_per_phase(lengths.max().unwrap_or(self.model.parameters()));
        if one.get() > memory {
            return Err(FitError::OutOfMemory { needed: one.get().div_ceil(1 << 20) });
        }
        Ok(usize::try_from(memory / 2 / one).unwrap_or(usize::MAX).clamp(1, threads))
    }

    /// Returns the provenance of the weights: everything that decides them.
    fn provenance(&self) -> Provenance {
        let input = |input: &Input| json!({"sha256": input.sha256, "weight": input.weight});
        let inputs = |inputs: &[Input]| inputs.iter().map(input).collect::<Vec<_>>();
        // The test files decide nothing but the report beside the weights, which is another one
        // with other test files.
        let whole = Provenance::new("fit")
            .with("optimizer", self.optimizer.name())
            .with("data", inputs(self.dataset.inputs()))
            .with("test", inputs(self.dataset.test_inputs()))
            .with("pattern_set", self.model.set().to_toml())
            .with("settings", self.settings.of(self.optimizer))
            .with("initial", self.initial.map(|file| file.sha256.as_str()))
            .with("phases", json!([self.phases.start(), self.phases.end()]));
        match self.shard {
            None => whole,
            Some(shard) => whole.with("shard", shard.to_string()),
        }
    }

    fn check_total_weights(&self, units: &Units) -> Result<(), FitError> {
        let total = |rows: &[Phase]| -> u64 {
            let rows = rows.iter().flat_map(|&phase| self.dataset.training(phase));
            rows.map(|row| u64::from(row.weight().steps())).sum()
        };
        for phase in units.phases() {
            let near = self.settings.window.around(phase).map(|(near, _)| near);
            if total(&near.collect::<Vec<_>>()) > MAX_TOTAL_WEIGHT {
                return Err(FitError::TooMany(phase));
            }
        }
        // The sums of factors go over all phases that share them.
        match units.iter().find(|unit| total(unit) > MAX_TOTAL_WEIGHT) {
            Some(unit) => Err(FitError::TooManyInGroup(unit[0])),
            None => Ok(()),
        }
    }

    fn weights_to_begin_with(&self) -> Weights {
        let initial = self.initial.map(|file| file.weights.clone());
        initial.unwrap_or_else(|| Weights::zero(self.model.set().clone()))
    }
}

/// Returns the number of bytes that a running phase takes with this number of parameters.
fn bytes_per_phase(parameters: usize) -> NonZeroU64 {
    // Eight vectors of doubles, a vector of sums and the best weights; four more vectors while the
    // phase is saved, and their bytes.
    const BYTES_PER_PARAMETER: u64 = 8 * 18 + 4;
    // At least 1, so that nothing divides by zero. Lines of metrics and everything else are small.
    NonZeroU64::MIN.saturating_add((parameters as u64).saturating_mul(BYTES_PER_PARAMETER))
}

/// The fit of all units of phases by parallel workers.
struct Work<'a, B> {
    fit: &'a Fit<'a>,
    backend: &'a B,
    outputs: &'a Outputs<'a>,
    deadline: Option<Instant>,
    progress: &'a dyn Progress,
    shared: Mutex<Shared>,
}

/// The state that the workers share.
struct Shared {
    /// The units that no worker has begun.
    missing: std::vec::IntoIter<Vec<Phase>>,
    fitted: Assembly,
    /// The phases that ran out of time.
    stopped: Vec<Phase>,
    finished_file: Finished,
    metrics_file: MetricsFile,
    failed: Option<FitError>,
}

impl<B: Backend> Work<'_, B> {
    /// Fits all units, `at_once` at a time. Never begins more than that, so memory is bounded,
    /// although the sums of a phase may use all threads.
    fn run(self, at_once: usize) -> Result<Shared, FitError> {
        let worker = &self;
        rayon::scope(|scope| (0..at_once).for_each(|_| scope.spawn(|_| worker.work())));
        let shared = self.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        match shared.failed {
            Some(error) => Err(error),
            None => Ok(shared),
        }
    }

    /// Fits one unit after another until none is left or one has failed.
    fn work(&self) {
        loop {
            let unit = {
                let mut shared = self.lock();
                let unit = shared.missing.next();
                if shared.failed.is_some() { None } else { unit }
            };
            let Some(unit) = unit else { return };
            if let Err(error) = self.fit_unit(&unit) {
                self.lock().failed = Some(error);
            }
        }
    }

    fn fit_unit(&self, unit: &[Phase]) -> Result<(), FitError> {
        self.progress.check()?;
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.lock().stopped.extend(unit);
            return Ok(());
        }
        match self.fit.model.set().factors() {
            Some(_) => self.fit_group(unit)?,
            None => unit.iter().try_for_each(|&phase| self.fit_phase(phase))?,
        }
        self.progress.advance(unit.len() as u64);
        Ok(())
    }

    fn fit_phase(&self, phase: Phase) -> Result<(), FitError> {
        let &Fit { model, dataset, settings, optimizer, initial, .. } = self.fit;
        let initial = initial.map(|file| &file.weights);
        let backend = self.backend;
        let fit = PhaseFit { backend, model, dataset, settings, optimizer, initial, phase };
        let PhaseEnd { fitted, stopped } =
            self.resumable(phase, model.parameters(), |resumed, file| fit.run(resumed, file))?;
        let shared = &mut *self.lock();
        if stopped {
            shared.stopped.push(phase);
        } else if let Some(fitted) = &fitted {
            shared.finished_file.push(fitted)?;
            self.outputs.phase_file(phase).remove()?;
        }
        if let Some(fitted) = fitted {
            shared.fitted.insert(fitted);
            shared.metrics_file.update(shared.fitted.metrics())?;
        }
        Ok(())
    }

    fn fit_group(&self, unit: &[Phase]) -> Result<(), FitError> {
        let &Fit { model, dataset, settings, initial, .. } = self.fit;
        let group = group_of(self.backend, model, dataset, unit).map_err(PhaseError::from)?;
        let Some(group) = group else { return Ok(()) };
        let (first, length) = (group.phases()[0], group.length());
        let initial = initial.map(|file| &file.weights);
        let backend = self.backend;
        let fit = GroupFit { backend, model, dataset, settings, initial, group };
        let GroupEnd { fitted, stopped } =
            self.resumable(first, length, |resumed, file| fit.run(resumed, file))?;
        let shared = &mut *self.lock();
        if stopped {
            shared.stopped.extend(unit);
        } else if let Some(fitted) = &fitted {
            shared.finished_file.push_group(fitted)?;
            self.outputs.phase_file(first).remove()?;
        }
        if let Some(FittedGroup { phases, factors, group }) = fitted {
            shared.fitted.insert_factors(group, &factors);
            phases.into_iter().for_each(|phase| shared.fitted.insert(phase));
            shared.metrics_file.update(shared.fitted.metrics())?;
        }
        Ok(())
    }

    /// Runs a fit from the state in the file of its phase, or from the beginning if that cannot be
    /// used.
    fn resumable<End>(
        &self,
        phase: Phase,
        length: usize,
        run: impl Fn(Option<Snapshot>, &mut PhaseFile<'_>) -> Result<End, PhaseError>,
    ) -> Result<End, PhaseError> {
        let mut file = self.outputs.phase_file(phase).until(self.deadline, self.progress);
        let resumed = file.read(length, |line| self.progress.message(line));
        match run(resumed, &mut file) {
            Err(PhaseError::Mismatch(error)) => {
                self.progress.message(&file.anew(&error));
                run(None, &mut file)
            }
            end => end,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
