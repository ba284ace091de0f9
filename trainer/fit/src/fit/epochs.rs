//! The loop of a fit: updates, the validation error after every epoch, and the best weights.

use othello_engine::board::Phase;

use super::best::FittedVector;
use super::report::Metrics;
use super::settings::Stop;
use super::snapshot::{CheckpointPolicy, Checkpointer, Snapshot};
use super::solver::{Advance, HEAD, Solver};
use super::{FitError, MAX_DISCS};
use crate::backend::Backend;

pub(super) struct Epochs<'a, 'p, B: Backend> {
    pub(super) backend: &'a B,
    pub(super) stop: Stop,
    /// The fitted phase or, if a group of phases is fitted together, its first phase, by which
    /// metrics and error messages name the group.
    pub(super) phase: Phase,
    pub(super) validation: B::Positions<'p>,
    pub(super) vector: FittedVector,
}

impl<B: Backend> Epochs<'_, '_, B> {
    /// Runs `solver` until the fit is finished or stopped, and returns the fitted vector. Returns
    /// an error if `solver` and `self.vector` have not completed the same number of epochs before.
    pub(super) fn run(
        mut self,
        solver: &mut dyn Solver<B>,
        checkpointer: &mut impl Checkpointer,
    ) -> Result<FittedVector, FitError> {
        if solver.epochs() != u64::from(self.vector.progress.epochs) {
            return Err(FitError::in_section(HEAD));
        }
        let mut fixed = self.backend.zero_fixed()?;
        let mut epoch_ended = false;
        while !self.vector.progress.finished {
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
                    self.vector.metrics.last().map_or(Ok(()), |one| checkpointer.measured(one))?;
                    epoch_ended = true;
                }
                Advance::Converged => self.vector.progress.finished = true,
            }
        }
        Ok(self.vector)
    }

    fn end_epoch(
        &mut self,
        epoch: Metrics,
        solver: &dyn Solver<B>,
        fixed: &mut B::Fixed,
    ) -> Result<(), FitError> {
        self.check(solver, epoch.epoch)?;
        self.backend.round_weights(solver.weights(), fixed)?;
        let validation = self.backend.errors(&self.validation, fixed)?;
        let (validation_mse, validation_mae) = (validation.mse(), validation.mae());
        let metrics = Metrics { phase: self.phase, validation_mse, validation_mae, ..epoch };
        if self.vector.observe(metrics, &self.stop) {
            self.vector.elements = self.backend.download(solver.weights())?;
        }
        Ok(())
    }

    fn snapshot(&self, solver: &dyn Solver<B>) -> Result<Snapshot, FitError> {
        // A diverged state must not be saved for resuming.
        self.check(solver, self.vector.progress.epochs)?;
        Ok(Snapshot { state: solver.state()?, vector: self.vector.clone() })
    }

    fn check(&self, solver: &dyn Solver<B>, epoch: u32) -> Result<(), FitError> {
        let largest = self.backend.max_abs(solver.weights())?;
        if (0.0..MAX_DISCS).contains(&largest) {
            Ok(())
        } else {
            Err(FitError::Diverged { phase: self.phase, epoch })
        }
    }
}
