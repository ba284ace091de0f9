//! Fits all phases, in one or two stages. Each stage consists of parts, which are fitted and stored
//! independently of each other:
//!
//! | stage | part | result |
//! |---|---|---|
//! | `fit without factors (epochs)` | phase | the weights with which a fit of factors begins |
//! | `fit (epochs)` | phase | the phase's weights |
//! | `fit factors (epochs)` | group of phases that share factors | its weights and its factors |
//!
//! A fit without factors has only the second of these stages. A fit of factors has the third and,
//! if no initial weights are given, the first before it.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, WeightsFile};
use othello_engine::file::{Existing, Kind, Provenance, Section};
use othello_engine::progress::Progress;
use othello_engine::record::ScoredPosition;
use othello_engine::run::{LongPart, Opened, Plan, Run, Shard, Stage};
use serde_json::json;

use super::epochs::{Checkpoints, Saver, Snapshot, Take, batches};
use super::group::{GroupFit, group_of};
use super::part::{Units, write};
use super::phase::PhaseFit;
use super::report::{FitEnd, FitReport, FittedUnit, FittedVector, Metrics};
use super::settings::{FitSettings, Optimizer};
use super::side_files::SideFiles;
use super::{FitError, Result};
use crate::backend::{Backend, BackendError, Batch, Group, MAX_TOTAL_WEIGHT};
use crate::dataset::Dataset;
use crate::memory::parts_within;
use crate::model::Model;

/// The inputs of a fit.
pub struct Fit<'a> {
    /// The model, which defines the parameters and computes the features of positions.
    pub model: &'a Model,
    /// The positions of all phases, split into training, validation and test.
    pub dataset: &'a Dataset,
    /// The settings of the fit.
    pub settings: &'a FitSettings,
    /// The optimizer that fits the weights.
    pub optimizer: Optimizer,
    /// The initial weights, towards which the ridge (L2 penalty) pulls; `None` means all 0. Phases
    /// outside `phases` keep these weights or, for `None`, get those of the nearest fitted phase.
    pub initial: Option<&'a WeightsFile>,
    /// The phases to fit.
    pub phases: RangeInclusive<Phase>,
    /// The share of the phases (or groups of phases that share factors) that this process fits.
    pub shard: Shard,
    /// The limits of time and memory for the fit.
    pub limits: Limits,
}

/// The limits of a fit's time and memory. They do not affect the weights of a completed fit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The time after which the fit stops and writes its weights so far. The next run continues the
    /// fit.
    pub time: Option<Duration>,
    /// The memory limit in bytes. Several phases fitted at the same time use at most half of it
    /// together; one phase alone may use all of it.
    pub memory: Option<u64>,
}

