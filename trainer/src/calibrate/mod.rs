//! What a search learns beside an evaluation: the weights that moves are ordered by, and what shallow searches
//! predict of deeper ones, and how likely moves are to be played.

pub mod ends;
pub mod ordering;
pub mod probcut;
pub mod realization;
mod regression;
mod siblings;

use othello_engine::eval::NoProbCut;
use othello_engine::progress::Interrupted;
use othello_engine::search::TableError;

/// The reason why no model of shallow searches was learned.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// Numbers that no model can have.
    #[error("the values of searches give no model: {0}")]
    Model(String),
    /// There is no memory to search with.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The work was asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A selective search without the model that it goes by.
    #[error(transparent)]
    NoProbCut(#[from] NoProbCut),
}
