//! Game-tree search: to a depth, under limits of nodes or time, and exact solving.
//!
//! A [`Search`] has the settings (evaluation, depth or [`Level`], [`Pruning`], [`Limits`], memory,
//! threads) and searches one position or many. For searches that share a transposition table, it
//! creates a [`Searcher`], a [`Team`] of threads for one position, or a pool ([`Searchers`]).
//!
//! ```
//! # use othello_engine::board::Position;
//! # use othello_engine::eval::{Evaluator, WeightsChoice};
//! # use othello_engine::search::Search;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let evaluator = Evaluator::load(&WeightsChoice::Embedded)?;
//! let found = Search::new(&evaluator).hash_mb(16).depth(6).find(&Position::START)?;
//! assert_eq!(found.depth, 6);
//! # Ok(())
//! # }
//! ```
//!
//! # Structure
//!
//! | module | algorithm | place of use |
//! |---|---|---|
//! | `strength`, `limits` | the order of searches to a depth and to the end; when to stop | root |
//! | `midgame` | iterative deepening by two plies, aspiration windows; plain alpha-beta below depth 3 | root; leaves |
//! | `pvs` | principal variation search, enhanced transposition cutoff; `SearchMode` has the differences between midgame and endgame | depth ≥ 3, or ≥ 14 empty squares |
//! | `endgame` | a fixed-depth search guesses the score; the selectivity ladder (`endgame/ladder`) improves the guess; windows around it find the exact score. Moves are ordered by a shallow search (`endgame/pvs`) or, near the end, by replies or parity (`endgame/null_window`); `endgame/last` searches the last four squares | searches to the end |
//! | `probcut` | Multi-ProbCut by a search of about half the depth | in `pvs` |
//! | `realization` | search by realization probability: a line ends where its probability falls below a threshold | in place of `pvs` |
//! | `table`, `shallow_table` | transposition tables, for `pvs` nodes and for null windows near the end | |
//! | `team`, `split_search` | parallel search at split points (young brothers wait) | [`Team`] |
//!
//! The state of the evaluation contains the configuration index of every pattern instance. Each
//! square has a vector: the numbers that a disc of the player on this square adds to these indices.
//! A placed disc adds the vector of its square, each flipped disc adds the vector of its own square
//! twice, and the change of sides negates all indices. The root chooses the instruction set once;
//! below the root, it is a type parameter (`#[compiled_for(I::SET)]`).
//!
//! # Determinism
//!
//! With one thread and no limit of time, a search is a function of the position, the settings and
//! the content of the table: it visits the same nodes on every machine. The table stores the
//! ProbCut confidence of each bound, so that a search without pruning uses no bound of a pruned
//! search. In a team, exact scores do not depend on the number of threads, but the number of nodes
//! and the choice among equal moves do. No program that generates data uses a team or a clock.

mod builder;
mod endgame;
mod features;
mod level;
mod limits;
mod midgame;
mod ordering;
mod predictions;
mod probcut;
mod pruning;
mod pvs;
mod realization;
mod shallow_table;
mod slot;
mod split_search;
mod strength;
mod table;
mod team;
mod window;

#[cfg(test)]
pub(crate) mod tests;

use crate::board::{Position, Square, Squares};
use crate::eval::{Evaluate, Value};
use crate::simd::{Instructions, Portable};
use crate::with_instructions;
use arrayvec::ArrayVec;
use limits::Control;
use midgame::Horizon;
use ordering::Tuning;
use probcut::ProbCutSettings;
use shallow_table::ShallowTable;
use split_search::Split;
use std::sync::Arc;
use table::Table;
use team::Pool;
use window::Best;

pub use builder::{Search, Searchers};
pub use features::Features;
pub use level::{Level, Plan};
pub use limits::Limits;
pub use predictions::{Predictions, ScorePrediction, SearchPrediction};
pub use probcut::{Selectivity, shallow_depth, shallow_depth_of_end};
pub use pruning::{EndgameSchedule, Pruning};
pub use strength::Strength;
pub use table::TableError;
pub use team::Team;

const PLIES_OF_NODES: usize = 61;

/// A searcher searches one position after another. Its transposition table keeps earlier results.
///
/// A *node* is a position that the search enters by a move or a pass, down to positions with one
/// empty square. The root is counted as a node each time it is searched. Nodes of shallow searches
/// for move ordering are counted; positions that move ordering only evaluates are not.
///
/// The type `I` is the processor's instruction set for which the code below the root is compiled.
#[derive(Debug)]
#[repr(C)] // It is laid out the same with every set.
pub struct Searcher<'a, E: Evaluate, I: Instructions = Portable> {
    evaluator: &'a E,
    table: Arc<Table>,
    shallow_table: ShallowTable,
    features: Features,
    pub(crate) pruning: Pruning,

    // Each search resets these fields; limits.rs decides when the search ends.
    nodes: u64,
    endgame_probcut: ProbCutSettings,
    ladder: Option<Arc<[ProbCutSettings]>>,
    control: Control,

    tuning: Tuning,
    /// The move of the last beta cutoff at a node of depth 1. It often causes the next such cutoff.
    refutation: Option<Square>,

    /// True while a shallow search for move ordering evaluates leaves with the weights of the fixed
    /// ply `RATING_PLY` (see `midgame`), instead of the weights of each leaf's own ply.
    is_rating: bool,
    /// The number of nodes at each ply of the game, counted only in searches by realization
    /// probability.
    pub(crate) nodes_by_ply: [u64; PLIES_OF_NODES],

    pool: Option<Arc<Pool<E::State>>>,
    /// The split point whose moves this searcher is searching; `None` outside split points.
    split: Option<Arc<Split<E::State>>>,

    set: I,
}

