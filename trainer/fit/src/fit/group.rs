//! The fit of a group of phases that share factors. Least squares first fits each phase without
//! factors; Adam then fits all phases of the group together with their factors.

use othello_engine::board::Phase;
use othello_engine::eval::{
    FACTORS_PER_UNIT, MAX_FACTOR, Weights, nearest_weight, own_worth, weight_in_discs,
};
use othello_engine::random::Generator;
use othello_engine::record::ScoredPosition;

use super::adam::{Adam, Memory};
use super::best::Best;
use super::checkpoint::{Checkpointer, NoCheckpoints, Snapshot};
use super::epochs::{Epochs, PhaseError};
use super::measure::{Measured, counts};
use super::optimizer::Optimizer;
use super::phase::PhaseFit;
use super::report::{FittedPhase, Metrics};
use super::settings::FitSettings;
use super::solver::Problem;
use crate::backend::{Backend, BackendError, Group, Rows};
use crate::dataset::Dataset;
use crate::model::Model;

/// The inputs of the fit of a group of phases.
pub(super) struct GroupFit<'a, B> {
    pub(super) backend: &'a B,
    pub(super) model: &'a Model,
    pub(super) dataset: &'a Dataset,
    pub(super) settings: &'a FitSettings,
    /// The weights to start from; without them, those that least squares finds.
    pub(super) initial: Option<&'a Weights>,
    /// The phases with training positions, and the parameters that are fitted.
    pub(super) group: Group,
}

/// Determines the phases and parameters of a group that are fitted. `None` if the phases have no
/// training positions or the model has no factors.
pub(super) fn group_of<B: Backend>(
    backend: &B,
    model: &Model,
    dataset: &Dataset,
    phases: &[Phase],
) -> Result<Option<Group>, BackendError> {
    let phases = phases.iter().copied().filter(|&phase| !dataset.training(phase).is_empty());
    let phases: Vec<Phase> = phases.collect();
    if phases.is_empty() {
        return Ok(None);
    }
    let occurrences = |rows: &[Rows<'_>]| {
        let mut sums = backend.zero_sums()?;
        backend.occurrences(&backend.positions(rows)?, &mut sums)?;
        backend.download_sums(&sums)
    };
    let mut others = rows(dataset, &phases, Dataset::validation);
    others.extend(rows(dataset, &phases, Dataset::test));
    let training = occurrences(&rows(dataset, &phases, Dataset::training))?;
    Ok(Group::new(model, &phases, &training, &occurrences(&others)?))
}

/// Returns one part of the dataset (training, validation or test) for each phase.
fn rows<'a>(
    dataset: &'a Dataset,
    phases: &[Phase],
    part: fn(&Dataset, Phase) -> &[ScoredPosition],
) -> Vec<Rows<'a>> {
    phases.iter().map(|&phase| Rows::full(part(dataset, phase))).collect()
}

/// The fitted phases of a group, and their factors.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FittedGroup {
    /// The number of the group among all groups of the pattern set.
    pub(super) group: usize,
    pub(super) phases: Vec<FittedPhase>,
    /// The vectors of all parameters, one after another, in the order of weights files.
    pub(super) factors: Vec<i8>,
}

/// The end of a group's fit.
pub(super) struct GroupEnd {
    /// The fitted group; `None` if the fit was stopped before its first epoch was complete.
    pub(super) fitted: Option<FittedGroup>,
    /// True if the checkpointer stopped the fit.
    pub(super) stopped: bool,
}

/// The largest absolute value of a factor at the start of a fit. Factors that start at 0 would stay
/// 0.
const START: f64 = 0.025;

