//! The fit of one phase: one update after another, the validation error after every epoch, the best
//! weights kept; to be stopped and resumed between any two updates.

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, weight_in_discs};

use super::adam::Adam;
use super::best::Best;
use super::checkpoint::{CheckpointError, CheckpointPolicy, Checkpointer, Snapshot};
use super::fitted::FittedPhase;
use super::least_squares::{Directions, LeastSquares};
use super::measure::Measured;
use super::optimizer::Optimizer;
use super::report::Metrics;
use super::settings::FitSettings;
use super::solver::{Advance, Problem, RestoreError, Solver};
use super::state::{Epoch, HEAD, State, StateError};
use crate::backend::{Backend, BackendError, Rows};
use crate::dataset::Dataset;
use crate::model::Model;

/// Weights beyond this are no weights any more: the arithmetic takes part in up to 64 discs.
const MAX_DISCS: f64 = 4096.0;

/// What the fit of a phase needs.
pub struct PhaseFit<'a, B> {
    /// The device.
    pub backend: &'a B,
    /// The parameters.
    pub model: &'a Model,
    /// The positions.
    pub dataset: &'a Dataset,
    /// The settings.
    pub settings: &'a FitSettings,
    /// The optimizer; with a solver of one's own, the one whose settings apply to it.
    pub optimizer: Optimizer,
    /// The weights to start from, and what the ridge pulls towards; 0 without any.
    pub initial: Option<&'a Weights>,
    /// The phase.
    pub phase: Phase,
}

/// Why the fit of a phase fails.
#[derive(Debug, thiserror::Error)]
pub enum PhaseError {
    /// The device gave up.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The snapshot cannot be saved.
    #[error(transparent)]
    Save(#[from] CheckpointError),
    /// The snapshot to resume from is not one of this fit.
    #[error("the snapshot: {0}")]
    Mismatch(StateError),
    /// The weights went out of bounds.
    #[error(
        "phase {phase}: after epoch {epoch} the weights are beyond {MAX_DISCS} discs or no numbers; \
         lower the learning rate, raise the ridge, or set adam.clip"
    )]
    Diverged {
        /// The phase.
        phase: Phase,
        /// The last epoch that was complete, counted from 1; 0 inside the first.
        epoch: u32,
    },
}

/// How the fit of a phase ended.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseEnd {
    /// The weights, with a report that says if the fit was stopped before its end. `None` where
    /// there are none: no training positions, or stopped before the first epoch was complete.
    pub fitted: Option<FittedPhase>,
    /// Whether the checkpointer stopped it.
    pub stopped: bool,
}

impl<B: Backend> PhaseFit<'_, B> {
    /// Fits the phase, from where `resumed` left it if there is one.
    pub fn run(
        &self,
        resumed: Option<Snapshot>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<PhaseEnd, PhaseError> {
        if self.dataset.training(self.phase).is_empty() {
            return Ok(PhaseEnd { fitted: None, stopped: false });
        }
        let problem = self.problem()?;
        let (state, best, metrics) = match resumed {
            Some(Snapshot { state, best, metrics }) => (Some(state), best, metrics),
            None => (None, Best::new(&problem.initial), vec![]),
        };
        let mut solver = self.solver(&problem, state.as_ref())?;
        if solver.epochs() != u64::from(best.progress.epochs) {
            return Err(PhaseError::Mismatch(StateError::in_section(HEAD)));
        }
        self.run_from(best, metrics, &mut *solver, checkpointer)
    }

    /// Fits the phase by a solver of the caller's own, made for [`Self::problem`] and at its start.
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
        let mut run = Running { fit: self, best, metrics, fixed: self.backend.zero_fixed()? };
        let stopped = run.until_the_end(solver, checkpointer)?;
        let Running { best, metrics, .. } = run;
        let &Self { backend, model, dataset, phase, .. } = self;
        let measured = Measured { backend, model, dataset, phase };
        let some = best.progress.epochs > 0 || !stopped;
        let fitted = some.then(|| measured.finish(&best, metrics)).transpose()?;
        Ok(PhaseEnd { fitted, stopped })
    }

    /// The problem that the training positions of the phase and of its window pose.
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

    /// The solver at the start, or where `state` left it.
    fn solver<'p>(
        &'p self,
        problem: &'p Problem<'_, B>,
        state: Option<&State>,
    ) -> Result<Box<dyn Solver<B> + 'p>, PhaseError> {
        let mismatch = |error| match error {
            RestoreError::Backend(error) => PhaseError::Backend(error),
            RestoreError::State(error) => PhaseError::Mismatch(error),
        };
        let directions = match self.optimizer {
            Optimizer::Adam => {
                let settings = &self.settings.adam;
                // Phases draw the orders of their batches from streams of their own.
                let seed = self.settings.seed ^ ((self.phase.index() as u64 + 1) << 56);
                return Ok(match state {
                    None => Box::new(Adam::new(problem, settings, seed)?),
                    Some(state) => {
                        Box::new(Adam::restore(problem, settings, seed, state).map_err(mismatch)?)
                    }
                });
            }
            Optimizer::LeastSquares => Directions::Conjugate,
            Optimizer::Descent => Directions::Steepest,
        };
        Ok(match state {
            None => Box::new(LeastSquares::new(problem, directions)?),
            Some(state) => {
                Box::new(LeastSquares::restore(problem, directions, state).map_err(mismatch)?)
            }
        })
    }
}

