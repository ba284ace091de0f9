use super::{Exploration, Openings, PerfectFrom, Schedule};
use crate::board::Side;
use crate::search::{EndgameSchedule, Plan, Selectivity};

/// The settings of self-play games, which determine every move.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The seed of all random moves.
    pub seed: u64,
    /// The relative frequency of each number of plies before the first search of a game. These
    /// plies are the moves of the opening and random moves.
    pub random_plies: Schedule,
    /// The openings with which games begin.
    pub openings: Openings,
    /// The searches of each side before exact play.
    pub sides: PerSide<SideSettings>,
    /// The greatest number of empty squares at which a game is played exactly, drawn from a range.
    pub exact: PerfectFrom,
    /// The rules for drawing moves at random before exact play.
    pub exploration: Exploration,
    /// True if the record of a game contains the value that the search found for each move.
    pub values: bool,
}

/// The settings of a side's searches before exact play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideSettings {
    /// The depth of each search in plies, at least 1.
    pub depth: u32,
    /// The node limit of each search; `None` without a limit.
    pub nodes: Option<u64>,
    /// The ProbCut confidence of fixed-depth searches.
    pub selectivity: Selectivity,
    /// The ProbCut confidence by number of empty squares, for searches to the end of the game that
    /// begin above [`Settings::exact`] empty squares.
    pub ends: EndgameSchedule,
}

impl SideSettings {
    /// Creates settings of searches to a depth, without ProbCut.
    pub fn to_depth(depth: u32) -> Self {
        let Plan { selectivity, ends, .. } = Plan::to_depth(depth);
        Self { depth, nodes: None, selectivity, ends }
    }
}

/// The greatest search depth at which a thread plays several games in turn, one ply of each, so
/// that the weights for this ply stay in the cache. Such games clear the transposition table before
/// each move.
const SHALLOW_DEPTH: u32 = 5;

impl Settings {
    pub(super) fn searches_are_shallow(&self) -> bool {
        self.sides.black.depth.max(self.sides.white.depth) <= SHALLOW_DEPTH
    }

    /// Creates settings with random openings. ProbCut, exploration and values in records are off.
    pub fn new(
        seed: u64,
        random_plies: Schedule,
        depth: u32,
        exact: impl Into<PerfectFrom>,
    ) -> Self {
        Self {
            seed,
            random_plies,
            openings: Openings::Random,
            sides: PerSide::both(SideSettings::to_depth(depth)),
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

impl<T: Clone> PerSide<T> {
    /// Creates a pair with the same value for both sides.
    pub fn both(one: T) -> Self {
        Self { black: one.clone(), white: one }
    }

    /// Returns the value for a side.
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::Black => &self.black,
            Side::White => &self.white,
        }
    }
}
