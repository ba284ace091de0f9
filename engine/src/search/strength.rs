use super::{Found, Limits, Searcher};
use crate::board::Position;
use crate::eval::Evaluate;

/// If a search to the end of the game ([`Strength::exact`]) has limits, a search that is this many
/// plies shallower precedes it. The shallower search needs about a twentieth of the nodes, and its
/// result is used if no search to the end is completed.
const BEFORE_PERFECT: u32 = 8;

/// The strength of a search: a fixed depth, and exact solving near the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// The depth in plies; 0 for static values.
    pub depth: u32,
    /// The number of empty squares at or below which the search goes to the end of the game. Such a
    /// search solves the position exactly, unless an endgame ProbCut schedule prunes it.
    pub exact: u32,
}

impl From<u32> for Strength {
    fn from(depth: u32) -> Self {
        Self { depth, exact: 0 }
    }
}

impl Strength {
    /// A depth that reaches the end of any game.
    pub const ANY_DEPTH: u32 = 60;
    /// Exact solving from the start of the game.
    pub const PERFECT: Self = Self { depth: Self::ANY_DEPTH, exact: Self::ANY_DEPTH };

    /// Returns the depth of a search for a move: the number of empty squares if the search goes to
    /// the end of the game, and otherwise the fixed depth, but at least 1.
    pub fn depth_of(self, position: &Position) -> u32 {
        let empties = position.empties();
        if empties <= self.exact { empties } else { self.depth.clamp(1, empties) }
    }

    /// Returns the strength and the limits for a search of `position` that ends after about `nodes`
    /// nodes. A search at [`Self::exact`] or fewer empty squares ignores the limits. If `nodes` is
    /// given, a depth that would reach the end of the game is lowered until it does not: in steps
    /// of 2, so that it stays even or odd, and to no less than 1.
    pub fn in_nodes(self, position: &Position, nodes: Option<u64>) -> (Self, Limits) {
        let limits = Limits { nodes, spare_perfect_play: true, ..Limits::default() };
        let below = position.empties().saturating_sub(1);
        let of_its_parity = below.saturating_sub((below ^ self.depth) & 1);
        let is_too_deep = nodes.is_some() && self.depth > below;
        let depth = if is_too_deep { of_its_parity.max(1) } else { self.depth };
        (Self { depth, ..self }, limits)
    }
}

impl<E: Evaluate> Searcher<'_, E> {
    /// Searches a position to the depth of `strength`; passes do not count. Without pruning, the
    /// value is that of plain negamax: the exact score if the search reaches the end of the game.
    pub fn search(&mut self, position: &Position, strength: impl Into<Strength>) -> Found {
        self.search_within(position, strength, &Limits::default())
    }

    /// Searches like [`Self::search`], but to increasing depths within `limits`; returns the result
    /// of the last completed search. Limits of nodes and time do not end the first search. The
    /// interrupt flag does; the result is then that of a search to depth 1. With a limit of nodes
    /// or time, shallower and more pruned searches come before a search to the end of the game.
    pub fn search_within(
        &mut self,
        position: &Position,
        strength: impl Into<Strength>,
        limits: &Limits,
    ) -> Found {
        let (Strength { depth, exact }, empties) = (strength.into(), position.empties());
        if empties <= exact && !limits.spare_perfect_play {
            self.search_to_the_end_after(position, empties.saturating_sub(BEFORE_PERFECT), limits)
        } else if empties <= exact {
            self.search_to(position, empties, None, &Limits::default())
        } else if empties <= depth {
            self.search_to_the_end_after(position, empties.saturating_sub(1), limits)
        } else {
            self.search_to(position, depth, None, limits)
        }
    }

    /// Searches to the end of the game. With limits, searches first to `depth`, then to the end at
    /// ascending ProbCut confidences, and returns the result of the last completed search.
    fn search_to_the_end_after(
        &mut self,
        position: &Position,
        depth: u32,
        limits: &Limits,
    ) -> Found {
        let empties = position.empties();
        if !limits.are_set() {
            return self.search_to(position, empties, None, limits);
        }
        let mut found = self.search_to(position, depth, None, limits);
        if found.depth < depth {
            return found;
        }
        let stages = self.pruning.stages(empties).into_iter().map(Some).chain([None]);
        for stage in stages {
            let left = limits.nodes.map(|most| most.saturating_sub(found.nodes));
            let limits = Limits { nodes: left, ..limits.clone() };
            let whole = self.search_to(position, empties, stage, &limits);
            let nodes = found.nodes + whole.nodes;
            let is_better = whole.depth == empties || found.best.is_none();
            found = Found { nodes, ..if is_better { whole } else { found } };
            if whole.depth < empties {
                break;
            }
        }
        found
    }
}
