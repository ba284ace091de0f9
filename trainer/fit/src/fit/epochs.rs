//! The problem that an optimizer solves, and the loop of a fit, which can be stopped and resumed
//! between any two updates. After each epoch, the loop measures the validation error.

use std::time::{Duration, Instant};

use othello_engine::board::Phase;
use othello_engine::file::Section;
use othello_engine::progress::Progress;
use othello_engine::run::LongPart;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::report::{FittedVector, Metrics, Progress as Best};
use super::settings::Stop;
use super::side_files::SideFiles;
use super::{FitError, MAX_DISCS, Result};
use crate::backend::{Backend, BackendError, RESIDUALS_PER_DISC, Rows, WEIGHTS_PER_OCCURRENCE};

/// The problem of a fit: find the weights w that minimise Σ ω (label − V)² + λ Σ (w − w₀)² over the
/// training positions. A position counts as ω occurrences, and its value V is the sum of its
/// parameters' weights. For a group of phases that share factors, w also includes these factors,
/// which affect V. Initially, w is w₀.
#[derive(Debug)]
pub struct Problem<'a, B: Backend> {
    /// The device that computes the sums over positions and the vector operations of the fit.
    pub backend: &'a B,
    /// The training positions of the fitted phase and, with a smoothing window, of nearby phases.
    /// For a group, the training positions of its phases.
    pub positions: B::Positions<'a>,
    /// The number of positions in `positions`.
    pub count: u64,
    /// The total weight Σ ω of the positions, in occurrences.
    pub occurrences: f64,
    /// The ridge λ, in occurrences: the coefficient of the penalty Σ (weight − initial weight)².
    pub ridge: f64,
    /// The initial weights w₀ in discs, in the backend's order of parameters.
    pub initial: Vec<f64>,
}

impl<'a, B: Backend> Problem<'a, B> {
    /// Creates the problem of fitting weights to the labels of the training positions in `rows`.
    pub fn new(
        backend: &'a B,
        rows: &[Rows<'a>],
        ridge: f64,
        initial: Vec<f64>,
    ) -> Result<Self, BackendError> {
        let weight: u64 = rows.iter().map(Rows::total_weight).sum();
        Ok(Self {
            backend,
            positions: backend.positions(rows)?,
            count: rows.iter().map(|rows| rows.positions.len() as u64).sum(),
            occurrences: weight as f64 / f64::from(WEIGHTS_PER_OCCURRENCE),
            ridge,
            initial,
        })
    }

    pub(super) fn vector(&self, state: &State, name: &str) -> Result<B::Reals> {
        Ok(self.backend.upload(state.vector(name)?)?)
    }

    pub(super) fn state<const N: usize>(
        &self,
        scalars: impl Serialize,
        vectors: [(&str, &B::Reals); N],
    ) -> Result<State, BackendError> {
        let vector =
            |(name, vector): (&str, _)| Ok((name.to_owned(), self.backend.download(vector)?));
        let vectors = vectors.into_iter().map(vector).collect::<Result<_, BackendError>>()?;
        Ok(State { scalars: json!(scalars), vectors })
    }

    /// The product weight · residual of a position that has a weight of 1 occurrence and a residual
    /// of 1 disc, in the backend's units: 1/64 occurrence for weights, 1/1024 disc for residuals.
    pub const SUM_OF_ONE: f64 = RESIDUALS_PER_DISC as f64 * WEIGHTS_PER_OCCURRENCE as f64;

    /// Converts the integer Σ weight · residual² of [`Backend::squared`] to occurrences · discs².
    pub fn squared_discs(squared: u128) -> f64 {
        squared as f64 / f64::from(RESIDUALS_PER_DISC) / Self::SUM_OF_ONE
    }

    /// Returns into how many batches of about `size` positions the positions are divided. A `size`
    /// of 0 means a single batch of all positions.
    pub fn batches(&self, size: u32) -> u32 {
        batches(self.count, size)
    }
}

pub(super) fn batches(count: u64, size: u32) -> u32 {
    match size {
        0 => 1,
        _ => u32::try_from((count / u64::from(size)).max(1)).unwrap_or(u32::MAX),
    }
}

/// Minimises a [`Problem`] by one update after another.
pub trait Solver<B: Backend> {
    /// Does one update of the weights, unless the fit has converged.
    fn advance(&mut self) -> Result<Advance, BackendError>;

