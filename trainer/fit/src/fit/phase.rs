//! The fit of one phase. It can be stopped and resumed between any two updates.

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, weight_in_discs};

use super::adam::{Adam, Memory};
use super::best::Best;
use super::checkpoint::{Checkpointer, Snapshot};
use super::epochs::{Epochs, PhaseError};
use super::least_squares::{Directions, LeastSquares};
use super::measure::Measured;
use super::optimizer::Optimizer;
use super::report::{FittedPhase, Metrics};
use super::settings::FitSettings;
use super::solver::{Problem, RestoreError, Solver};
use super::state::State;
use crate::backend::{Backend, BackendError, Rows};
use crate::dataset::Dataset;
use crate::model::Model;

/// The inputs of the fit of a phase.
pub struct PhaseFit<'a, B> {
    /// The device.
    pub backend: &'a B,
    /// The parameters.
    pub model: &'a Model,
    /// The positions.
    pub dataset: &'a Dataset,
    /// The settings.
    pub settings: &'a FitSettings,
    /// The optimizer. With a solver of the caller's own: the optimizer whose settings apply to it.
    pub optimizer: Optimizer,
    /// The weights to start from, which the ridge pulls towards; without them, 0.
    pub initial: Option<&'a Weights>,
    /// The phase.
    pub phase: Phase,
}

/// The end of a phase's fit.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseEnd {
    /// The weights, with a report that says whether the fit was stopped early. `None` if the phase
    /// has no training positions or was stopped before its first epoch was complete.
    pub fitted: Option<FittedPhase>,
    /// True if the checkpointer stopped the fit.
    pub stopped: bool,
}

impl<B: Backend> PhaseFit<'_, B> {
    /// Fits the phase, starting from `resumed` if given.
    pub fn run(
        &self,
        resumed: Option<Snapshot>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<PhaseEnd, PhaseError> {
        if self.dataset.training(self.phase).is_empty() {
            return Ok(PhaseEnd { fitted: None, stopped: false });
        }
        let problem = self.problem()?;
        let (state, best, metrics) = Snapshot::or_start(resumed, &problem.initial);
        let mut solver = self.solver(&problem, state.as_ref())?;
        self.run_from(best, metrics, &mut *solver, checkpointer)
    }

    /// Fits the phase with the caller's own solver, created for [`Self::problem`] and at its start.
    pub fn run_with(
        &self,
        solver: &mut dyn Solver<B>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<PhaseEnd, PhaseError> {
        self.run_from(Best::new(&self.initial_weights()), vec![], solver, checkpointer)
    }

    fn run_from(
        &self,
        best: Best,
        metrics: Vec<Metrics>,
        solver: &mut dyn Solver<B>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<PhaseEnd, PhaseError> {
        let &Self { backend, model, dataset, settings, optimizer, phase, .. } = self;
        let validation = &backend.positions(&[Rows::full(dataset.validation(phase))])?;
        let fixed = backend.zero_fixed()?;
        let mut epochs =
            Epochs { backend, settings, optimizer, phase, validation, best, metrics, fixed };
        let stopped = epochs.until_the_end(solver, checkpointer)?;
        let Epochs { best, metrics, .. } = epochs;
        let measured = Measured { backend, model, dataset, phase };
        let some = best.progress.epochs > 0 || !stopped;
        let fitted = some.then(|| measured.finish(&best, metrics)).transpose()?;
        let fitted = fitted.map(|fitted| fitted.after(self.initial));
        Ok(PhaseEnd { fitted, stopped })
    }

    /// Returns the least-squares problem of the training positions of the phase and its window.
    pub fn problem(&self) -> Result<Problem<'_, B>, BackendError> {
        let window = self.settings.window.around(self.phase);
        let rows = window
            .map(|(near, factor)| Rows { positions: self.dataset.training(near), factor })
            .collect::<Vec<_>>();
        Problem::new(self.backend, &rows, self.settings.ridge, self.initial_weights())
    }

    fn initial_weights(&self) -> Vec<f64> {
        match self.initial {
            None => vec![0.0; self.model.parameters()],
            Some(weights) => {
                let steps = self.model.from_file(weights.steps(self.phase));
                steps.iter().map(|&step| weight_in_discs(step)).collect()
            }
        }
    }

    /// Creates the solver: at the start, or in the state that `state` describes.
    fn solver<'p>(
        &'p self,
        problem: &'p Problem<'_, B>,
        state: Option<&State>,
    ) -> Result<Box<dyn Solver<B> + 'p>, RestoreError> {
        let directions = match self.optimizer {
            Optimizer::Adam => {
                let settings = &self.settings.adam;
                // Each phase draws the orders of its batches from a stream of its own.
                let seed = self.settings.seed ^ ((self.phase.index() as u64 + 1) << 56);
                let memory = Memory::of_phase(problem, settings)?;
                return Ok(Box::new(Adam::new(problem, settings, seed, memory, state)?));
            }
            Optimizer::LeastSquares => Directions::Conjugate,
            Optimizer::Descent => Directions::Steepest,
        };
        let settings = &self.settings.least_squares;
        Ok(Box::new(LeastSquares::new(problem, directions, settings, state)?))
    }
}
