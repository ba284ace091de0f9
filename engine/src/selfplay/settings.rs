//! The settings of self-play games: search, openings, random moves and exact play.

use super::{Exploration, Openings, PerfectFrom, Schedule};
use crate::board::Side;
use crate::search::{EndgameSchedule, Selectivity};

/// The settings of self-play games, which determine every move.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The seed of all random moves.
    pub seed: u64,
    /// The number of moves at the beginning of a game that come from [`Self::openings`].
    pub random_plies: Schedule,
    /// The openings with which games begin.
    pub openings: Openings,
    /// The depth of the search for each side's moves, at least 1.
    pub depth: PerSide<u32>,
    /// The node limit of each search of a side, exact play excepted; `None` without a limit.
    pub nodes: PerSide<Option<u64>>,
    /// The ProbCut confidence of each side's fixed-depth searches.
    pub selectivity: PerSide<Selectivity>,
    /// The ProbCut schedule of each side's searches to the end of the game, before exact play.
    pub ends: PerSide<EndgameSchedule>,
    /// The number of empty squares at or below which games are played exactly. With more empty
    /// squares, searches to the end of the game may be pruned ([`Self::ends`]).
    pub exact: PerfectFrom,
    /// The rules for drawing moves at random before exact play.
    pub exploration: Exploration,
    /// True if the record of a game contains the value that the search found for each move.
    pub values: bool,
}

/// The greatest depth of a search that begins with an empty transposition table. The entries of
/// earlier searches would help it little: most of its time goes into reading uncached weights.
const SHALLOW_DEPTH: u32 = 5;

impl Settings {
    /// Returns whether the depths are so small that each search begins with an empty table.
    pub(super) fn searches_are_shallow(&self) -> bool {
        self.depth.black.max(self.depth.white) <= SHALLOW_DEPTH
    }

    /// Creates settings with random openings, equal depths, no pruning and no stored values.
    pub fn new(
        seed: u64,
        random_plies: Schedule,
        depth: u32,
        exact: impl Into<PerfectFrom>,
    ) -> Self {
        let depth = PerSide::both(depth);
        Self {
            seed,
            random_plies,
            openings: Openings::Random,
            depth,
            nodes: PerSide::both(None),
            selectivity: PerSide::both(Selectivity::Full),
            ends: PerSide::both(EndgameSchedule::NONE),
            exact: exact.into(),
            exploration: Exploration::NONE,
            values: false,
        }
    }
}

/// A pair of values, one for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerSide<T> {
    /// The value for black.
    pub black: T,
    /// The value for white.
    pub white: T,
}

impl<T> PerSide<T> {
    /// Creates a pair with the same value for both sides.
    pub fn both(one: T) -> Self
    where
        T: Clone,
    {
        Self { black: one.clone(), white: one }
    }

    /// Applies `value` to both values, and returns the pair of results.
    pub fn each<U>(&self, value: impl Fn(&T) -> U) -> PerSide<U> {
        PerSide { black: value(&self.black), white: value(&self.white) }
    }

    /// Returns the value for a side.
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }
}
