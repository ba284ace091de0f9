//! The fit of a group of phases that share factors: each phase by least squares first, as if there were
//! no factors, and then all of them together with their factors by Adam.

use othello_engine::board::Phase;
use othello_engine::eval::{
    FACTORS_PER_UNIT, MAX_FACTOR, Weights, nearest_weight, weight_in_discs,
};
use othello_engine::random::Generator;

use super::adam::Adam;
use super::best::Best;
use super::checkpoint::{Checkpointer, NoCheckpoints, Snapshot};
use super::epochs::Epochs;
use super::epochs::PhaseError;
use super::fitted::FittedPhase;
use super::measure::{Measured, counts};
use super::optimizer::Optimizer;
use super::phase::PhaseFit;
use super::report::Metrics;
use super::settings::FitSettings;
use super::solver::{Problem, RestoreError, Solver as _};
use super::state::{HEAD, StateError};
use crate::backend::{Backend as _, BackendError, Cpu, Group, Rows};
use crate::dataset::Dataset;
use crate::model::Model;

/// What the fit of a group of phases needs.
pub(super) struct GroupFit<'a> {
    pub(super) model: &'a Model,
    pub(super) dataset: &'a Dataset,
    pub(super) settings: &'a FitSettings,
    /// The weights to start from, in place of those that least squares finds.
    pub(super) initial: Option<&'a Weights>,
    /// The phases of the group that have training positions, at least one.
    pub(super) phases: Vec<Phase>,
    pub(super) group: Group,
}

/// The fitted phases of a group, and their factors.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FittedGroup {
    /// The number of the group among all of the pattern set.
    pub(super) group: usize,
    pub(super) phases: Vec<FittedPhase>,
    /// The vectors of all parameters, one after another, by the numbering of weights files.
    pub(super) factors: Vec<i8>,
}

/// How the fit of a group ended.
pub(super) struct GroupEnd {
    /// `None` where it was stopped before the first epoch was complete.
    pub(super) fitted: Option<FittedGroup>,
    /// Whether the checkpointer stopped it.
    pub(super) stopped: bool,
}

/// The size of the factors that a fit starts from. All 0, they would stay 0.
const START: f64 = 0.025;