/// The result of a search to a fixed depth or to the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The value of the position for the side to move.
    pub value: Value,
    /// A best move; `None` at depth 0, or if the player has no move.
    pub best: Option<Square>,
    /// The number of nodes that the search visited.
    pub nodes: u64,
    /// The depth of the search in moves, not counting passes; at most the number of empty squares.
    pub depth: u32,
    /// The ProbCut confidence of the search; [`Selectivity::Full`] without pruning.
    pub selectivity: Selectivity,
}

impl<'a, E: Evaluate> Searcher<'a, E> {
    fn with_table(evaluator: &'a E, table: Table) -> Self {
        Self {
            evaluator,
            table: Arc::new(table),
            shallow_table: ShallowTable::new(),
            features: Features::ALL,
            nodes: 0,
            tuning: Tuning::of(&Position::START, 0, 0),
            refutation: None,
            is_rating: false,
            pruning: Pruning::default(),
            endgame_probcut: ProbCutSettings::default(),
            ladder: None,
            nodes_by_ply: [0; PLIES_OF_NODES],
            control: Control::default(),
            pool: None,
            split: None,
            set: Portable,
        }
    }

    /// Forgets all earlier searches. Later searches give the same results as with a new searcher.
    pub fn new_game(&mut self) {
        self.shallow_table.step_generation();
        self.table.step_generation();
    }

    /// Searches a position to `depth`. If this reaches the end of the game, the search prunes at
    /// the ProbCut confidence `selectivity`, or not at all if `self.pruning` has no settings for
    /// this confidence. If `selectivity` is `None`, the endgame ProbCut schedule sets it.
    pub(crate) fn search_to(
        &mut self,
        position: &Position,
        depth: u32,
        selectivity: Option<Selectivity>,
        limits: &Limits,
    ) -> Found {
        let end = match selectivity {
            Some(selectivity) => self.pruning.probcut_of(selectivity),
            None => self.pruning.end(position.empties()),
        };
        with_instructions!(|set| self.by(set).search_here(position, depth, end, limits))
    }

    fn by<I: Instructions>(&mut self, _: I) -> &mut Searcher<'a, E, I> {
        const { assert!(size_of::<I>() == 0 && align_of::<I>() == 1) };
        // SAFETY: the two types differ only in the zero-sized field `set`, at the end of a
        // `repr(C)` struct, and a value of type `I` proves that the processor has the instructions.
        unsafe { &mut *(&raw mut *self).cast() }
    }

    /// Returns each legal move with the static value of the position after it. The value is for the
    /// side that makes the move. The value of a finished game is its score.
    pub fn move_values(&mut self, position: &Position) -> ArrayVec<(Square, Value), 64> {
        let state = self.evaluator.state(position);
        let mut value = |square: Square| {
            let flips = position.flips(square);
            let child = position.after(square, flips);
            let state = self.evaluator.after(&state, square, flips);
            let [least, greatest] = [-Value::INFINITE, Value::INFINITE];
            with_instructions!(|set| {
                -self.by(set).alpha_beta(&child, &state, least, greatest, 0)
            })
        };
        Squares(position.moves()).map(|square| (square, value(square))).collect()
    }

    /// Searches a position to the end of the game. The value is the score under perfect play,
    /// unless an endgame ProbCut schedule prunes the search.
    pub fn solve(&mut self, position: &Position) -> Found {
        self.search(position, position.empties())
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    fn search_here(
        &mut self,
        position: &Position,
        depth: u32,
        end: ProbCutSettings,
        limits: &Limits,
    ) -> Found {
        let empties = position.empties();
        self.endgame_probcut = end;
        self.nodes = 0;
        self.nodes_by_ply = [0; PLIES_OF_NODES];
        self.control = Control::new(limits, true);
        let reached = if depth >= empties {
            let solved = self.endgame_to_the_end(position);
            solved.map_or_else(|guess| guess, |best| Reached { best, depth: empties })
        } else {
            self.iterate(position, depth, Horizon::by(&self.pruning))
        };
        let Reached { best: Best { value, mut square }, depth } = reached;
        if square.is_none() && depth > 0 && position.moves() != 0 {
            // With several threads or with pruning, the table may have a score without its move.
            let state = self.evaluator.state(position);
            square = self.remembered_move(position).or(self.one_ply(position, &state).best.square);
        }
        let is_end = depth >= empties;
        let selectivity =
            if is_end { self.endgame_probcut.selectivity } else { self.pruning.selectivity() };
        Found { value, best: square, nodes: self.nodes, depth, selectivity }
    }

    /// Returns the best move that the transposition table has for the position, if any.
    pub fn remembered_move(&self, position: &Position) -> Option<Square> {
        self.table.probe(position)?.best()[0]
    }

    /// Returns the evaluation that the searcher uses.
    pub fn evaluator(&self) -> &E {
        self.evaluator
    }

    /// Sets the pruning of later searches.
    pub fn select(&mut self, pruning: Pruning) {
        self.pruning = pruning;
    }
}

#[derive(Clone, Copy, Debug)]
struct Reached {
    best: Best,
    depth: u32,
}
