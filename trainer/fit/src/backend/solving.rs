//! Devices that find the exact scores of many positions at once.

use othello_engine::board::Position;
use othello_engine::progress::Progress;
use othello_engine::record::RecordError;

/// A device that solves many positions at once; the scores equal those of
/// [`Searcher::solve`](othello_engine::search::Searcher::solve).
pub trait SolveMany: Sync {
    /// Returns the greatest number of empty squares of a position that the device solves.
    fn most_empties(&self) -> u32;

    /// Finds exact scores: `None` for a position with more empty squares than
    /// [`Self::most_empties`], or whose search needs too many steps. Stops with an error if
    /// `progress` is interrupted.
    fn solve_many(
        &self,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Solved, RecordError>;
}

/// The scores of positions, and the amount of work.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Solved {
    /// The score of each position for its player, −64..=64; `None` if it was not found.
    pub scores: Vec<Option<i8>>,
    /// The number of nodes of all searches.
    pub nodes: u64,
    /// The number of steps of all searches. In a step, one thread generates the moves of one
    /// position.
    pub steps: u64,
}