    /// Returns the number of complete epochs.
    fn epochs(&self) -> u64;

    /// Returns the current weights in discs, by parameter.
    fn weights(&self) -> &B::Reals;

    /// Returns the state of the solver. A solver restored from it continues exactly like this one.
    fn state(&self) -> Result<State, BackendError>;
}

/// The result of one update of a solver.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Advance {
    /// The weights were updated, but the epoch is not complete: it continues with the next update.
    Update,
    /// The weights were updated, and an epoch is complete: one pass over the training positions, or
    /// several if these are few. The caller adds the phase and the validation errors to the epoch's
    /// metrics.
    Epoch(Metrics),
    /// The solver has converged; the update changed nothing.
    Converged,
}

/// The state of a solver between two updates, from which it can continue.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// The counters and scalars of the solver, as JSON.
    pub scalars: Value,
    /// Named vectors with an element for each parameter. None is named `best`: a [`Snapshot`] uses
    /// this name for the best epoch's weights.
    pub vectors: Vec<(String, Vec<f64>)>,
}

/// The name of a stored [`Snapshot`]'s first section, which contains the scalars of the solver, the
/// metrics of each epoch, and the names of the vectors.
pub(super) const HEAD: &str = "phase";

impl State {
    /// Returns the vector `name` of the solver, such as `weights`; an error if the state lacks it.
    pub fn vector(&self, name: &str) -> Result<&[f64]> {
        let found = self.vectors.iter().find(|(own, _)| own == name);
        found.map(|(_, vector)| vector.as_slice()).ok_or_else(|| FitError::in_section(name))
    }

    /// Returns the scalars of the state as `T`; an error if another type of solver saved them.
    pub fn scalars<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(self.scalars.clone()).map_err(|_| FitError::in_section(HEAD))
    }
}

pub(super) struct Epochs<'a, 'p, B: Backend> {
    pub(super) backend: &'a B,
    pub(super) stop: Stop,
    /// The fitted phase. For a group, its first phase; metrics and errors name the group by it.
    pub(super) phase: Phase,
    pub(super) validation: B::Positions<'p>,
    pub(super) vector: FittedVector,
}

impl<B: Backend> Epochs<'_, '_, B> {
    /// Updates the weights until the solver converges, or the stopping rule or `checkpoints` ends
    /// the fit. Returns an error if `solver` has not completed as many epochs as `self.vector`, the
    /// result so far.
    pub(super) fn run(
        mut self,
        solver: &mut dyn Solver<B>,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<FittedVector> {
        if solver.epochs() != u64::from(self.vector.progress.epochs) {
            return Err(FitError::in_section(HEAD));
        }
        let mut fixed = self.backend.zero_fixed()?;
        let mut ended = None;
        loop {
            let goes_on = checkpoints(ended.take().as_ref(), &|| self.snapshot(solver))?;
            if self.vector.progress.finished || !goes_on {
                return Ok(self.vector);
            }
            match solver.advance()? {
                Advance::Update => {}
                Advance::Epoch(epoch) => ended = Some(self.end_epoch(epoch, solver, &mut fixed)?),
                Advance::Converged => self.vector.progress.finished = true,
            }
        }
    }

    fn end_epoch(
        &mut self,
        epoch: Metrics,
        solver: &dyn Solver<B>,
        fixed: &mut B::Fixed,
    ) -> Result<Metrics> {
        self.check(solver, epoch.epoch)?;
        self.backend.round_weights(solver.weights(), fixed)?;
        let validation = self.backend.errors(&self.validation, fixed)?;
        let (validation_mse, validation_mae) = (validation.mse(), validation.mae());
        let metrics = Metrics { phase: self.phase, validation_mse, validation_mae, ..epoch };
        if self.vector.observe(metrics, &self.stop) {
            self.vector.elements = self.backend.download(solver.weights())?;
        }
        Ok(metrics)
    }

    fn snapshot(&self, solver: &dyn Solver<B>) -> Result<Option<Snapshot>> {
        if self.vector.progress.finished {
            return Ok(None);
        }
        // A diverged state must not be saved for resuming.
        self.check(solver, self.vector.progress.epochs)?;
        Ok(Some(Snapshot { state: solver.state()?, vector: self.vector.clone() }))
    }

    fn check(&self, solver: &dyn Solver<B>, epoch: u32) -> Result<()> {
        let is_sound = (0.0..MAX_DISCS).contains(&self.backend.max_abs(solver.weights())?);
        is_sound.then_some(()).ok_or(FitError::Diverged { phase: self.phase, epoch })
    }
}

/// A function that returns the state of a fit between two updates; `None` after the last update.
pub type Take<'t> = dyn Fn() -> Result<Option<Snapshot>> + 't;

/// A function that a fit calls before each update and after the last one. Its arguments are the
/// metrics of the epoch that has just ended, if any, and a function that returns the state to save.
/// If it returns false, the fit stops. A fit that was stopped and resumed gives the same weights.
pub type Checkpoints<'c> = dyn FnMut(Option<&Metrics>, &Take<'_>) -> Result<bool> + 'c;