impl GroupFit<'_> {
    /// Fits the group, from where `resumed` left it if there is one.
    pub(super) fn run(
        &self,
        resumed: Option<Snapshot>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<GroupEnd, PhaseError> {
        let backend = &Cpu::of_group(self.model, self.group.clone());
        let rows = |positions: fn(&Dataset, Phase) -> &[_]| -> Vec<Rows<'_>> {
            self.phases.iter().map(|&phase| Rows::full(positions(self.dataset, phase))).collect()
        };
        let training = rows(Dataset::training);
        let validation = &backend.positions(&rows(Dataset::validation))?;
        let factors = self.settings.factors.clone().unwrap_or_default();
        let problem = Problem::new(backend, &training, factors.ridge, self.start()?)?;
        let adam = &factors.adam();
        let settings = &FitSettings { adam: adam.clone(), ..self.settings.clone() };
        // Groups draw the orders of their batches from streams of their own.
        let phase = self.phases[0];
        let seed = settings.seed ^ ((phase.index() as u64 + 1) << 56);
        let mismatch = |error| match error {
            RestoreError::Backend(error) => PhaseError::Backend(error),
            RestoreError::State(error) => PhaseError::Mismatch(error),
        };
        let (mut solver, best, metrics) = match resumed {
            None => (Adam::new(&problem, adam, seed)?, Best::new(&problem.initial), vec![]),
            Some(Snapshot { state, best, metrics }) => {
                let solver = Adam::restore(&problem, adam, seed, &state).map_err(mismatch)?;
                (solver, best, metrics)
            }
        };
        if solver.epochs() != u64::from(best.progress.epochs) {
            return Err(PhaseError::Mismatch(StateError::in_section(HEAD)));
        }
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

    /// The vector that the fit starts from.
    fn start(&self) -> Result<Vec<f64>, PhaseError> {
        let mut vector = vec![0.0; self.group.length()];
        let factors = self.initial.and_then(Weights::factors);
        for &phase in &self.phases {
            let steps = match self.initial {
                Some(weights) => self.model.from_file(weights.steps(phase)),
                None => self.model.from_file(&self.without_factors(phase)?),
            };
            let own = factors.map(|factors| self.own_squares(&self.by_fit(factors.of(phase))));
            for (parameter, weight) in vector[self.group.weights(phase)].iter_mut().enumerate() {
                let own = own.as_ref().map_or(0.0, |own| own[parameter]);
                *weight = weight_in_discs(steps[parameter]) + own;
            }
        }
        let place = self.group.factors();
        match factors {
            Some(factors) => {
                let factors = self.by_fit(factors.of(self.phases[0]));
                for (factor, steps) in vector[place].iter_mut().zip(factors) {
                    *factor = f64::from(steps) / f64::from(FACTORS_PER_UNIT);
                }
            }
            None => {
                // From the middle of the last 53 bits: a number between −1 and 1.
                let seed = self.settings.seed ^ ((self.phases[0].index() as u64 + 1) << 48);
                let mut random = Generator::new(seed);
                let mut draw = || (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                vector[place].iter_mut().for_each(|factor| *factor = draw() * START);
            }
        }
        Ok(vector)
    }

    /// The weights of a phase that least squares finds without factors, by the file's numbering.
    fn without_factors(&self, phase: Phase) -> Result<Vec<i16>, PhaseError> {
        let fit = PhaseFit {
            backend: &Cpu::new(self.model),
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

    /// Rounds the best vector to what the file holds, and measures it.
    fn finish(
        &self,
        backend: &Cpu<'_>,
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
        for &phase in &self.phases {
            let weights = &mut rounded[group.weights(phase)];
            let steps: Vec<i16> = weights
                .iter()
                .zip(&own)
                .map(|(weight, own)| nearest_weight(weight - own))
                .collect();
            for ((weight, &step), own) in weights.iter_mut().zip(&steps).zip(&own) {
                *weight = weight_in_discs(step) + own;
            }
            steps_of.push(steps);
        }
        let mut phases = vec![];
        for (&phase, steps) in self.phases.iter().zip(steps_of) {
            let report = Measured { backend, model, dataset, phase }.report(best, &rounded)?;
            let counts = counts(&Cpu::new(model), dataset.training(phase))?;
            let (steps, counts) = (model.to_file(&steps), model.to_file(&counts));
            let metrics = metrics.iter().map(|line| Metrics { phase, ..*line }).collect();
            phases.push(FittedPhase { steps, counts, report, metrics });
        }
        let shape = model.set().factors();
        let group = shape.map_or(0, |shape| shape.group(self.phases[0]));
        Ok(FittedGroup { group, phases, factors: self.by_file(&factors) })
    }

    /// What each vector is worth with itself, in discs: the files' weights have it taken off, since there
    /// the sum of all vectors is squared as it is.
    fn own_squares(&self, factors: &[i8]) -> Vec<f64> {
        let squares = |half: &[i8]| -> i32 {
            half.iter().map(|&factor| i32::from(factor) * i32::from(factor)).sum()
        };
        let own = |vector: &[i8]| {
            let (added, taken) = vector.split_at(vector.len() / 2);
            let unit = f64::from(2 * FACTORS_PER_UNIT * FACTORS_PER_UNIT);
            f64::from(squares(added) - squares(taken)) / unit
        };
        factors.chunks_exact(self.group.dimensions()).map(own).collect()
    }

    /// Vectors by the fit's numbering, from vectors by the file's.
    fn by_fit(&self, factors: &[i8]) -> Vec<i8> {
        let vectors: Vec<&[i8]> = factors.chunks_exact(self.group.dimensions()).collect();
        self.model.from_file(&vectors).concat()
    }

    /// Vectors by the file's numbering, from vectors by the fit's.
    fn by_file(&self, factors: &[i8]) -> Vec<i8> {
        let vectors: Vec<&[i8]> = factors.chunks_exact(self.group.dimensions()).collect();
        self.model.to_file(&vectors).concat()
    }
}

/// The nearest factor of a file to an element of the vector of a fit.
fn nearest_factor(element: f64) -> i8 {
    let limit = f64::from(MAX_FACTOR);
    (element * f64::from(FACTORS_PER_UNIT)).round().clamp(-limit, limit) as i8
}
