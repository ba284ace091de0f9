//! The player behind a server: an evaluation, a search strength and a book of openings.

use std::time::{Duration, Instant};

use crate::analysis::{Level, RatedMove, rated_moves};
use crate::board::{Position, Square};
use crate::eval::{Evaluate, Value};
use crate::openings::Book;
use crate::search::{Found, Limits, Searcher};

/// A searcher with a level and an optional book.
#[derive(Debug)]
pub struct Player<'a, E: Evaluate> {
    searcher: Searcher<'a, E>,
    /// The level of play.
    pub level: Level,
    book: Option<Book>,
    /// True if the player also thinks in the other side's time.
    ponders: bool,
    /// The last position in which it chose a move, and the position after that move.
    last: Option<[Position; 2]>,
}

/// A move that a player chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The square, if there is a legal move.
    pub square: Option<Square>,
    /// The value of the position for its player.
    pub value: Value,
    /// The number of nodes of the search; 0 for a move from the book.
    pub nodes: u64,
    /// True if the move is from the book.
    pub from_book: bool,
}

impl<'a, E: Evaluate> Player<'a, E> {
    /// Creates a player with this searcher.
    pub fn new(searcher: Searcher<'a, E>, level: Level) -> Self {
        Self { searcher, level, book: None, ponders: false, last: None }
    }

    /// Sets the book, from which the player plays while the book knows the positions after all
    /// moves.
    #[must_use]
    pub fn with_book(self, book: Option<Book>) -> Self {
        Self { book, ..self }
    }

    /// Sets whether the player also thinks in the other side's time.
    #[must_use]
    pub fn with_pondering(self, ponders: bool) -> Self {
        Self { ponders, ..self }
    }

    /// Returns whether the player also thinks in the other side's time.
    pub fn ponders(&self) -> bool {
        self.ponders
    }

    /// Forgets earlier searches and moves.
    pub fn new_game(&mut self) {
        self.searcher.new_game();
        self.last = None;
    }

    /// Returns the move to play: from the book, or by a search to the level's strength, which ends
    /// after `time`, if given.
    pub fn choose(&mut self, position: &Position, time: Option<Duration>) -> Choice {
        let choice = self.find(position, time);
        let after = choice.square.and_then(|square| position.play(square));
        self.last = after.map(|after| [*position, after]);
        choice
    }

    fn find(&mut self, position: &Position, time: Option<Duration>) -> Choice {
        if let Some((square, value)) = self.from_book(position) {
            return Choice { square: Some(square), value, nodes: 0, from_book: true };
        }
        let Found { best, value, nodes, .. } = match time {
            None => self.search(position),
            Some(time) => self.search_for(position, time),
        };
        Choice { square: best, value, nodes, from_book: false }
    }

    /// Returns whether there is something to ponder while the game is at this position: the last
    /// move was chosen in it, or led to it.
    pub fn has_to_ponder(&self, position: &Position) -> bool {
        self.ponders && self.last.is_some_and(|last| last.contains(position))
    }

    /// Ponders after the last chosen move: searches the positions after each reply, that after the
    /// expected reply first, until all are done or a limit ends it. The next search then finds its
    /// entries in the table.
    pub fn ponder(&mut self, limits: &Limits) {
        let Some([_, after]) = self.last else { return };
        let strength = self.level.strength();
        for next in self.after_replies(&after) {
            let found = strength.search_by_clock(&mut self.searcher, &next, limits);
            if found.depth < strength.depth_of(&next) {
                return;
            }
        }
    }

    /// Returns the positions after each reply to a move, if they need a search: the reply that the
    /// last search expected first, the others by their static values.
    fn after_replies(&mut self, position: &Position) -> Vec<Position> {
        if position.moves() == 0 {
            return vec![position.pass()];
        }
        let expected = self.searcher.remembered_move(position);
        let mut replies = self.searcher.move_values(position);
        replies.sort_by_key(|&(square, value)| (Some(square) != expected, -value));
        let next = replies.into_iter().filter_map(|(square, _)| position.play(square));
        next.filter(|next| next.moves() != 0 && self.from_book(next).is_none()).collect()
    }

    /// Searches a position with the level's strength.
    pub fn search(&mut self, position: &Position) -> Found {
        self.level.strength().search(&mut self.searcher, position)
    }

