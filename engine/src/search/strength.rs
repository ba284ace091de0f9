//! The strength of a player: its search depth, and the empty squares from which it plays perfectly.

use super::{Found, Limits, Searcher};
use crate::board::Position;
use crate::eval::Evaluate;

/// The plies by which the search before perfect play stops short of the end: it takes a twentieth
/// of the nodes and a fifth of the time.
const BEFORE_PERFECT: u32 = 8;

/// A search to a fixed depth, and perfect play near the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// The number of moves to look ahead; 0 counts as 1.
    pub depth: u32,
    /// The number of empty squares at or below which play is perfect.
    pub exact: u32,
}

impl Strength {
    /// A depth that reaches the end of any game.
    pub const ANY_DEPTH: u32 = 60;
    /// Perfect play from the start of the game.
    pub const PERFECT: Self = Self { depth: Self::ANY_DEPTH, exact: Self::ANY_DEPTH };

    /// Returns the depth to search a position to: the number of empty squares if play is perfect.
    pub fn depth_of(self, position: &Position) -> u32 {
        let empties = position.empties();
        if empties <= self.exact { empties } else { self.depth.clamp(1, empties) }
    }

    /// Searches a position with this strength. `found.depth` is the number of empty squares if the
    /// value is exact.
    pub fn search<E: Evaluate>(self, searcher: &mut Searcher<'_, E>, position: &Position) -> Found {
        self.search_within(searcher, position, &Limits::default())
    }

    /// Searches with this strength within limits, which do not end perfect play (at most
    /// [`Self::exact`] empty squares). If only [`Self::depth`] reaches the end of the game and the
    /// limits do not suffice for that, the result is that of the deepest search that stays short of
    /// the end.
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

    /// Searches with this strength within limits, which end perfect play too. Then the result is
    /// that of a shallower search, which runs first, costs little beside perfect play, and leaves
    /// it the rest of the time and nodes.
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

    /// Searches with this strength; before perfect play, in about `nodes` nodes, to a smaller depth
    /// if these do not suffice. That depth has the parity of [`Self::depth`] and never reaches the
    /// end of the game, so that the number of nodes does not decide which values are exact.
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

/// Searches a position to the end of the game. Where there are limits, a search to a lesser depth
/// comes first, and counts where they end the other; and where the selection has some, less sure
/// searches to the end, of which the last counts that was done.
fn to_the_end_after<E: Evaluate>(
    searcher: &mut Searcher<'_, E>,
    position: &Position,
    depth: u32,
    limits: &Limits,
) -> Found {
    let empties = position.empties();
    if !limits.are_set() {
        return searcher.search_within(position, empties, limits);
    }
    let before = searcher.search_within(position, depth, limits);
    if before.depth < depth {
        return before;
    }
    let mut found = before;
    let stages = searcher.stages(position).into_iter().map(Some).chain([None]);
    for stage in stages {
        let left = limits.nodes.map(|most| most.saturating_sub(found.nodes));
        let limits = Limits { nodes: left, ..limits.clone() };
        let whole = match stage {
            Some(selectivity) => searcher.search_as(position, empties, selectivity, &limits),
            None => searcher.search_within(position, empties, &limits),
        };
        let nodes = found.nodes + whole.nodes;
        let is_better = whole.depth == empties || found.best.is_none();
        found = Found { nodes, ..if is_better { whole } else { found } };
        if whole.depth < empties {
            break;
        }
    }
    found
}
