//! Devices that find the exact scores of many positions at once.

use othello_engine::board::Position;
use othello_engine::progress::{Interrupted, Progress};

use super::BackendError;

/// A device that solves many positions at once. Its scores are those of
/// [`Searcher::solve`](othello_engine::search::Searcher::solve), with one thread on the CPU.
pub trait SolveMany: Sync {
    /// Returns the most empty squares of a position that it solves.
    fn most_empties(&self) -> u32;

    /// Solves positions, as far as they have few enough empty squares and take few enough steps.
    /// Asks `progress` now and then whether to stop.
    fn solve_many(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Solved, SolveError>;
}

/// The scores of positions, and the work that they took.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Solved {
    /// The score of each position for its player, −64..=64; `None` if it was not found.
    pub scores: Vec<Option<i8>>,
    /// The number of nodes of all searches.
    pub nodes: u64,
    /// The number of steps of all searches, in each of which a thread finds one position's moves.
    pub steps: u64,
}

/// The error of positions that were not solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// The device failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The work was interrupted.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
