//! The settings of self-play.

use super::{Exploration, Openings, PerSide, PerfectFrom, Schedule};
use crate::search::{EndgameSchedule, Selectivity};

/// The settings that determine how games are played.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The seed of all random moves.
    pub seed: u64,
    /// The number of moves at the beginning of a game that come from [`Self::openings`], not from a
    /// search.
    pub random_plies: Schedule,
    /// The source of the moves at the beginning.
    pub openings: Openings,
    /// The depth of the search for each side's moves, at least 1.
    pub depth: PerSide<u32>,
    /// The limit on the nodes of a search before perfect play, if there is one.
    pub nodes: PerSide<Option<u64>>,
    /// The ProbCut confidence of midgame searches, before perfect play.
    pub selectivity: PerSide<Selectivity>,
    /// The ProbCut schedule of searches to the end before perfect play.
    pub ends: PerSide<EndgameSchedule>,
    /// The number of empty squares at or below which play is perfect. Above it, [`Self::ends`] may
    /// prescribe pruned searches to the end.
    pub exact: PerfectFrom,
    /// The rules for drawing moves before perfect play at random.
    pub exploration: Exploration,
    /// True if games keep the value found for each move.
    pub values: bool,
}

/// The greatest depth of a shallow search, which begins with an empty transposition table. A
/// shallow search would gain little from the table of the previous move: it spends most of its time
/// on weights outside the cache.
const SHALLOW_DEPTH: u32 = 5;

impl Settings {
    /// Returns whether both sides' searches are shallow: each then begins with empty tables.
    pub(super) fn searches_are_shallow(&self) -> bool {
        self.depth.black.max(self.depth.white) <= SHALLOW_DEPTH
    }

    /// Creates settings with random beginnings and equal depth, without values.
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
