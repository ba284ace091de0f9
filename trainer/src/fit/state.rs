//! Where a solver stands between two updates, and what an epoch came to.

use othello_engine::text::excerpt;
use serde_json::Value;

/// The section of a checkpoint that holds everything but the vectors.
pub(super) const HEAD: &str = "phase";

/// An epoch: one time over the training positions of a phase and of its window, or several times
/// where there are few of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Epoch {
    /// The number of the epoch, counted from 1.
    pub number: u32,
    /// The size of the preconditioned gradient as a part of what it was at the start, where the
    /// optimizer knows it.
    pub gradient: Option<f64>,
    /// The mean squared error on the training positions in discs²: after the epoch, or by
    /// mini-batches that of each batch before its update.
    pub train_mse: Option<f64>,
}

/// The state of a solver: everything that its next updates depend on besides the problem.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Counters and scalars.
    pub scalars: Value,
    /// Vectors with their names, one element a parameter. None is called `best`.
    pub vectors: Vec<(String, Vec<f64>)>,
}

/// The error of a state that no solver of this fit has left. It names the section of the checkpoint
/// that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("section `{0}` is missing, of another size, or none of this fit")]
pub struct StateError(String);

impl StateError {
    pub(super) fn in_section(name: &str) -> Self {
        Self(excerpt(name))
    }
}

impl State {
    /// The vector of this name.
    pub fn vector(&self, name: &str) -> Result<&[f64], StateError> {
        let found = self.vectors.iter().find(|(there, _)| there == name);
        found.map(|(_, vector)| vector.as_slice()).ok_or_else(|| StateError::in_section(name))
    }

    /// The scalars, as the solver that left them has them.
    pub fn scalars<T: serde::de::DeserializeOwned>(&self) -> Result<T, StateError> {
        serde_json::from_value(self.scalars.clone()).map_err(|_| StateError::in_section(HEAD))
    }
}
