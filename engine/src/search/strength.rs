//! How strongly a player searches.

use super::{Found, Limits, Searcher};
use crate::board::Position;
use crate::eval::Evaluate;

/// The number of plies by which the search that comes before perfect play is shallower: it takes a twentieth of the nodes and
/// a fifth of the time.
const BEFORE_PERFECT: u32 = 8;

/// A search to a fixed depth, and perfect play near the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// Moves that a search looks ahead; 0 counts as 1.
    pub depth: u32,
    /// The number of empty squares from which on play is perfect.
    pub exact: u32,
}

impl Strength {
    /// A depth that ends no search: no game has more moves.
    pub const ANY_DEPTH: u32 = 60;
    /// Perfect play from the start of a game on.
    pub const PERFECT: Self = Self { depth: Self::ANY_DEPTH, exact: Self::ANY_DEPTH };

    /// The depth of a search of a position: the number of empty squares where play is perfect.
    pub fn depth_of(self, position: &Position) -> u32 {
        let empties = position.empties();
        if empties <= self.exact { empties } else { self.depth.clamp(1, empties) }
    }

    /// Searches a position as strongly as that. `found.depth` is the number of empty squares where
    /// the value is exact.
    pub fn search<E: Evaluate>(self, searcher: &mut Searcher<'_, E>, position: &Position) -> Found {
        self.search_within(searcher, position, &Limits::default())
    }

    /// Searches a position as strongly as that, but for limits, which do not end perfect play. A depth that reaches the end of
    /// the game with more empty squares than [`Self::exact`] means the score, too; where limits do not suffice for it, the
    /// deepest search counts that stays short of the end.
    pub fn search_within<E: Evaluate>(
        self,
        searcher: &mut Searcher<'_, E>,
        position: &Position,
        limits: &Limits,
    ) -> Found {
        let empties = position.empties();
        if empties <= self.exact {
            searcher.search(position, empties)
        } else if empties <= self.depth {
            to_the_end_after(searcher, position, empties.saturating_sub(1), limits)
        } else {
            searcher.search_within(position, self.depth.max(1), limits)
        }
    }

    /// Searches a position as strongly as that, but for limits that end perfect play, too: where they do, the deepest search
    /// before it counts. That one comes first, and costs little beside perfect play, which then has what is left of time and nodes.
    pub fn search_by_clock<E: Evaluate>(
        self,
        searcher: &mut Searcher<'_, E>,
        position: &Position,
        limits: &Limits,
    ) -> Found {
        let empties = position.empties();
        if empties > self.exact {
            return self.search_within(searcher, position, limits);
        }
        to_the_end_after(searcher, position, empties.saturating_sub(BEFORE_PERFECT), limits)
    }

    /// Searches a position as strongly as that; before perfect play in about so many nodes, to a lesser depth where they
    /// do not suffice. Such a search never goes to the end, so that what is exact does not depend on the number of nodes; and
    /// its depth is even or odd as [`Self::depth`] is.
    pub fn search_in_nodes<E: Evaluate>(
        self,
        searcher: &mut Searcher<'_, E>,
        position: &Position,
        nodes: Option<u64>,
    ) -> Found {
        if nodes.is_none() {
            return self.search(searcher, position);
        }
        let below = position.empties().saturating_sub(1);
        let of_its_parity = below.saturating_sub((below ^ self.depth) & 1);
        let depth = if self.depth > below { of_its_parity } else { self.depth };
        let limits = Limits { nodes, ..Limits::default() };
        Self { depth, ..self }.search_within(searcher, position, &limits)
    }
}

/// Searches a position to the end of the game. Where there are limits, a search to a lesser depth comes first, and
/// counts where they end the other.
fn to_the_end_after<E: Evaluate>(
    searcher: &mut Searcher<'_, E>,
    position: &Position,
    depth: u32,
    limits: &Limits,
) -> Found {
    let empties = position.empties();
    if !limits.are_set() {
        return searcher.search(position, empties);
    }
    let before = searcher.search_within(position, depth, limits);
    if before.depth < depth {
        return before;
    }
    let nodes = limits.nodes.map(|most| most.saturating_sub(before.nodes));
    let whole = searcher.search_within(position, empties, &Limits { nodes, ..limits.clone() });
    let nodes = before.nodes + whole.nodes;
    let found = if whole.depth < empties && before.best.is_some() { before } else { whole };
    Found { nodes, ..found }
}
