//! The fit of one phase, which can be stopped and resumed between any two updates.

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, weight_in_discs};

use super::Result;
use super::adam::{Adam, Memory};
use super::epochs::{Checkpoints, Epochs, Problem, Snapshot, Solver, State};
use super::least_squares::LeastSquares;
use super::report::{FittedPhase, FittedVector, counts, fixed, report};
use super::settings::{FitSettings, Optimizer};
use crate::backend::{Backend, BackendError, Rows};
use crate::dataset::Dataset;
use crate::model::Model;

/// The inputs of the fit of one phase: of the weights for positions with a given number of discs.
pub struct PhaseFit<'a, B> {
    /// The device that computes the fit.
    pub backend: &'a B,
    /// The model, which defines the parameters and computes the features of positions.
    pub model: &'a Model,
    /// The positions of all phases, split into training, validation and test.
    pub dataset: &'a Dataset,
    /// The settings of the fit.
    pub settings: &'a FitSettings,
    /// The optimizer that [`Self::run`] uses. [`Self::run_with`] uses only its stopping rule,
    /// because the caller passes another solver.
    pub optimizer: Optimizer,
    /// The initial weights, towards which the ridge (L2 penalty) pulls the fitted weights. `None`
    /// means that all initial weights are 0.
    pub initial: Option<&'a Weights>,
    /// The phase to fit, which must have training positions.
    pub phase: Phase,
}

impl<B: Backend> PhaseFit<'_, B> {
    /// Fits the phase until the fit is complete or the callback `checkpoints` returns false. If
    /// `resumed` is given, continues from this saved state of an earlier fit. Returns the weights,
    /// in the parameter order of the model, and the metrics of each epoch.
    pub fn run(
        &self,
        resumed: Option<Snapshot>,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<FittedVector> {
        let problem = self.problem()?;
        let (state, vector) = Snapshot::or_start(resumed, &problem.initial);
        let mut solver = self.solver(&problem, state.as_ref())?;
        self.epochs(vector)?.run(&mut *solver, checkpoints)
    }

    /// Fits the phase like [`Self::run`], but with the caller's `solver`. It must be made for
    /// [`Self::problem`], and have done no update yet.
    pub fn run_with(
        &self,
        solver: &mut dyn Solver<B>,
        checkpoints: &mut Checkpoints<'_>,
    ) -> Result<FittedVector> {
        let vector = FittedVector::new(&self.initial_weights());
        self.epochs(vector)?.run(solver, checkpoints)
    }

    /// Rounds the weights in `vector`, the result of [`Self::run`], to steps of 1/32 disc. Returns
    /// them with their errors on training, validation and test positions.
    pub fn finish(&self, vector: FittedVector) -> Result<FittedPhase, BackendError> {
        let &Self { backend, model, dataset, phase, initial, .. } = self;
        let steps = vector.steps();
        let rounded: Vec<f64> = steps.iter().map(|&step| weight_in_discs(step)).collect();
        let fixed = fixed(backend, [&rounded, &vector.elements])?;
        let report = report(backend, dataset, phase, &vector, &fixed)?;
        let counts = counts(backend, model, dataset, phase, initial)?;
        let metrics = vector.metrics;
        Ok(FittedPhase { steps: model.to_file(&steps), counts, report, metrics })
    }

    /// Returns the least-squares problem of the phase, over the training positions of this phase
    /// and of the nearby phases in the smoothing window.
    pub fn problem(&self) -> Result<Problem<'_, B>, BackendError> {
        let rows = |(near, factor)| Rows { positions: self.dataset.training(near), factor };
        let window: Vec<_> = self.settings.window.around(self.phase).map(rows).collect();
        Problem::new(self.backend, &window, self.settings.ridge, self.initial_weights())
    }

    fn epochs(&self, vector: FittedVector) -> Result<Epochs<'_, '_, B>, BackendError> {
        let &Self { backend, dataset, phase, .. } = self;
        let validation = backend.positions(&[Rows::full(dataset.validation(phase))])?;
        let stop = self.settings.stop(self.optimizer);
        Ok(Epochs { backend, stop, phase, validation, vector })
    }

    fn initial_weights(&self) -> Vec<f64> {
        let Some(weights) = self.initial else { return vec![0.0; self.model.parameters()] };
        let steps = self.model.from_file(weights.steps(self.phase));
        steps.iter().map(|&step| weight_in_discs(step)).collect()
    }

    fn solver<'p>(
        &'p self,
        problem: &'p Problem<'_, B>,
        state: Option<&State>,
    ) -> Result<Box<dyn Solver<B> + 'p>> {
        if self.optimizer == Optimizer::Adam {
            let settings = &self.settings.adam;
            // Each phase draws the orders of its batches from a separate random stream.
            let seed = self.settings.seed ^ ((self.phase.index() as u64 + 1) << 56);
            let memory = Memory::Phase(problem.backend.zero_sums()?);
            return Ok(Box::new(Adam::new(problem, settings, seed, memory, state)?));
        }
        let settings = &self.settings.least_squares;
        Ok(Box::new(LeastSquares::new(problem, self.optimizer, settings, state)?))
    }
}
