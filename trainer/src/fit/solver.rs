//! What the optimizers have in common: a problem, and updates between which they can be stopped and
//! gone on with.

use othello_engine::text::excerpt;
use serde_json::Value;

use super::snapshot::HEAD;
use crate::backend::{
    Backend, BackendError, Batch, RESIDUALS_PER_DISC, Rows, WEIGHTS_PER_OCCURRENCE,
};

/// One phase's problem: minimise Σ ω (label − Σ w)² + λ Σ (w − w₀)² over the weights w.
#[derive(Debug)]
pub(super) struct Problem<'a, B: Backend> {
    /// Where to compute.
    pub(super) backend: &'a B,
    /// The training positions of the phase and of its window.
    pub(super) positions: B::Positions<'a>,
    /// How many positions these are.
    pub(super) count: u64,
    /// Σ ω, in occurrences.
    pub(super) occurrences: f64,
    /// λ, in occurrences.
    pub(super) ridge: f64,
    /// w₀ in discs, by parameter: where the fit starts, and what the ridge pulls towards.
    pub(super) initial: Vec<f64>,
}

impl<'a, B: Backend> Problem<'a, B> {
    /// The problem that rows pose.
    pub(super) fn new(
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
    pub(super) fn zero(&self) -> Result<B::Reals, BackendError> {
        self.backend.upload(&vec![0.0; self.backend.parameters()])
    }

    /// Residuals of 1 disc of one occurrence make a sum of this much.
    pub(super) const SUM_OF_ONE: f64 = RESIDUALS_PER_DISC as f64 * WEIGHTS_PER_OCCURRENCE as f64;

    /// Mean squared error in discs² of the positions that Σ weight · residual² was added up over.
    pub(super) fn mean_squared(&self, squared: u128) -> f64 {
        squared as f64 / f64::from(RESIDUALS_PER_DISC) / Self::SUM_OF_ONE / self.occurrences
    }

    /// How many batches of about `size` positions there are; 0 stands for all positions.
    pub(super) fn batches(&self, size: u32) -> u32 {
        match size {
            0 => 1,
            _ => u32::try_from((self.count / u64::from(size)).max(1)).unwrap_or(u32::MAX),
        }
    }

    /// A batch by its number.
    pub(super) fn batch(number: u32, of: u32) -> Batch {
        Batch::new(number, of).unwrap_or(Batch::WHOLE)
    }
}

/// Minimises a [`Problem`] by one update after another.
pub(super) trait Solver<B: Backend> {
    /// Does one update.
    fn advance(&mut self) -> Result<Advance, BackendError>;

    /// How many passes over the positions are complete.
    fn passes(&self) -> u64;

    /// The weights in discs.
    fn weights(&self) -> &B::Reals;

    /// Hears the error that decides after a pass: on the validation positions, or where there are
    /// none, on the training positions.
    fn hear(&mut self, _error: f64) {}

    /// Where the solver stands, so that one restored from it does what this one will do.
    fn state(&self) -> Result<State, BackendError>;
}

/// What an update came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Advance {
    /// A pass over the positions goes on.
    Update,
    /// A pass is complete.
    Pass(Pass),
    /// Nothing is left to gain; the update changed nothing.
    Converged,
}

/// A pass over the training positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pass {
    /// How many there have been.
    pub(super) number: u32,
    /// The size of the preconditioned gradient as a part of what it was at the start, where the
    /// optimizer knows it.
    pub(super) gradient: Option<f64>,
    /// Mean squared error on the training positions in discs², each batch before its update, where
    /// the optimizer knows it.
    pub(super) training_mse: Option<f64>,
}

/// Where a solver stands: everything that its next updates depend on besides the problem.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct State {
    /// Counters and scalars.
    pub(super) scalars: Value,
    /// Vectors with their names, one element a parameter.
    pub(super) vectors: Vec<(String, Vec<f64>)>,
}

/// A state that is not one of this solver: which section of its file is not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("section `{0}` is missing, of another size, or none of this fit")]
pub struct StateError(String);

impl StateError {
    pub(super) fn in_section(name: &str) -> Self {
        Self(excerpt(name))
    }
}

impl State {
    pub(super) fn vector(&self, name: &str) -> Result<&[f64], StateError> {
        let found = self.vectors.iter().find(|(there, _)| there == name);
        found.map(|(_, vector)| vector.as_slice()).ok_or_else(|| StateError::in_section(name))
    }

    pub(super) fn scalars<T: serde::de::DeserializeOwned>(&self) -> Result<T, StateError> {
        serde_json::from_value(self.scalars.clone()).map_err(|_| StateError::in_section(HEAD))
    }
}

/// Why a solver cannot go on from a state.
#[derive(Debug, thiserror::Error)]
pub(super) enum RestoreError {
    /// The state is foreign.
    #[error(transparent)]
    State(#[from] StateError),
    /// The device gave up.
    #[error(transparent)]
    Backend(#[from] BackendError),
}
