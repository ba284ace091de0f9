//! Who plays behind a server: an evaluation, how strongly it searches, and the openings that it knows.

use std::time::{Duration, Instant};

use crate::analysis::{Level, RatedMove, rated_moves};
use crate::board::{Position, Square};
use crate::eval::{Evaluate, Value};
use crate::openings::Book;
use crate::search::{Found, Limits, Searcher};

/// A searcher with a level, and perhaps a book.
#[derive(Debug)]
pub struct Player<'a, E: Evaluate> {
    searcher: Searcher<'a, E>,
    /// The level at which it plays.
    pub level: Level,
    book: Option<Book>,
}

/// A move that a player chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The square, if there is a legal move.
    pub square: Option<Square>,
    /// The value of the position for its player.
    pub value: Value,
    /// The number of positions that were entered to find it; 0 where it is from the book.
    pub nodes: u64,
    /// Whether it is from the book.
    pub from_book: bool,
}

impl<'a, E: Evaluate> Player<'a, E> {
    /// A player with this searcher.
    pub fn new(searcher: Searcher<'a, E>, level: Level) -> Self {
        Self { searcher, level, book: None }
    }

    /// A player that plays from scored openings while it knows what all moves lead to.
    #[must_use]
    pub fn with_book(self, book: Option<Book>) -> Self {
        Self { book, ..self }
    }

    /// Forgets what was searched before.
    pub fn new_game(&mut self) {
        self.searcher.new_game();
    }

    /// The move to play: from the book, or by a search that ends after some time, if one is given; that of the
    /// level ends it in any case.
    pub fn choose(&mut self, position: &Position, time: Option<Duration>) -> Choice {
        if let Some((square, value)) = self.from_book(position) {
            return Choice { square: Some(square), value, nodes: 0, from_book: true };
        }
        let Found { best, value, nodes, .. } = match time {
            None => self.search(position),
            Some(time) => self.search_for(position, time),
        };
        Choice { square: best, value, nodes, from_book: false }
    }

    /// The best move of a position, if its player has one, and its value.
    pub fn search(&mut self, position: &Position) -> Found {
        self.level.strength().search(&mut self.searcher, position)
    }

    /// The value of any position for its player: one that must pass has that after the pass, and a finished game
    /// has its score.
    pub fn value(&mut self, position: &Position) -> Value {
        if position.is_over() {
            return Value::from_score(position.score());
        }
        match position.moves() {
            0 => -self.search(&position.pass()).value,
            _ => self.search(position).value,
        }
    }

    /// The best move by a search that ends after some time, perfect play included.
    fn search_for(&mut self, position: &Position, time: Duration) -> Found {
        // A time without end is none.
        let deadline = Instant::now().checked_add(time);
        let limits = Limits { deadline, ..Limits::default() };
        self.level.strength().search_by_clock(&mut self.searcher, position, &limits)
    }

    /// The best move by the book and what it is worth; `None` where the book does not know enough.
    pub fn from_book(&self, position: &Position) -> Option<(Square, Value)> {
        // A book also tells what the last move of a game comes to; it does not know that position.
        let book = self.book.as_ref().filter(|book| book.value(position).is_some())?;
        book.best_move(position)
    }

    /// The moves that the book knows, the best first, and what each is worth.
    pub fn book_moves(&self, position: &Position) -> Vec<(Square, Value)> {
        self.book.as_ref().map(|book| book.moves(position)).unwrap_or_default()
    }

    /// All moves, the best first.
    pub fn rated_moves(&mut self, position: &Position) -> Vec<RatedMove> {
        rated_moves(&mut self.searcher, position, self.level.strength())
    }
}