impl Fit<'_> {
    /// Fits the phases on `backend`, or continues an interrupted fit. Writes weights to `path`, and
    /// metrics and a report beside it. A shard writes only its fitted phases, to `path.parts`.
    /// Refuses to replace files of another fit, unless `existing` allows this.
    pub fn run(
        &self,
        backend: &impl Backend,
        path: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<FitEnd> {
        let units = Units::of(self.model.set(), &self.phases);
        self.check_total_weights(&units)?;
        let plan = self.plan(&units);
        let side_files = SideFiles::new(path, &plan.provenance);
        let last = plan.stages.last().cloned();
        let run = match Run::open(path, plan, self.shard, existing, progress)? {
            Opened::Done(summary) => {
                if let Some(Stage { name, units, .. }) = last {
                    progress.begin(&name, units, units);
                }
                return Ok(FitEnd { report: side_files.read_report()?, summary: Some(summary) });
            }
            Opened::Run(run) => run,
        };
        if existing == Existing::Keep {
            side_files.check_are_own()?;
        }
        let work = Work {
            fit: self,
            backend,
            run: &run,
            units,
            deadline: self.limits.time.and_then(|time| Instant::now().checked_add(time)),
            progress,
            metrics: (!run.is_shard()).then_some(side_files),
            so_far: Mutex::default(),
        };
        let stopped = work.make()?;
        if run.is_shard() {
            if !stopped.is_empty() {
                return Err(FitError::OutOfTime);
            }
            return Ok(FitEnd { report: work.own_report()?, summary: None });
        }
        let so_far = work.so_far.into_inner().unwrap_or_else(PoisonError::into_inner);
        let pack = |run: &Run| write(run, self.initial, so_far, &stopped, progress);
        // `run.pack` removes the parts, which an unfinished fit still needs.
        if stopped.is_empty() { run.pack(pack) } else { pack(&run) }
    }

    /// Returns the stages of the run, and its provenance: the data, settings and initial weights.
    fn plan(&self, units: &Units) -> Plan {
        // Test files affect the report, which has the same provenance, but not the weights.
        let provenance = Provenance::new("fit")
            .with("optimizer", self.optimizer.to_string())
            .with("data", json!(self.dataset.inputs))
            .with("test", json!(self.dataset.test_inputs))
            .with("pattern_set", self.model.set().to_toml())
            .with("settings", self.settings.of(self.optimizer))
            .with("initial", self.initial.map(|file| file.sha256.as_str()))
            .with("phases", json!([self.phases.start(), self.phases.end()]));
        let stage = |name, parts: usize, epochs: u32| {
            Stage::new(name, parts as u64 * u64::from(epochs), epochs.into())
        };
        let without_factors = |optimizer| self.settings.stop(optimizer).epochs;
        let mut stages = vec![];
        if !self.has_factors() {
            stages.push(stage("fit (epochs)", units.len(), without_factors(self.optimizer)));
        } else {
            if self.initial.is_none() {
                let epochs = without_factors(Optimizer::LeastSquares);
                stages.push(stage("fit without factors (epochs)", units.phases().len(), epochs));
            }
            let factors = self.settings.factors.clone().unwrap_or_default();
            stages.push(stage("fit factors (epochs)", units.len(), factors.epochs));
        }
        Plan { kind: Some(Kind::Weights), provenance, stages, growing: None }
    }

    fn initial_weights(&self) -> Option<&Weights> {
        self.initial.map(|file| &file.weights)
    }

    fn check_total_weights(&self, units: &Units) -> Result<()> {
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
        // For a factor, the sums of an update are over a batch with positions of all phases.
        let Some(factors) = self.settings.factors.as_ref().filter(|_| self.has_factors()) else {
            return Ok(());
        };
        let is_too_heavy = |unit: &&Vec<Phase>| {
            let rows = unit.iter().map(|&phase| self.dataset.training(phase));
            has_heavy_batch(&rows.collect::<Vec<_>>(), factors.batch)
        };
        let found = units.iter().find(is_too_heavy);
        found.map_or(Ok(()), |unit| Err(FitError::TooManyInBatch(unit[0])))
    }

    fn has_factors(&self) -> bool {
        self.model.set().factors().is_some()
    }

    /// Returns the number of fits to run at the same time, if their vectors have `length` elements;
    /// an error if the memory limit is too small for one.
    fn at_once(&self, backend: &impl Backend, length: usize) -> Result<usize> {
        // A fit has eight vectors of doubles, a vector of sums and the best weights. To save its
        // state, it copies four vectors, and needs the same memory again for their bytes.
        const BYTES_PER_ELEMENT: u64 = 8 * 18 + 4;
        let threads = rayon::current_num_threads().min(backend.at_once(length)).max(1);
        let Some(memory) = self.limits.memory else { return Ok(threads) };
        // The other data of a fit, such as its metrics, are small.
        let bytes = (length as u64).saturating_mul(BYTES_PER_ELEMENT);
        if bytes > memory {
            return Err(FitError::OutOfMemory { needed_mb: bytes.div_ceil(1 << 20) });
        }
        Ok(parts_within(memory / 2, bytes, threads).max(1))
    }
}

/// Returns true if the total weight of a batch's positions is above [`MAX_TOTAL_WEIGHT`], so that
/// sums over the batch could overflow. `rows` has the positions of each phase; `size` is the
/// approximate number of positions in a batch, or 0 for a single batch of all positions.
fn has_heavy_batch(rows: &[&[ScoredPosition]], size: u32) -> bool {
    let batches = batches(rows.iter().map(|rows| rows.len() as u64).sum(), size);
    let weight = |number| {
        let batch = Batch::new(number, batches).unwrap_or(Batch::WHOLE);
        let rows = rows.iter().flat_map(|rows| &rows[batch.range(rows.len())]);
        rows.map(|row| u64::from(row.weight().steps())).sum::<u64>()
    };
    (0..batches).any(|number| weight(number) > MAX_TOTAL_WEIGHT)
}

struct Work<'a, B> {
    fit: &'a Fit<'a>,
    backend: &'a B,
    run: &'a Run,
    units: Units,
    deadline: Option<Instant>,
    progress: &'a dyn Progress,
    /// The metrics file; `None` for a shard, because other shards could write the same file.
    metrics: Option<SideFiles>,
    so_far: Mutex<Vec<FittedUnit>>,
}

