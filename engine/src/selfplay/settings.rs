use super::{Exploration, Openings, PerfectFrom, Schedule};
use crate::board::Side;
use crate::search::{EndgameSchedule, Selectivity};

/// The settings of self-play games, which determine every move.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The seed of all random moves.
    pub seed: u64,
    /// The total number of moves before the first search: those of the opening, then random ones.
    pub random_plies: Schedule,
    /// The openings with which games begin.
    pub openings: Openings,
    /// The depth of the search for each side's moves, at least 1.
    pub depth: PerSide<u32>,
    /// The node limit of each search of a side, exact play excepted; `None` without a limit.
    pub nodes: PerSide<Option<u64>>,
    /// The ProbCut confidence of the fixed-depth searches of black and of white.
    pub selectivity: PerSide<Selectivity>,
    /// The ProbCut schedule of each side's endgame searches above [`Self::exact`] empty squares.
    pub ends: PerSide<EndgameSchedule>,
    /// The number of empty squares at or below which games are played exactly.
    pub exact: PerfectFrom,
    /// The rules for drawing moves at random before exact play.
    pub exploration: Exploration,
    /// True if the record of a game contains the value that the search found for each move.
    pub values: bool,
}

/// In self-play to this depth or less, each search that does not go to the end of the game begins
/// with an empty transposition table. So a thread can use one table for all the games that it plays
/// at the same time, ply by ply. Entries of earlier searches would save little: most of the search
/// time goes into reading weights that are not in the processor's cache.
const SHALLOW_DEPTH: u32 = 5;

impl Settings {
    pub(super) fn searches_are_shallow(&self) -> bool {
        self.depth.black.max(self.depth.white) <= SHALLOW_DEPTH
    }

    /// Creates settings with random openings and the same depth for both sides; without ProbCut,
    /// without exploration, and without stored search values.
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
