//! Who plays behind a server: an evaluation, and how strongly it searches.

use crate::analysis::{Level, RatedMove, rated_moves};
use crate::board::Position;
use crate::eval::Evaluate;
use crate::search::{Found, Searcher};

/// A searcher with a level.
#[derive(Debug)]
pub struct Player<'a, E: Evaluate> {
    searcher: Searcher<'a, E>,
    /// The level at which it plays.
    pub level: Level,
}

impl<'a, E: Evaluate> Player<'a, E> {
    /// A player with this searcher.
    pub fn new(searcher: Searcher<'a, E>, level: Level) -> Self {
        Self { searcher, level }
    }

    /// Forgets what was searched before.
    pub fn new_game(&mut self) {
        self.searcher.new_game();
    }

    /// The best move of a position, if its player has one, and its value.
    pub fn search(&mut self, position: &Position) -> Found {
        self.level.strength().search(&mut self.searcher, position)
    }

    /// All moves, the best first.
    pub fn rated_moves(&mut self, position: &Position) -> Vec<RatedMove> {
        rated_moves(&mut self.searcher, position, self.level.strength())
    }
}
