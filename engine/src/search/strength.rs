//! How strongly a player searches.

use super::{Found, Limits, Searcher};
use crate::board::Position;
use crate::eval::Evaluate;

/// A search to a fixed depth, and perfect play near the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// Moves that a search looks ahead; 0 counts as 1.
    pub depth: u32,
    /// The number of empty squares from which on play is perfect.
    pub exact: u32,
}

impl Strength {
    /// Searches a position as strongly as that. `found.depth` is the number of empty squares where
    /// the value is exact.
    pub fn search<E: Evaluate>(self, searcher: &mut Searcher<'_, E>, position: &Position) -> Found {
        self.search_within(searcher, position, &Limits::default())
    }

    /// Searches a position as strongly as that, but for limits, which do not end perfect play.
    pub fn search_within<E: Evaluate>(
        self,
        searcher: &mut Searcher<'_, E>,
        position: &Position,
        limits: &Limits,
    ) -> Found {
        let empties = position.empties();
        if empties <= self.exact {
            searcher.search(position, empties)
        } else {
            searcher.search_within(position, self.depth.max(1), limits)
        }
    }
}
