//! Learns what a search uses beside an evaluation: the weights that order moves, the predictions of
//! deep searches by shallow ones, and the probabilities of moves.

pub mod ends;
pub mod ordering;
pub mod probcut;
pub mod realization;
mod regression;
mod siblings;

use othello_engine::eval::NoProbCut;
use othello_engine::progress::Interrupted;
use othello_engine::search::TableError;

/// Errors of learning a model of shallow searches.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// The numbers do not make a valid model.
    #[error("the values of searches give no model: {0}")]
    Model(String),
    /// There is no memory to search with.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The work was asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A selective search has no model.
    #[error(transparent)]
    NoProbCut(#[from] NoProbCut),
}
