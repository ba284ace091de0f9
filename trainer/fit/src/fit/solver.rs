//! The interface of the optimizers. A fit can be stopped and resumed between any two updates.

use serde::Serialize;
use serde_json::{Value, json};

use super::FitError;
use super::report::Metrics;
use crate::backend::{Backend, BackendError, RESIDUALS_PER_DISC, Rows, WEIGHTS_PER_OCCURRENCE};

/// The problem of one phase: minimise Σ ω (label − V)² + λ Σ (w − w₀)² over the weights w. The
/// value V of a position is the sum of the weights w of its parameters, and ω is the weight of the
/// position itself. λ is the ridge, and w₀ are the initial weights.
#[derive(Debug)]
pub struct Problem<'a, B: Backend> {
    /// The device that computes the primitives of the fit.
    pub backend: &'a B,
    /// The training positions of the phase and of the neighbouring phases in its window.
    pub positions: B::Positions<'a>,
    /// The number of training positions of the phase and of the neighbouring phases whose positions
    /// also train it, added up.
    pub count: u64,
    /// Σ ω: the total weight of the training positions. A position that counts once has weight 1.
    pub occurrences: f64,
    /// The ridge λ. It acts like λ further occurrences of each parameter, whose residual is the
    /// parameter's initial weight minus its current weight.
    pub ridge: f64,
    /// The initial weights w₀ in discs, by parameter.
    pub initial: Vec<f64>,
}

impl<'a, B: Backend> Problem<'a, B> {
    /// Creates the problem of fitting weights to these rows.
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

    /// Returns a vector of zeros on the device.
    pub fn zero(&self) -> Result<B::Reals, BackendError> {
        self.backend.upload(&vec![0.0; self.backend.parameters()])
    }

    pub(super) fn vector(&self, state: &State, name: &str) -> Result<B::Reals, FitError> {
        Ok(self.backend.upload(state.vector(name)?)?)
    }

    pub(super) fn state<const N: usize>(
        &self,
        scalars: impl Serialize,
        vectors: [(&str, &B::Reals); N],
    ) -> Result<State, BackendError> {
        let vector =
            |(name, vector): (&str, _)| Ok((name.to_owned(), self.backend.download(vector)?));
        let vectors = vectors.into_iter().map(vector).collect::<Result<_, BackendError>>()?;
        Ok(State { scalars: json!(scalars), vectors })
    }

    /// The integer by which a position with a residual of 1 disc and the weight of one occurrence
    /// raises a sum of weight · residual.
    pub const SUM_OF_ONE: f64 = RESIDUALS_PER_DISC as f64 * WEIGHTS_PER_OCCURRENCE as f64;

    /// Converts the Σ weight · residual² of [`Backend::residual_sums`] to occurrences · discs².
    pub fn squared_discs(squared: u128) -> f64 {
        squared as f64 / f64::from(RESIDUALS_PER_DISC) / Self::SUM_OF_ONE
    }

    /// Returns the number of batches of about `size` positions; a size of 0 means all positions.
    pub fn batches(&self, size: u32) -> u32 {
        match size {
            0 => 1,
            _ => u32::try_from((self.count / u64::from(size)).max(1)).unwrap_or(u32::MAX),
        }
    }
}

/// Minimises a [`Problem`] by one update after another.
pub trait Solver<B: Backend> {
    /// Does one update of the weights. Returns which case it is: an update within an epoch, the
    /// last update of an epoch, or no change because the fit has converged.
    fn advance(&mut self) -> Result<Advance, BackendError>;

    /// Returns the number of complete epochs.
    fn epochs(&self) -> u64;

    /// Returns the current weights in discs, by parameter.
    fn weights(&self) -> &B::Reals;

    /// Returns the state of the solver. A solver restored from it continues exactly like this one.
    fn state(&self) -> Result<State, BackendError>;
}

/// The result of one update of a solver.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Advance {
    /// The weights were updated, but the epoch is not complete: it continues with the next update.
    Update,
    /// The weights were updated, and the epoch is complete: one pass over the training positions,
    /// or several if they are few. The fit adds the phase and the validation errors to the metrics.
    Epoch(Metrics),
    /// The solver has converged; the update changed nothing.
    Converged,
}

/// The state of a solver between two updates: with the problem, it determines all further updates.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// The counters and scalars of the solver, as JSON.
    pub scalars: Value,
    /// Named vectors with an element for each parameter. `best` is reserved for the best weights.
    pub vectors: Vec<(String, Vec<f64>)>,
}

/// The name of a snapshot's first section, which contains everything except the vectors.
pub(super) const HEAD: &str = "phase";

impl State {
    /// Returns the vector with this name; an error if the state has no such vector.
    pub fn vector(&self, name: &str) -> Result<&[f64], FitError> {
        let found = self.vectors.iter().find(|(own, _)| own == name);
        found.map(|(_, vector)| vector.as_slice()).ok_or_else(|| FitError::in_section(name))
    }

    /// Returns the scalars of the state as `T`; an error if another type of solver saved them.
    pub fn scalars<T: serde::de::DeserializeOwned>(&self) -> Result<T, FitError> {
        serde_json::from_value(self.scalars.clone()).map_err(|_| FitError::in_section(HEAD))
    }
}
