//! Searching a position: to a fixed depth, or to the end of the game.
//!
//! One thread, no clock, no randomness: a search is a function of the position, the depth and
//! what the table holds, so that the same search visits the same nodes on every machine. Only where a
//! caller asks for it do several threads work on one position ([`Team`]), or a clock end a search ([`Limits`]).

mod brothers;
mod costs;
mod endgame;
mod ends;
mod enhanced;
mod features;
mod limits;
mod midgame;
mod ordering;
mod prefetch;
mod probcut;
mod realization;
mod searchers;
mod selection;
mod shallow_table;
mod slot;
mod split;
mod strength;
mod table;
mod team;
mod tuning;
mod values;
mod window;

#[cfg(test)]
mod tests;

use crate::board::{Discs, Position, Square};
use crate::eval::{Evaluate, Value};
use ends::End;
use limits::Control;
use midgame::Going;
use shallow_table::ShallowTable;
use split::Split;
use std::sync::Arc;
use table::Table;
use team::Pool;
use tuning::Tuning;
use window::Best;

pub use ends::{EndSteps, EndStepsError};
pub use features::Features;
pub use limits::Limits;
pub use probcut::{Selectivity, SelectivityError, shallow_depth, shallow_depth_of_end};
pub use searchers::Searchers;
pub use selection::Selection;
pub use strength::Strength;
pub use table::TableError;
pub use team::Team;
pub use values::{strong_values, values};

/// The plies of a game, the end of a full board among them.
const PLIES_OF_NODES: usize = 61;

/// Searches positions one after another, and remembers what it learned in a transposition table.
///
/// A *node* is a position entered, by a move or by a pass, down to the last one with an empty
/// square; the root is one each time it is searched again. Positions that are only looked at to
/// order moves are not nodes, unless they are searched for it.
#[derive(Debug)]
pub struct Searcher<'a, E: Evaluate> {
    evaluator: &'a E,
    table: Arc<Table>,
    shallow_table: ShallowTable,
    features: Features,
    nodes: u64,
    /// What suits the depth of the search.
    tuning: Tuning,
    /// The move that ended the last node above the leaves: it often ends the next one, too.
    refutation: Option<Square>,
    /// The selection of what searches to a fixed depth leave out.
    selection: Selection,
    /// The confidence of the search to the end that is under way.
    end: End,
    /// The nodes of a search by probability, by ply.
    nodes_by_ply: [u64; PLIES_OF_NODES],
    control: Control,
    /// The others of a team, while it works.
    pool: Option<Arc<Pool<E::State>>>,
    /// The split point that is worked at.
    split: Option<Arc<Split<E::State>>>,
}

/// The result of a search to a fixed depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The position's value for its player.
    pub value: Value,
    /// A move that attains it; `None` where the player has none, and at depth 0.
    pub best: Option<Square>,
    /// The number of positions entered.
    pub nodes: u64,
    /// The depth of the search in moves, passes not counted; no more than there were empty squares.
    pub depth: u32,
}

/// The result of perfect play by both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The score for the player: −64..=64.
    pub score: Discs,
    /// A move that attains it; `None` where the player has none.
    pub best: Option<Square>,
    /// The number of positions entered.
    pub nodes: u64,
}

impl<'a, E: Evaluate> Searcher<'a, E> {
    /// A searcher with a transposition table of about this size (at least one cluster of entries).
    /// Memory is taken as the table fills.
    ///
    /// # Panics
    /// Where there is no memory for the table: use [`Self::try_new`] for a size that a user chose.
    #[expect(clippy::expect_used, reason = "documented; as `Vec` does where there is no memory")]
    pub fn new(evaluator: &'a E, hash_megabytes: usize) -> Self {
        Self::try_new(evaluator, hash_megabytes).expect("memory for the transposition table")
    }

    /// A searcher with a transposition table of about this size, or the error that there is no
    /// memory for it.
    pub fn try_new(evaluator: &'a E, hash_megabytes: usize) -> Result<Self, TableError> {
        Ok(Self::with_table(evaluator, Table::new(hash_megabytes)?))
    }

    fn with_table(evaluator: &'a E, table: Table) -> Self {
        Self {
            evaluator,
            table: Arc::new(table),
            shallow_table: ShallowTable::new(),
            features: Features::ALL,
            nodes: 0,
            tuning: Tuning::of(&Position::START, 0, 0),
            refutation: None,
            selection: Selection::default(),
            end: End::default(),
            nodes_by_ply: [0; PLIES_OF_NODES],
            control: Control::default(),
            pool: None,
            split: None,
        }
    }

    /// This searcher with only these features.
    #[must_use]
    pub fn with_features(self, features: Features) -> Self {
        Self { features, ..self }
    }

    /// Says whether the value that a search of this position to the end finds is the score for sure.
    pub fn is_exact(&self, position: &Position) -> bool {
        self.selection.is_exact(position.empties())
    }

    /// Forgets everything: what follows is as with a new searcher.
    pub fn new_game(&mut self) {
        self.shallow_table.step_generation();
        self.table.step_generation();
    }

    /// The value of a position after `depth` moves by both sides, passes not counted: the same,
    /// whatever the table holds, as plain negamax to that depth finds. Finished games count what
    /// they scored, and from a depth of the number of empty squares on the value is exact.
    pub fn search(&mut self, position: &Position, depth: u32) -> Found {
        self.search_within(position, depth, &Limits::default())
    }

    /// The value as by [`Self::search`], or where a limit ends the search, that of the deepest one that was
    /// done, with its depth. The first and shallowest one is done in any case.
    pub fn search_within(&mut self, position: &Position, depth: u32, limits: &Limits) -> Found {
        let empties = position.empties();
        self.begin(limits, empties);
        let reached = if depth >= empties {
            match self.endgame_to_the_end(position) {
                Ok(Best { value, square }) => {
                    let best = Best { value: Value::from_score(value), square };
                    Reached { best, depth: empties }
                }
                Err(guess) => guess,
            }
        } else {
            self.iterate(position, depth, Going::by(&self.selection))
        };
        let Reached { best: Best { value, square }, depth } = reached;
        Found { value, best: square, nodes: self.nodes, depth }
    }

    /// The score of a position by perfect play of both sides.
    pub fn solve(&mut self, position: &Position) -> Solution {
        let Found { value, best, nodes, .. } = self.search(position, position.empties());
        Solution { score: value.score(), best, nodes }
    }

    /// The move that was best in a position when an earlier search came by it, where the table still holds it.
    pub fn remembered_move(&self, position: &Position) -> Option<Square> {
        self.table.probe(position)?.best()[0]
    }

    /// Begins a search of a position with so many empty squares.
    fn begin(&mut self, limits: &Limits, empties: u32) {
        self.end = self.selection.end(empties);
        self.nodes = 0;
        self.nodes_by_ply = [0; PLIES_OF_NODES];
        self.control = Control::new(limits, true);
    }
}

/// The best move of a search that was done, and its depth.
#[derive(Clone, Copy, Debug)]
struct Reached {
    best: Best<Value>,
    depth: u32,
}
