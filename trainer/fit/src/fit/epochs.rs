//! The loop of a fit: one update after another, the validation error after every epoch, the best
//! weights kept.

use othello_engine::board::Phase;
use othello_engine::run::RunError;

use super::best::FittedVector;
use super::report::Metrics;
use super::settings::Stop;
use super::snapshot::{CheckpointPolicy, Checkpointer, Snapshot};
use super::solver::{Advance, RestoreError, Solver};
use super::state::{Epoch, HEAD, StateError};
use crate::backend::{Backend, BackendError};

/// The bound of a weight, in discs. Larger weights mean that the fit diverged; fixed-point
/// arithmetic itself clamps at 64 discs.
const MAX_DISCS: f64 = 4096.0;

/// Errors of the fit of a phase or of a group.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum PhaseError {
    /// The device failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The snapshot or the part cannot be written.
    #[error(transparent)]
    Save(#[from] RunError),
    /// The snapshot to resume from does not belong to this fit.
    #[error("the snapshot: {0}")]
    Mismatch(StateError),
    /// The weights are too large or not finite.
    #[error(
        "phase {phase}: after epoch {epoch} the weights are beyond {MAX_DISCS} discs or not finite; \
         lower the learning rate, raise the ridge, or set adam.clip"
    )]
    Diverged { phase: Phase, epoch: u32 },
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
    pub(super) stop: Stop,
    /// The phase, or the first of the group: its name in metrics and errors.
    pub(super) phase: Phase,
    pub(super) validation: B::Positions<'p>,
    pub(super) vector: FittedVector,
}

impl<B: Backend> Epochs<'_, '_, B> {
    /// Runs updates until the fit is finished or the checkpointer stops it. Refuses a solver that
    /// has done other epochs than the best weights so far.
    pub(super) fn run(
        mut self,
        solver: &mut dyn Solver<B>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<FittedVector, PhaseError> {
        if solver.epochs() != u64::from(self.vector.epochs()) {
            return Err(PhaseError::Mismatch(StateError::in_section(HEAD)));
        }
        let mut fixed = self.backend.zero_fixed()?;
        let mut epoch_ended = false;
        while !self.vector.is_finished() {
            let policy = checkpointer.policy(std::mem::take(&mut epoch_ended));
            if policy != CheckpointPolicy::Continue {
                checkpointer.save(&self.snapshot(solver)?)?;
            }
            if policy == CheckpointPolicy::Stop {
                break;
            }
            match solver.advance()? {
                Advance::Update => {}
                Advance::Epoch(epoch) => {
                    self.end_epoch(epoch, solver, &mut fixed)?;
                    epoch_ended = true;
                }
                Advance::Converged => self.vector.progress.finished = true,
            }
        }
        Ok(self.vector)
    }

    fn end_epoch(
        &mut self,
        epoch: Epoch,
        solver: &mut dyn Solver<B>,
        fixed: &mut B::Fixed,
    ) -> Result<(), PhaseError> {
        self.check(solver, epoch.number)?;
        self.backend.round_weights(solver.weights(), fixed)?;
        let validation = self.backend.errors(&self.validation, fixed)?;
        self.vector.metrics.push(Metrics {
            phase: self.phase,
            epoch: epoch.number,
            gradient: epoch.gradient,
            train_mse: epoch.train_mse,
            validation_mse: validation.mse(),
            validation_mae: validation.mae(),
        });
        if self.vector.observe(epoch, &validation, &self.stop) {
            self.vector.elements = self.backend.download(solver.weights())?;
        }
        if let Some(error) = validation.mse().or(epoch.train_mse) {
            solver.observe(error);
        }
        Ok(())
    }

    fn snapshot(&self, solver: &dyn Solver<B>) -> Result<Snapshot, PhaseError> {
        // A diverged state must not be saved for resuming.
        self.check(solver, self.vector.epochs())?;
        Ok(Snapshot { state: solver.state()?, vector: self.vector.clone() })
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