/// The [`Checkpoints`] of a fit that runs to its end without saves: always returns true (continue).
pub fn without_stops(_: Option<&Metrics>, _: &Take<'_>) -> Result<bool> {
    Ok(true)
}

pub(super) struct Saver<'s, 'r> {
    part: &'s mut LongPart<'r>,
    deadline: Option<Instant>,
    progress: &'s dyn Progress,
    metrics: Option<&'s SideFiles>,
    /// The number of training positions of the fitted phases, to report positions per second.
    positions: usize,
    epoch_begun: Instant,
    saved: Instant,
    took: Duration,
}

impl<'s, 'r> Saver<'s, 'r> {
    const MIN_PAUSE: Duration = Duration::from_secs(2);
    /// The least time between two saves, as a multiple of the duration of the last save.
    const PAUSE_FACTOR: u32 = 20;

    pub(super) fn new(
        part: &'s mut LongPart<'r>,
        deadline: Option<Instant>,
        progress: &'s dyn Progress,
        (metrics, positions): (Option<&'s SideFiles>, usize),
    ) -> Self {
        let (epoch_begun, saved, took) = (Instant::now(), Instant::now(), Duration::ZERO);
        Self { part, deadline, progress, metrics, positions, epoch_begun, saved, took }
    }

    /// Saves the fit's state if a save is due, or if the fit must stop because the user interrupts
    /// it or its time is over. Returns false if it must stop. Also reports `ended`, the metrics of
    /// an epoch that has just ended.
    pub(super) fn check(&mut self, ended: Option<&Metrics>, snapshot: &Take<'_>) -> Result<bool> {
        if let Some(metrics) = ended {
            self.part.advance(1);
            self.add(metrics)?;
        }
        let begun = Instant::now();
        let stops = self.progress.is_interrupted()
            || self.deadline.is_some_and(|deadline| begun >= deadline);
        let pause = Self::MIN_PAUSE.max(self.took * Self::PAUSE_FACTOR);
        let is_due = ended.is_some() && begun.duration_since(self.saved) >= pause;
        if (stops || is_due)
            && let Some(snapshot) = snapshot()?
        {
            self.part.save(&snapshot.sections())?;
            self.saved = Instant::now();
            self.took = self.saved - begun;
        }
        Ok(!stops)
    }

    fn add(&mut self, metrics: &Metrics) -> Result<()> {
        let Some(file) = self.metrics else { return Ok(()) };
        let seconds = self.epoch_begun.elapsed().as_secs_f64();
        self.epoch_begun = Instant::now();
        self.progress.epoch(&metrics.line(seconds), &metrics.event(seconds, self.positions));
        Ok(file.add(metrics)?)
    }
}

/// The state of an unfinished fit. With the data and the settings, it determines all later updates.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    pub(super) state: State,
    pub(super) vector: FittedVector,
}

#[derive(Serialize, Deserialize)]
struct Head {
    solver: Value,
    best: Best,
    metrics: Vec<Metrics>,
    /// The names of the stored vectors, in order. The last is `best`, the best epoch's weights.
    vectors: Vec<String>,
}

const BEST: &str = "best";
/// The greatest number of vectors in a stored snapshot. All solvers have fewer.
const MOST_VECTORS: usize = 16;
/// The greatest number of vector elements in one section of a stored snapshot. A longer vector has
/// several sections.
const PART: usize = 1 << 22;

