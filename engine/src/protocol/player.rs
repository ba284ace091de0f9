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
    /// Whether it thinks in the other side's time, too.
    ponders: bool,
    /// The position in which it chose a move last, and the one after that move.
    last: Option<[Position; 2]>,
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
        Self { searcher, level, book: None, ponders: false, last: None }
    }

    /// A player that plays from scored openings while it knows what all moves lead to.
    #[must_use]
    pub fn with_book(self, book: Option<Book>) -> Self {
        Self { book, ..self }
    }

    /// A player that thinks in the other side's time, too, or does not.
    #[must_use]
    pub fn with_pondering(self, ponders: bool) -> Self {
        Self { ponders, ..self }
    }

    /// Whether it thinks in the other side's time, too.
    pub fn ponders(&self) -> bool {
        self.ponders
    }

    /// Forgets what was searched before.
    pub fn new_game(&mut self) {
        self.searcher.new_game();
        self.last = None;
    }

    /// The move to play: from the book, or by a search that ends after some time, if one is given; that of the
    /// level ends it in any case.
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

    /// Whether there is something to think about in the other side's time while the game stands at this position: the
    /// last move was chosen in it, or led to it.
    pub fn has_to_ponder(&self, position: &Position) -> bool {
        self.ponders && self.last.is_some_and(|last| last.contains(position))
    }

    /// Thinks in the other side's time, after the move that was chosen last: searches what is going to be asked after each
    /// reply, the expected one first, until all are done or a limit ends it. The table then holds what the next search begins with.
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

    /// The positions after the replies to a move that will have to be searched: the one that the last search expected
    /// first, then by what the replies are worth at first sight.
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

    /// The reply that the last search expects comes first; what is begun when time is over is of use, too.
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
