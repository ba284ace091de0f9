//! What the optimizers have in common: a problem, and updates between which they can be stopped and
//! resumed.

use super::state::{Epoch, State, StateError};
use crate::backend::{
    Backend, BackendError, Batch, RESIDUALS_PER_DISC, Rows, WEIGHTS_PER_OCCURRENCE,
};

/// The problem of one phase: minimise Σ ω (label − Σ w)² + λ Σ (w − w₀)² over the weights w.
#[derive(Debug)]
pub struct Problem<'a, B: Backend> {
    /// Where to compute.
    pub backend: &'a B,
    /// The training positions of the phase and of its window.
    pub positions: B::Positions<'a>,
    /// The number of these positions.
    pub count: u64,
    /// Σ ω, in occurrences.
    pub occurrences: f64,
    /// λ, in occurrences.
    pub ridge: f64,
    /// w₀ in discs, by parameter: where the fit starts, and what the ridge pulls towards.
    pub initial: Vec<f64>,
}

impl<'a, B: Backend> Problem<'a, B> {
    /// The problem that rows pose.
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

    /// A vector of zeros.
    pub fn zero(&self) -> Result<B::Reals, BackendError> {
        self.backend.upload(&vec![0.0; self.backend.parameters()])
    }

    /// The sum that residuals of 1 disc of one occurrence make.
    pub const SUM_OF_ONE: f64 = RESIDUALS_PER_DISC as f64 * WEIGHTS_PER_OCCURRENCE as f64;

    /// Σ ω · residual² in discs², from the integer that [`Backend::residual_sums`] returns.
    pub fn squared_discs(squared: u128) -> f64 {
        squared as f64 / f64::from(RESIDUALS_PER_DISC) / Self::SUM_OF_ONE
    }

    /// The number of batches of about `size` positions; 0 stands for all positions.
    pub fn batches(&self, size: u32) -> u32 {
        match size {
            0 => 1,
            _ => u32::try_from((self.count / u64::from(size)).max(1)).unwrap_or(u32::MAX),
        }
    }

    /// Batch `number` of `of`.
    pub fn batch(number: u32, of: u32) -> Batch {
        Batch::new(number, of).unwrap_or(Batch::WHOLE)
    }
}

/// Minimises a [`Problem`] by one update after another.
pub trait Solver<B: Backend> {
    /// Does one update.
    fn advance(&mut self) -> Result<Advance, BackendError>;

    /// The number of epochs that are complete.
    fn epochs(&self) -> u64;

    /// The weights in discs.
    fn weights(&self) -> &B::Reals;

    /// Takes note of the error that decides after an epoch: on the validation positions, or where
    /// there are none, on the training positions.
    fn observe(&mut self, _error: f64) {}

    /// Where the solver stands, so that one restored from it does what this one will do.
    fn state(&self) -> Result<State, BackendError>;
}

/// What an update came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Advance {
    /// The epoch goes on.
    Update,
    /// An epoch is complete.
    Epoch(Epoch),
    /// The solver has nothing left to gain; the update changed nothing.
    Converged,
}

/// Why a solver cannot go on from a state.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The state is not one of this solver.
    #[error(transparent)]
    State(#[from] StateError),
    /// The device gave up.
    #[error(transparent)]
    Backend(#[from] BackendError),
}
