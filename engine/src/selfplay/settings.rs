//! The settings of self-play.

use super::{Exploration, Openings, PerSide, Schedule};
use crate::search::{EndSteps, Selectivity};

/// How games are played.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The seed of all random moves.
    pub seed: u64,
    /// The number of moves that games begin with and no search decides.
    pub random_plies: Schedule,
    /// The source of the moves that games begin with.
    pub openings: Openings,
    /// The depth of the search for each side's moves, at least 1.
    pub depth: PerSide<u32>,
    /// The number of nodes in which a search for a move before perfect play ends, with the deepest search that
    /// was done; `None` where depth alone ends it.
    pub nodes: Option<u64>,
    /// The selectivity of searches before perfect play.
    pub selectivity: Selectivity,
    /// The selective ends before perfect play.
    pub ends: EndSteps,
    /// The number of empty squares from which on play is perfect.
    pub exact: u32,
    /// The moves before perfect play that are drawn by chance instead of chosen by the search.
    pub exploration: Exploration,
    /// Whether games keep the value found for each move.
    pub values: bool,
}

/// The greatest depth of a shallow search: most of its time goes to weights that are not in the
/// processor's cache, and little of it could be saved by what the search of the move before left in the table.
const SHALLOW_DEPTH: u32 = 5;

impl Settings {
    /// Says whether both sides' searches before perfect play are shallow. Each of them begins with
    /// empty tables then.
    pub(super) fn searches_are_shallow(&self) -> bool {
        self.depth.black.max(self.depth.white) <= SHALLOW_DEPTH
    }

    /// The number of empty squares from which on searches go to the end of the game.
    pub(super) fn to_the_end(&self) -> u32 {
        self.ends.most_empties().max(self.exact)
    }

    /// Games after random moves, both sides searching equally deep, without values.
    pub fn new(seed: u64, random_plies: Schedule, depth: u32, exact: u32) -> Self {
        let depth = PerSide::both(depth);
        Self {
            seed,
            random_plies,
            openings: Openings::Random,
            depth,
            nodes: None,
            selectivity: Selectivity::Full,
            ends: EndSteps::NONE,
            exact,
            exploration: Exploration::NONE,
            values: false,
        }
    }
}