    /// Returns the value of any position for its player. If the player must pass, it is that after
    /// the pass; a finished game has its score.
    pub fn value(&mut self, position: &Position) -> Value {
        if position.is_over() {
            return Value::from_score(position.score());
        }
        match position.moves() {
            0 => -self.search(&position.pass()).value,
            _ => self.search(position).value,
        }
    }

    /// Searches a position for at most `time`, even where play would be perfect.
    fn search_for(&mut self, position: &Position, time: Duration) -> Found {
        // A time that overflows is no limit.
        let deadline = Instant::now().checked_add(time);
        let limits = Limits { deadline, ..Limits::default() };
        self.level.strength().search_by_clock(&mut self.searcher, position, &limits)
    }

    /// Returns the best move by the book and its value; `None` if the book does not know the
    /// position and those after all moves.
    pub fn from_book(&self, position: &Position) -> Option<(Square, Value)> {
        // A book also gives the score after a last move of a game, from a position that it does not
        // know.
        let book = self.book.as_ref().filter(|book| book.value(position).is_some())?;
        book.best_move(position)
    }

    /// Returns the moves that the book knows, the best first, with their values.
    pub fn book_moves(&self, position: &Position) -> Vec<(Square, Value)> {
        self.book.as_ref().map(|book| book.moves(position)).unwrap_or_default()
    }

    /// Returns all moves with their values and best lines, the best first.
    pub fn rated_moves(&mut self, position: &Position) -> Vec<RatedMove> {
        rated_moves(&mut self.searcher, position, self.level.strength())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Squares;
    use crate::eval::Mobility;
    use crate::random::{Generator, random_position};

    fn player(level: u32) -> Player<'static, Mobility> {
        let level = Level::new(level).unwrap();
        Player::new(Searcher::new(&Mobility, 1), level).with_pondering(true)
    }

    /// After every reply, before perfect play and in it, nothing is left to search.
    #[test]
    fn what_was_pondered_is_not_searched_again() {
        let mut random = Generator::new(27);
        for (empties, cold_nodes) in [(40, 100), (16, 20), (12, 20)] {
            let position = random_position(&mut random, empties);
            let mut warm = player(5);
            let square = warm.choose(&position, None).square.unwrap();
            let after = position.play(square).unwrap();
            assert!(warm.has_to_ponder(&position) && warm.has_to_ponder(&after));
            warm.ponder(&Limits::default());
            let replies = Squares(after.moves()).map(|reply| after.play(reply).unwrap());
            for next in replies.filter(|next| next.moves() != 0) {
                assert!(!warm.has_to_ponder(&next));
                let cold = player(5).choose(&next, None);
                let found = warm.search(&next);
                assert_eq!(found.value, cold.value, "{next:?}");
                assert!(found.nodes == 1 && cold.nodes > cold_nodes, "{found:?} {cold:?}");
            }
        }
    }

    /// The reply that the last search expects comes first; an unfinished search is useful too.
    #[test]
    fn pondering_that_is_ended_has_thought_about_the_expected_reply() {
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let mut nodes = [0; 2];
        for position in (0..8).map(|seed| random_position(&mut Generator::new(seed), 36)) {
            let (mut warm, mut cold) = (player(8), player(8));
            let [after, _] = [&mut warm, &mut cold].map(|player| {
                let square = player.choose(&position, None).square.unwrap();
                position.play(square).unwrap()
            });
            let expected = warm.searcher.remembered_move(&after).unwrap();
            let next = after.play(expected).unwrap();
            let mut fresh = Searcher::new(&Mobility, 1);
            assert_eq!(-fresh.search(&next, 6).value, fresh.search(&after, 7).value);
            warm.ponder(&limits);
            let [found, expected] = [warm.search(&next), cold.search(&next)];
            assert_eq!(found.value, expected.value, "{position:?}");
            nodes = [nodes[0] + found.nodes, nodes[1] + expected.nodes];
        }
        assert!(4 * nodes[0] < 3 * nodes[1], "{nodes:?}");
    }

    #[test]
    fn nothing_is_pondered_where_it_is_not_asked_for_or_no_move_was_chosen() {
        let mut silent = player(1).with_pondering(false);
        silent.choose(&Position::START, None);
        assert!(!silent.has_to_ponder(&Position::START));
        let mut new = player(1);
        new.choose(&Position::START, None);
        new.new_game();
        assert!(!new.has_to_ponder(&Position::START));
        new.ponder(&Limits::default());
    }
}
