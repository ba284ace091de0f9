//! Devices that find the exact scores of many positions at once.

use othello_engine::board::Position;
use othello_engine::progress::Progress;
use othello_engine::record::RecordError;

/// A device that solves many positions at once, with the scores of
/// [`Searcher::solve`](othello_engine::search::Searcher::solve).
pub trait SolveMany: Sync {
    /// Returns the most empty squares of a position that it solves.
    fn most_empties(&self) -> u32;

    /// Solves the positions with few enough empty squares and steps. Stops if `progress` is
    /// stopped.
    fn solve_many(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Solved, RecordError>;
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
