//! The loop of a fit: one update after another, the validation error after every epoch, the best
//! weights kept.

use othello_engine::board::Phase;

use super::best::Best;
use super::checkpoint::{CheckpointError, CheckpointPolicy, Checkpointer, Snapshot};
use super::optimizer::Optimizer;
use super::report::Metrics;
use super::settings::FitSettings;
use super::solver::{Advance, RestoreError, Solver};
use super::state::{Epoch, HEAD, StateError};
use crate::backend::{Backend, BackendError};

/// The bound of a weight, in discs. Larger weights mean that the fit diverged; fixed-point
/// arithmetic itself clamps at 64 discs.
const MAX_DISCS: f64 = 4096.0;

/// Errors of the fit of a phase.
#[derive(Debug, thiserror::Error)]
pub enum PhaseError {
    /// The device failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The snapshot cannot be saved.
    #[error(transparent)]
    Save(#[from] CheckpointError),
    /// The snapshot to resume from does not belong to this fit.
    #[error("the snapshot: {0}")]
    Mismatch(StateError),
    /// The weights are too large or not finite.
    #[error(
        "phase {phase}: after epoch {epoch} the weights are beyond {MAX_DISCS} discs or no numbers; \
         lower the learning rate, raise the ridge, or set adam.clip"
    )]
    Diverged {
        /// The phase.
        phase: Phase,
        /// The last complete epoch, counted from 1; 0 in the first epoch.
        epoch: u32,
    },
}

impl From<RestoreError> for PhaseError {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::Backend(error) => Self::Backend(error),
            RestoreError::State(error) => Self::Mismatch(error),
        }
    }
}

/// A running fit of a phase or of a group of phases.
pub(super) struct Epochs<'a, 'p, B: Backend> {
    pub(super) backend: &'a B,
    pub(super) settings: &'a FitSettings,
    pub(super) optimizer: Optimizer,
    /// The phase, or the first of the group: its name in metrics and errors.
    pub(super) phase: Phase,
    pub(super) validation: &'a B::Positions<'p>,
    pub(super) best: Best,
    pub(super) metrics: Vec<Metrics>,
    pub(super) fixed: B::Fixed,
}

impl<B: Backend> Epochs<'_, '_, B> {
    /// Runs updates until the fit is finished or the checkpointer stops it; returns true if
    /// stopped. Refuses a solver that has done other epochs than the best weights so far.
    pub(super) fn until_the_end(
        &mut self,
        solver: &mut dyn Solver<B>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<bool, PhaseError> {
        if solver.epochs() != u64::from(self.best.progress.epochs) {
            return Err(PhaseError::Mismatch(StateError::in_section(HEAD)));
        }
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
                Advance::Epoch(epoch) => self.end_epoch(epoch, solver)?,
                Advance::Converged => self.best.progress.finished = true,
            }
        }
        Ok(false)
    }

    fn end_epoch(&mut self, epoch: Epoch, solver: &mut dyn Solver<B>) -> Result<(), PhaseError> {
        let &mut Self { backend, settings, optimizer, phase, validation, .. } = self;
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
        // A diverged state must not be saved for resuming.
        self.check(solver, self.best.progress.epochs)?;
        Ok(Snapshot {
            state: solver.state()?,
            best: self.best.clone(),
            metrics: self.metrics.clone(),
        })
    }

    fn check(&self, solver: &dyn Solver<B>, epoch: u32) -> Result<(), PhaseError> {
        let largest = self.backend.max_abs(solver.weights())?;
        if (0.0..MAX_DISCS).contains(&largest) {
            Ok(())
        } else {
            Err(PhaseError::Diverged { phase: self.phase, epoch })
        }
    }
}
