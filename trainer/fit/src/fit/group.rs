//! The fit of a group of phases that share factors: Adam fits the weights of all phases together
//! with their factors, starting from weights that were fitted without factors.

use othello_engine::board::Phase;
use othello_engine::eval::{
    FACTORS_PER_UNIT, MAX_FACTOR, Weights, nearest_weight, own_worth, weight_in_discs,
};
use othello_engine::random::Generator;
use othello_engine::record::ScoredPosition;

use super::Result;
use super::adam::{Adam, Memory};
use super::epochs::{Checkpoints, Epochs, Problem, Snapshot};
use super::report::{
    FittedPhase, FittedUnit, FittedVector, Metrics, counts, fixed, occurrences, report,
};
use super::settings::{FitSettings, Stop};
use crate::backend::{Backend, BackendError, Group, Rows};
use crate::dataset::Dataset;
use crate::model::Model;

pub(super) struct GroupFit<'a, B> {
    pub(super) backend: &'a B,
    pub(super) model: &'a Model,
    pub(super) dataset: &'a Dataset,
    pub(super) settings: &'a FitSettings,
    pub(super) group: Group,
    /// For each phase of the group, the initial weights of all parameters of `model`, in 1/32 disc.
    pub(super) start: Vec<Vec<i16>>,
    pub(super) initial: Option<&'a Weights>,
}

/// Returns the group of those `phases` that have training positions; `None` if no phase has any.
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
    let rows = |subset| rows(dataset, &phases, subset);
    let training = occurrences(backend, &rows(Dataset::training))?;
    let others = [rows(Dataset::validation), rows(Dataset::test)].concat();
    Ok(Group::new(model, &phases, &training, &occurrences(backend, &others)?))
}

fn rows<'a>(
    dataset: &'a Dataset,
    phases: &[Phase],
    subset: fn(&Dataset, Phase) -> &[ScoredPosition],
) -> Vec<Rows<'a>> {
    phases.iter().map(|&phase| Rows::full(subset(dataset, phase))).collect()
}

/// The largest absolute value of random initial factors, in √disc. If all factors were 0 instead,
/// their gradients would be 0, and a fit would not change them.
const INITIAL_FACTOR_BOUND: f64 = 0.025;