const START_SECTION: &str = "start";

impl<B: Backend> Work<'_, B> {
    /// Fits all phases whose results are not stored yet. Returns the phases that are unfinished
    /// because the time limit was reached.
    fn make(&self) -> Result<Vec<Phase>> {
        let (model, last) = (self.fit.model, self.run.plan.stages.len() - 1);
        let largest = |unit: &Vec<Phase>| Group::largest_length(model, unit.len());
        let length = self.units.iter().filter_map(largest).max().unwrap_or(model.parameters());
        let at_once = self.fit.at_once(self.backend, length)?;
        if last > 0 {
            let phases: Vec<_> = self.units.phases().into_iter().map(|phase| vec![phase]).collect();
            let at_once = self.fit.at_once(self.backend, model.parameters())?;
            let stopped = self.make_stage(0, &phases, at_once, |part, phase| {
                self.fit_phase(part, phase[0], true)
            })?;
            if !stopped.is_empty() {
                return Err(FitError::OutOfTime);
            }
        }
        self.make_stage(last, &self.units, at_once, |part, unit| match model.set().factors() {
            Some(_) => self.fit_group(part, unit),
            None => self.fit_phase(part, unit[0], false),
        })
    }

    fn make_stage(
        &self,
        stage: usize,
        units: &[Vec<Phase>],
        at_once: usize,
        make: impl Fn(&mut LongPart<'_>, &[Phase]) -> Result<bool> + Sync,
    ) -> Result<Vec<Phase>> {
        let mut missing = self.run.missing(stage);
        // Parts with the most positions go first, so that no thread waits long for the last part.
        missing.sort_by_cached_key(|&part| {
            let unit = units[part as usize].iter();
            let positions = unit.map(|&phase| self.fit.dataset.training(phase).len());
            (std::cmp::Reverse(positions.sum::<usize>()), part)
        });
        let unfinished = self.run.make_parts(stage, missing, at_once, self.progress, |part| {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
            make(part, &units[part.index as usize])
        })?;
        self.progress.check()?;
        Ok(unfinished.iter().flat_map(|&part| units[part as usize].clone()).collect())
    }

    /// Fits a phase; returns false if the fit was stopped. With `is_start`, fits it without
    /// factors, so that a fit of factors can start from the weights.
    fn fit_phase(&self, part: &mut LongPart<'_>, phase: Phase, is_start: bool) -> Result<bool> {
        let &Fit { model, dataset, settings, optimizer, .. } = self.fit;
        if dataset.training(phase).is_empty() {
            return Ok(true);
        }
        // A fit from which a fit of factors starts writes no metrics; the fit of factors does.
        let (optimizer, initial, metrics) = match is_start {
            true => (Optimizer::LeastSquares, None, None),
            false => (optimizer, self.fit.initial_weights(), self.metrics.as_ref()),
        };
        let backend = self.backend;
        let fit = PhaseFit { backend, model, dataset, settings, optimizer, initial, phase };
        let run = |resumed, checkpoints: &mut Checkpoints<'_>| fit.run(resumed, checkpoints);
        let watched = (metrics, dataset.training(phase).len());
        let vector = self.resumable(part, (phase, model.parameters()), watched, run)?;
        if !is_start {
            let unit = |vector| Ok(FittedUnit { phases: vec![fit.finish(vector)?], factors: None });
            return self.finish(part, vector, unit);
        }
        if vector.progress.finished {
            let steps = vector.steps().into_iter().flat_map(i16::to_le_bytes);
            part.section(START_SECTION, &steps.collect::<Vec<_>>())?;
        }
        Ok(vector.progress.finished)
    }

    fn fit_group(&self, part: &mut LongPart<'_>, unit: &[Phase]) -> Result<bool> {
        let (&Fit { model, dataset, settings, .. }, backend) = (self.fit, self.backend);
        let Some(group) = group_of(backend, model, dataset, unit)? else { return Ok(true) };
        let (first, length) = (group.phases[0], group.length());
        let start = group.phases.iter().map(|&phase| self.start(phase));
        let (start, initial) = (start.collect::<Result<_, _>>()?, self.fit.initial_weights());
        let fit = GroupFit { backend, model, dataset, settings, group, start, initial };
        let run = |resumed, checkpoints: &mut Checkpoints<'_>| fit.run(resumed, checkpoints);
        let positions = unit.iter().map(|&phase| dataset.training(phase).len()).sum();
        let watched = (self.metrics.as_ref(), positions);
        let vector = self.resumable(part, (first, length), watched, run)?;
        self.finish(part, vector, |vector| fit.finish(&vector))
    }

    fn start(&self, phase: Phase) -> Result<Vec<i16>> {
        let model = self.fit.model;
        if let Some(file) = self.fit.initial {
            return Ok(model.from_file(file.weights.steps(phase)));
        }
        let index = phase.index() - self.fit.phases.start().index();
        let mut reader = self.run.part(0, index as u64)?;
        let section = reader.next().transpose()?;
        let content = section.filter(|own| own.name == START_SECTION).map(|own| own.content);
        let (steps, _) = content.as_deref().unwrap_or_default().as_chunks();
        let steps: Vec<i16> = steps.iter().map(|&step| i16::from_le_bytes(step)).collect();
        if steps.len() == model.parameters() {
            return Ok(steps);
        }
        let reason = format!("has {} weights; expected {}", steps.len(), model.parameters());
        Err(reader.meaningless(reason).into())
    }

    /// Makes a fit by `run`, from the state that an interrupted fit saved for `part`. Starts anew,
    /// with `None`, if there is no such state or if it is invalid.
    fn resumable(
        &self,
        part: &mut LongPart<'_>,
        (phase, length): (Phase, usize),
        watched: (Option<&SideFiles>, usize),
        run: impl Fn(Option<Snapshot>, &mut Checkpoints<'_>) -> Result<FittedVector>,
    ) -> Result<FittedVector> {
        let path = part.snapshot_path();
        let anew = |error: &FitError| {
            let path = path.display();
            self.progress.message(&format!("{path}: {error}; phase {phase} starts again"));
        };
        let most = Snapshot::most_bytes(length);
        let resumed = part.snapshot(most)?.map(|there| Snapshot::from_sections(&there, length));
        let resumed = resumed.and_then(|read| read.inspect_err(anew).ok());
        let epochs = resumed.as_ref().map_or(0, |there: &Snapshot| there.vector.progress.epochs);
        part.advance(epochs.into());
        let mut saver = Saver::new(part, self.deadline, self.progress, watched);
        let mut checkpoints = |ended: Option<&Metrics>, take: &Take<'_>| saver.check(ended, take);
        match run(resumed, &mut checkpoints) {
            Err(error @ FitError::Snapshot(_)) => {
                anew(&error);
                run(None, &mut checkpoints)
            }
            end => end,
        }
    }

    /// Writes the result of a finished fit to `part`, and returns true. Otherwise returns false; if
    /// the time limit stopped the fit after one epoch or more, keeps the result in `so_far`.
    fn finish(
        &self,
        part: &mut LongPart<'_>,
        vector: FittedVector,
        measure: impl FnOnce(FittedVector) -> Result<FittedUnit, BackendError>,
    ) -> Result<bool> {
        let is_finished = vector.progress.finished;
        if !is_finished && (vector.progress.epochs == 0 || self.progress.is_interrupted()) {
            return Ok(false);
        }
        let unit = measure(vector)?;
        if is_finished {
            for Section { name, content } in unit.sections() {
                part.section(&name, &content)?;
            }
        } else {
            self.so_far.lock().unwrap_or_else(PoisonError::into_inner).push(unit);
        }
        Ok(is_finished)
    }

    fn own_report(&self) -> Result<FitReport> {
        let stage = self.run.plan.stages.len() - 1;
        let mut rows = vec![];
        for index in self.run.own(stage) {
            let (part, phases) = (self.run.part(stage, index)?, &self.units[index as usize]);
            let unit = FittedUnit::read(part, self.fit.model, phases)?;
            rows.extend(unit.phases.into_iter().map(|fitted| fitted.report));
        }
        Ok(FitReport(rows))
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::board::Position;
    use othello_engine::record::{Label, Weight};

    use super::*;

    #[test]
    fn the_weight_of_a_batch_is_limited_not_that_of_a_group() {
        let (label, weight) = (Label::of_score(2).unwrap(), Weight::new(u16::MAX).unwrap());
        let rows = vec![ScoredPosition::new(Position::START, label, weight); 70_000];
        assert!(has_heavy_batch(&[&rows, &rows], 0));
        assert!(!has_heavy_batch(&[&rows], 0));
        assert!(!has_heavy_batch(&[&rows, &rows], 10_000));
    }
}