impl<B: Backend> GroupFit<'_, B> {
    /// Fits the group, starting from `resumed` if given.
    pub(super) fn run(
        &self,
        resumed: Option<Snapshot>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<GroupEnd, PhaseError> {
        let backend = &self.backend.of_group(&self.group)?;
        let phases = self.group.phases();
        let training = rows(self.dataset, phases, Dataset::training);
        let validation = rows(self.dataset, phases, Dataset::validation);
        let validation = &backend.positions(&validation)?;
        let factors = self.settings.factors.clone().unwrap_or_default();
        let problem = Problem::new(backend, &training, factors.ridge, self.start()?)?;
        let adam = &factors.adam();
        let settings = &FitSettings { adam: adam.clone(), ..self.settings.clone() };
        // Each group draws the orders of its batches from a stream of its own.
        let phase = phases[0];
        let seed = settings.seed ^ ((phase.index() as u64 + 1) << 56);
        let (state, best, metrics) = Snapshot::or_start(resumed, &problem.initial);
        let memory = Memory::of_group(&problem)?;
        let mut solver = Adam::new(&problem, adam, seed, memory, state.as_ref())?;
        let fixed = backend.zero_fixed()?;
        let optimizer = Optimizer::Adam;
        let mut epochs =
            Epochs { backend, settings, optimizer, phase, validation, best, metrics, fixed };
        let stopped = epochs.until_the_end(&mut solver, checkpointer)?;
        let Epochs { best, metrics, .. } = epochs;
        let some = best.progress.epochs > 0 || !stopped;
        let fitted = some.then(|| self.finish(backend, &best, &metrics)).transpose()?;
        Ok(GroupEnd { fitted, stopped })
    }

    /// Returns the vector that the fit starts from.
    fn start(&self) -> Result<Vec<f64>, PhaseError> {
        let Self { group, initial, .. } = self;
        let mut vector = vec![0.0; group.length()];
        let factors = self.initial_factors();
        let own = self.own_squares(&factors);
        for &phase in group.phases() {
            let steps = match initial {
                Some(weights) => self.model.from_file(weights.steps(phase)),
                None => self.model.from_file(&self.without_factors(phase)?),
            };
            let weights = &mut vector[group.weights(phase)];
            for ((weight, &parameter), own) in weights.iter_mut().zip(group.parameters()).zip(&own)
            {
                *weight = weight_in_discs(steps[parameter as usize]) + own;
            }
        }
        let to_begin_with = &mut vector[group.factors()];
        for (factor, &steps) in to_begin_with.iter_mut().zip(&factors) {
            *factor = f64::from(steps) / f64::from(FACTORS_PER_UNIT);
        }
        self.draw_missing(&factors, to_begin_with);
        Ok(vector)
    }

    /// Draws the factors of those dimensions in which all parameters have 0: they would stay 0.
    /// Parameters that training never meets keep 0.
    fn draw_missing(&self, factors: &[i8], to_begin_with: &mut [f64]) {
        let dimensions = self.group.dimensions();
        let is_missing = |dimension: usize| {
            factors.iter().skip(dimension).step_by(dimensions).all(|&factor| factor == 0)
        };
        let missing: Vec<bool> = (0..dimensions).map(is_missing).collect();
        let seed = self.settings.seed ^ ((self.group.phases()[0].index() as u64 + 1) << 48);
        let mut random = Generator::new(seed);
        // From the middle of the last 53 bits: a number between −1 and 1.
        let mut draw = || (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let trained = self.group.trained() * dimensions;
        for (place, factor) in to_begin_with[..trained].iter_mut().enumerate() {
            let drawn = draw() * START;
            if missing[place % dimensions] {
                *factor = drawn;
            }
        }
    }

    /// Returns the factors of the initial weights in the group's numbering; 0 without them.
    fn initial_factors(&self) -> Vec<i8> {
        let mut found = vec![0; self.group.factors().len()];
        if let Some(factors) = self.initial.and_then(Weights::factors) {
            let dimensions = self.group.dimensions();
            let vectors: Vec<&[i8]> =
                factors.of(self.group.phases()[0]).chunks_exact(dimensions).collect();
            let by_model = self.model.from_file(&vectors);
            for (found, &parameter) in
                found.chunks_exact_mut(dimensions).zip(self.group.parameters())
            {
                found.copy_from_slice(by_model[parameter as usize]);
            }
        }
        found
    }

    /// Fits the weights of a phase by least squares without factors; in the order of weights files.
    fn without_factors(&self, phase: Phase) -> Result<Vec<i16>, PhaseError> {
        let fit = PhaseFit {
            backend: self.backend,
            model: self.model,
            dataset: self.dataset,
            settings: self.settings,
            optimizer: Optimizer::LeastSquares,
            initial: None,
            phase,
        };
        let end = fit.run(None, &mut NoCheckpoints)?;
        Ok(end.fitted.map_or_else(|| vec![0; self.model.parameters()], |fitted| fitted.steps))
    }

    /// Rounds the best vector to the precision of the weights file and measures its errors.
    fn finish(
        &self,
        backend: &B,
        best: &Best,
        metrics: &[Metrics],
    ) -> Result<FittedGroup, BackendError> {
        let Self { model, dataset, group, .. } = self;
        let factors: Vec<i8> =
            best.weights[group.factors()].iter().map(|&factor| nearest_factor(factor)).collect();
        let own = self.own_squares(&factors);
        let mut rounded = best.weights.clone();
        for (rounded, &factor) in rounded[group.factors()].iter_mut().zip(&factors) {
            *rounded = f64::from(factor) / f64::from(FACTORS_PER_UNIT);
        }
        let mut steps_of = vec![];
        for &phase in group.phases() {
            let weights = &mut rounded[group.weights(phase)];
            let pairs = weights.iter().zip(&own);
            let steps: Vec<i16> = pairs.map(|(weight, own)| nearest_weight(weight - own)).collect();
            for ((weight, &step), own) in weights.iter_mut().zip(&steps).zip(&own) {
                *weight = weight_in_discs(step) + own;
            }
            steps_of.push(steps);
        }
        let mut phases = vec![];
        for (&phase, steps) in group.phases().iter().zip(steps_of) {
            let report = Measured { backend, model, dataset, phase }.report(best, &rounded)?;
            let counts = counts(self.backend, dataset.training(phase))?;
            let initial = self.initial.map(|weights| weights.steps(phase));
            let steps = self.by_file(initial, steps.chunks_exact(1));
            let counts = model.to_file(&counts);
            let metrics = metrics.iter().map(|line| Metrics { phase, ..*line }).collect();
            let fitted = FittedPhase { steps, counts, report, metrics };
            phases.push(fitted.after(self.initial));
        }
        let shape = model.set().factors();
        let first = group.phases()[0];
        let number = shape.map_or(0, |shape| shape.group(first));
        let initial = self.initial.and_then(Weights::factors).map(|factors| factors.of(first));
        let factors = self.by_file(initial, factors.chunks_exact(group.dimensions()));
        Ok(FittedGroup { group: number, phases, factors })
    }

    /// Returns the elements of each parameter in the order of weights files. `values` are in the
    /// group's numbering; parameters that no position has keep the elements of `before`.
    fn by_file<'v, T: Copy + Default + 'v>(
        &self,
        before: Option<&[T]>,
        values: std::slice::ChunksExact<'v, T>,
    ) -> Vec<T> {
        let size = values.clone().next().map_or(1, <[T]>::len);
        let length = self.model.parameters() * size;
        let mut by_file = before.map_or_else(|| vec![T::default(); length], <[T]>::to_vec);
        for (&parameter, value) in self.group.parameters().iter().zip(values) {
            let place = self.model.in_file(parameter as usize) * size;
            by_file[place..place + size].copy_from_slice(value);
        }
        by_file
    }

    /// Returns the contribution of each parameter's vector by itself, in discs. The weights in the
    /// file have it subtracted, since the engine squares the sum of all vectors as it is.
    fn own_squares(&self, factors: &[i8]) -> Vec<f64> {
        factors.chunks_exact(self.group.dimensions()).map(own_worth).collect()
    }
}

/// Returns the factor in the file that is nearest to an element of the fitted vector.
fn nearest_factor(element: f64) -> i8 {
    let limit = f64::from(MAX_FACTOR);
    (element * f64::from(FACTORS_PER_UNIT)).round().clamp(-limit, limit) as i8
}