impl<B: Backend> GroupFit<'_, B> {
    pub(super) fn run(
        &self,
        resumed: Option<Snapshot>,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<FittedVector> {
        let backend = &self.backend.of_group(&self.group)?;
        let phases = &self.group.phases;
        let training = rows(self.dataset, phases, Dataset::training);
        let validation = rows(self.dataset, phases, Dataset::validation);
        let factors = self.settings.factors.clone().unwrap_or_default();
        let problem = Problem::new(backend, &training, factors.ridge, self.start())?;
        // Each group draws the orders of its batches from a separate random stream.
        let phase = phases[0];
        let seed = self.settings.seed ^ ((phase.index() as u64 + 1) << 56);
        let (state, vector) = Snapshot::or_start(resumed, &problem.initial);
        let (adam, memory) = (&factors.adam(), Memory::Group(backend.scratch()?));
        let mut solver = Adam::new(&problem, adam, seed, memory, state.as_ref())?;
        // Like every fit by Adam, that of a group makes all its epochs.
        let stop = Stop { epochs: factors.epochs, patience: None, tolerance: 0.0 };
        let validation = backend.positions(&validation)?;
        Epochs { backend, stop, phase, validation, vector }.run(&mut solver, checkpoints)
    }

    fn start(&self) -> Vec<f64> {
        let group = &self.group;
        let mut vector = vec![0.0; group.length()];
        let factors = self.initial_factors();
        let own = self.own_squares(&factors);
        for (&phase, steps) in group.phases.iter().zip(&self.start) {
            let weights = &mut vector[group.weights(phase)];
            for ((weight, &parameter), own) in weights.iter_mut().zip(&group.parameters).zip(&own) {
                *weight = weight_in_discs(steps[parameter as usize]) + own;
            }
        }
        let to_begin_with = &mut vector[group.factors()];
        for (factor, &steps) in to_begin_with.iter_mut().zip(&factors) {
            *factor = f64::from(steps) / f64::from(FACTORS_PER_UNIT);
        }
        self.draw_missing(&factors, to_begin_with);
        vector
    }

    /// Sets the factors in `to_begin_with` to random numbers, but only in those dimensions of the
    /// factor vectors in which all `factors` are 0. Skips parameters without training positions.
    fn draw_missing(&self, factors: &[i8], to_begin_with: &mut [f64]) {
        let dimensions = self.group.dimensions;
        let is_missing = |dimension: usize| {
            factors.iter().skip(dimension).step_by(dimensions).all(|&factor| factor == 0)
        };
        let missing: Vec<bool> = (0..dimensions).map(is_missing).collect();
        let seed = self.settings.seed ^ ((self.group.phases[0].index() as u64 + 1) << 48);
        let mut random = Generator::new(seed);
        // The upper 53 bits of a draw give a number from −1 to 1.
        let mut draw = || (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        let trained = self.group.trained * dimensions;
        for (place, factor) in to_begin_with[..trained].iter_mut().enumerate() {
            let drawn = draw() * INITIAL_FACTOR_BOUND;
            if missing[place % dimensions] {
                *factor = drawn;
            }
        }
    }

    fn initial_factors(&self) -> Vec<i8> {
        let mut found = vec![0; self.group.factors().len()];
        if let Some(factors) = self.initial.and_then(Weights::factors) {
            let dimensions = self.group.dimensions;
            let vectors = factors.of(self.group.phases[0]).chunks_exact(dimensions);
            let by_model = self.model.from_file(&vectors.collect::<Vec<_>>());
            let found = found.chunks_exact_mut(dimensions).zip(&self.group.parameters);
            found.for_each(|(found, &parameter)| {
                found.copy_from_slice(by_model[parameter as usize]);
            });
        }
        found
    }

    pub(super) fn finish(&self, vector: &FittedVector) -> Result<FittedUnit, BackendError> {
        let Self { model, dataset, group, .. } = self;
        let mut rounded = vector.elements.clone();
        let factors: Vec<i8> =
            rounded[group.factors()].iter().map(|&factor| nearest_factor(factor)).collect();
        let own = self.own_squares(&factors);
        for (rounded, &factor) in rounded[group.factors()].iter_mut().zip(&factors) {
            *rounded = f64::from(factor) / f64::from(FACTORS_PER_UNIT);
        }
        let mut steps_of = vec![];
        for &phase in &group.phases {
            let weights = &mut rounded[group.weights(phase)];
            let pairs = weights.iter().zip(&own);
            let steps: Vec<i16> = pairs.map(|(weight, own)| nearest_weight(weight - own)).collect();
            for ((weight, &step), own) in weights.iter_mut().zip(&steps).zip(&own) {
                *weight = weight_in_discs(step) + own;
            }
            steps_of.push(steps);
        }
        let backend = &self.backend.of_group(group)?;
        let fixed = fixed(backend, [&rounded, &vector.elements])?;
        let mut phases = vec![];
        for (&phase, steps) in group.phases.iter().zip(steps_of) {
            let report = report(backend, dataset, phase, vector, &fixed)?;
            let counts = counts(self.backend, model, dataset, phase, self.initial)?;
            let initial = self.initial.map(|weights| weights.steps(phase));
            let steps = self.by_file(initial, steps.chunks_exact(1));
            let metrics = vector.metrics.iter().map(|line| Metrics { phase, ..*line }).collect();
            phases.push(FittedPhase { steps, counts, report, metrics });
        }
        let first = group.phases[0];
        let initial = self.initial.and_then(Weights::factors).map(|factors| factors.of(first));
        let factors = self.by_file(initial, factors.chunks_exact(group.dimensions));
        let number = model.set().factors().map_or(0, |shape| shape.group(first));
        Ok(FittedUnit { phases, factors: Some((number, factors)) })
    }

    /// Returns the weights or factors of all parameters in the order of weights files. Parameters
    /// that occur in the group's positions get `values`. The others keep their weights or factors
    /// in `before`, or get 0 if `before` is `None`.
    fn by_file<'v, T: Copy + Default + 'v>(
        &self,
        before: Option<&[T]>,
        values: std::slice::ChunksExact<'v, T>,
    ) -> Vec<T> {
        let size = values.clone().next().map_or(1, <[T]>::len);
        let length = self.model.parameters() * size;
        let mut by_file = before.map_or_else(|| vec![T::default(); length], <[T]>::to_vec);
        for (&parameter, value) in self.group.parameters.iter().zip(values) {
            let place = self.model.in_file(parameter as usize) * size;
            by_file[place..place + size].copy_from_slice(value);
        }
        by_file
    }

    /// Returns each parameter's interaction with itself, in discs: ½ Σ f² over the first half of
    /// its factors f, minus ½ Σ f² over the second. The engine includes it in the contribution of
    /// factors to a value; a fit includes it in the parameter's weight.
    fn own_squares(&self, factors: &[i8]) -> Vec<f64> {
        factors.chunks_exact(self.group.dimensions).map(own_worth).collect()
    }
}

fn nearest_factor(element: f64) -> i8 {
    let limit = f64::from(MAX_FACTOR);
    (element * f64::from(FACTORS_PER_UNIT)).round().clamp(-limit, limit) as i8
}
