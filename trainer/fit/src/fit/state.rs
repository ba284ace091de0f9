//! The state of a solver between two updates, and the result of an epoch.

use othello_engine::text::excerpt;
use serde_json::Value;

/// The name of the section of a checkpoint that holds everything but the vectors.
pub(super) const HEAD: &str = "phase";

/// The result of an epoch: one pass over the training positions of a phase and of its window, or
/// several passes if the positions are few.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// The number of the epoch, counted from 1.
    pub number: u32,
    /// The size of the preconditioned gradient relative to its size at the start, if the optimizer
    /// knows it.
    pub gradient: Option<f64>,
    /// The mean squared error on the training positions in discs²: after the epoch, or, with
    /// mini-batches, that of each batch before its update.
    pub train_mse: Option<f64>,
}

/// The state of a solver: everything besides the problem that its next updates depend on.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Counters and scalars.
    pub scalars: Value,
    /// Named vectors of one element for each parameter. No name is `best`.
    pub vectors: Vec<(String, Vec<f64>)>,
}

/// The error of a state that no solver of this fit has written. It names the wrong section of the
/// checkpoint.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("section `{0}` is missing, of another size, or none of this fit")]
pub struct StateError(String);

impl StateError {
    pub(super) fn in_section(name: &str) -> Self {
        Self(excerpt(name))
    }
}

impl State {
    /// Returns the vector with this name.
    pub fn vector(&self, name: &str) -> Result<&[f64], StateError> {
        let found = self.vectors.iter().find(|(there, _)| there == name);
        found.map(|(_, vector)| vector.as_slice()).ok_or_else(|| StateError::in_section(name))
    }

    /// Returns the scalars as the type of the solver that saved them.
    pub fn scalars<T: serde::de::DeserializeOwned>(&self) -> Result<T, StateError> {
        serde_json::from_value(self.scalars.clone()).map_err(|_| StateError::in_section(HEAD))
    }
}