/// The fit of a phase under way.
struct Running<'a, B: Backend> {
    fit: &'a PhaseFit<'a, B>,
    best: Best,
    metrics: Vec<Metrics>,
    fixed: B::Fixed,
}

impl<B: Backend> Running<'_, B> {
    /// Updates until the fit is finished or the checkpointer stops it; true where it did.
    fn until_the_end(
        &mut self,
        solver: &mut dyn Solver<B>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<bool, PhaseError> {
        let &PhaseFit { backend, dataset, phase, .. } = self.fit;
        let validation = backend.positions(&[Rows::full(dataset.validation(phase))])?;
        while !self.best.progress.finished {
            let policy = checkpointer.policy();
            if policy != CheckpointPolicy::Continue {
                checkpointer.save(&self.snapshot(solver)?)?;
            }
            if policy == CheckpointPolicy::Stop {
                return Ok(true);
            }
            match solver.advance()? {
                Advance::Update => {}
                Advance::Epoch(epoch) => self.end_epoch(epoch, solver, &validation)?,
                Advance::Converged => self.best.progress.finished = true,
            }
        }
        Ok(false)
    }

    fn end_epoch(
        &mut self,
        epoch: Epoch,
        solver: &mut dyn Solver<B>,
        validation: &B::Positions<'_>,
    ) -> Result<(), PhaseError> {
        let &PhaseFit { backend, settings, optimizer, phase, .. } = self.fit;
        self.check(solver, epoch.number)?;
        backend.round_weights(solver.weights(), &mut self.fixed)?;
        let validation = backend.errors(validation, &self.fixed)?;
        self.metrics.push(Metrics {
            phase,
            epoch: epoch.number,
            gradient: epoch.gradient,
            train_mse: epoch.train_mse,
            validation_mse: validation.mse(),
            validation_mae: validation.mae(),
        });
        if self.best.observe(epoch, &validation, settings, optimizer) {
            self.best.weights = backend.download(solver.weights())?;
        }
        if let Some(error) = validation.mse().or(epoch.train_mse) {
            solver.observe(error);
        }
        Ok(())
    }

    fn snapshot(&self, solver: &dyn Solver<B>) -> Result<Snapshot, PhaseError> {
        // What has diverged must not be resumed.
        self.check(solver, self.best.progress.epochs)?;
        Ok(Snapshot {
            state: solver.state()?,
            best: self.best.clone(),
            metrics: self.metrics.clone(),
        })
    }

    fn check(&self, solver: &dyn Solver<B>, epoch: u32) -> Result<(), PhaseError> {
        let largest = self.fit.backend.max_abs(solver.weights())?;
        if (0.0..MAX_DISCS).contains(&largest) {
            Ok(())
        } else {
            Err(PhaseError::Diverged { phase: self.fit.phase, epoch })
        }
    }
}