impl Snapshot {
    pub(super) fn most_bytes(parameters: usize) -> usize {
        const MOST_OF_HEAD: usize = 16 << 20;
        parameters.saturating_mul(MOST_VECTORS * size_of::<f64>()).saturating_add(MOST_OF_HEAD)
    }

    pub(super) fn or_start(there: Option<Self>, initial: &[f64]) -> (Option<State>, FittedVector) {
        match there {
            Some(Self { state, vector }) => (Some(state), vector),
            None => (None, FittedVector::new(initial)),
        }
    }

    pub(super) fn sections(&self) -> Vec<Section> {
        let names = self.state.vectors.iter().map(|(name, _)| name.clone());
        let head = Head {
            solver: self.state.scalars.clone(),
            best: self.vector.progress,
            metrics: self.vector.metrics.clone(),
            vectors: names.chain([BEST.to_owned()]).collect(),
        };
        // This cannot fail: the head has only finite numbers and texts.
        let text = serde_json::to_vec(&head).unwrap_or_default();
        let mut sections = vec![Section { name: HEAD.to_owned(), content: text }];
        let vectors = self.state.vectors.iter().map(|(_, vector)| vector);
        for (name, vector) in head.vectors.iter().zip(vectors.chain([&self.vector.elements])) {
            for (number, part) in vector.chunks(PART).enumerate() {
                let content = part.iter().flat_map(|value| value.to_le_bytes()).collect();
                sections.push(Section { name: part_name(name, number), content });
            }
        }
        sections
    }

    pub(super) fn from_sections(sections: &[Section], parameters: usize) -> Result<Self> {
        let content = |wanted: &str| {
            let found = sections.iter().find(|section| section.name == wanted);
            found.map(|section| &section.content).ok_or_else(|| FitError::in_section(wanted))
        };
        let vector = |name: &str| {
            let mut values: Vec<f64> = vec![];
            for part in 0..parameters.div_ceil(PART) {
                let (doubles, rest) = content(&part_name(name, part))?.as_chunks();
                values.extend(doubles.iter().copied().map(f64::from_le_bytes));
                let expected = parameters.min((part + 1) * PART);
                let sound = values.iter().all(|value| value.is_finite());
                if values.len() != expected || !rest.is_empty() || !sound {
                    return Err(FitError::in_section(&part_name(name, part)));
                }
            }
            Ok(values)
        };
        let no_head = || FitError::in_section(HEAD);
        let head: Head = serde_json::from_slice(content(HEAD)?).map_err(|_| no_head())?;
        if head.vectors.len() > MOST_VECTORS || !head.best.is_unfinished_after(&head.metrics) {
            return Err(no_head());
        }
        let state = head.vectors.iter().filter(|name| *name != BEST);
        let vectors = state.map(|name| Ok::<_, FitError>((name.clone(), vector(name)?)));
        let state = State { scalars: head.solver, vectors: vectors.collect::<Result<_, _>>()? };
        let (elements, progress, metrics) = (vector(BEST)?, head.best, head.metrics);
        Ok(Self { state, vector: FittedVector { elements, progress, metrics } })
    }
}

fn part_name(vector: &str, number: usize) -> String {
    match number {
        0 => vector.to_owned(),
        _ => format!("{vector} {}", number + 1),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Formerly, a vector that was too long for one section of a stored snapshot was not split.
    #[test]
    fn vectors_longer_than_a_section_are_read_back() {
        let vector: Vec<f64> = (0..PART + 3).map(|n| n as f64).collect();
        let state =
            State { scalars: json!({}), vectors: vec![("weights".to_owned(), vector.clone())] };
        let snapshot = Snapshot { state, vector: FittedVector::new(&vector) };
        let mut sections = snapshot.sections();
        let names: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, [HEAD, "weights", "weights 2", BEST, "best 2"]);
        assert!(Snapshot::from_sections(&sections, vector.len()).unwrap() == snapshot);
        sections.remove(2);
        let refused = Snapshot::from_sections(&sections, vector.len()).unwrap_err().to_string();
        assert!(refused.contains("`weights 2`"), "{refused}");
    }
}
