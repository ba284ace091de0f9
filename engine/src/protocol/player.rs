use crate::analysis::{RatedMove, rated_moves};
use crate::board::{Position, Square};
use crate::eval::{Evaluate, Value};
use crate::openings::Book;
use crate::search::{Found, Level, Limits, Pruning, Search, Strength, TableError, Team};

/// A player, which chooses moves by searches at a level and, optionally, from an opening book.
#[derive(Debug)]
pub struct Player<'a, E: Evaluate> {
    team: Team<'a, E>,
    level: Level,
    strength: Strength,
    /// The pruning at every level; `None` if each level has its own pruning.
    pruning: Option<Pruning>,
    /// The opening book, used for a move if it has the position and the position after each move.
    pub book: Option<Book>,
    /// True if the player ponders: it also searches during the opponent's time.
    pub ponders: bool,
    /// The positions before and after the move that this player chose last; `None` without one.
    last: Option<[Position; 2]>,
}

impl<'a, E: Evaluate> Player<'a, E> {
    /// Creates a player; fails if the transposition table does not fit into memory.
    pub fn new(search: &Search<'a, E>, level: Level) -> Result<Self, TableError> {
        let (team, strength) = (search.team(1)?, level.selective().strength());
        let (pruning, book, ponders, last) = (None, None, false, None);
        let mut player = Self { team, level, strength, pruning, book, ponders, last };
        player.set_level(level);
        Ok(player)
    }

    /// Sets the same pruning for all levels. A level then determines only depth and exact solving.
    #[must_use]
    pub fn with_pruning(mut self, pruning: Pruning) -> Self {
        self.pruning = Some(pruning);
        self.set_level(self.level);
        self
    }

    /// Sets the level at which the player searches from now on.
    pub fn set_level(&mut self, level: Level) {
        let evaluator = self.team.leader().evaluator();
        let plan = level.plan(evaluator);
        let (strength, pruning) = match &self.pruning {
            Some(own) => (Strength { depth: level.number(), exact: plan.exact }, own.clone()),
            None => (plan.strength(), plan.pruning(evaluator)),
        };
        self.team.select(&pruning);
        (self.level, self.strength) = (level, strength);
    }

    /// Forgets earlier searches and moves, so that a new game can begin.
    pub fn new_game(&mut self) {
        self.team.leader().new_game();
        self.last = None;
    }

    /// Chooses a move from the book (the result has 0 nodes), or by a search at the player's level.
    pub fn choose(&mut self, position: &Position, limits: &Limits) -> Found {
        let found = match self.from_book(position) {
            Some((best, value)) => Found { best: Some(best), value, ..Found::default() },
            None => self.search(position, limits),
        };
        let after = found.best.and_then(|square| position.play(square));
        self.last = after.map(|after| [*position, after]);
        found
    }

    /// Returns true if the player ponders, and `position` is the one before or after its last move.
    pub fn has_to_ponder(&self, position: &Position) -> bool {
        self.ponders && self.last.is_some_and(|last| last.contains(position))
    }

    /// Searches the position after each reply to the last chosen move, the expected reply first, to
    /// fill the transposition table. Ends after all replies or at a limit.
    pub fn ponder(&mut self, limits: &Limits) {
        let Some([_, after]) = self.last else { return };
        for next in self.after_replies(&after) {
            let found = self.search(&next, limits);
            if found.depth < self.strength.depth_of(&next) {
                return;
            }
        }
    }

    /// Returns the position after each reply to `position` (or after a forced pass), the expected
    /// reply first. Omits positions in which this player must pass or the book has a move.
    fn after_replies(&mut self, position: &Position) -> Vec<Position> {
        if position.moves() == 0 {
            return vec![position.pass()];
        }
        let searcher = self.team.leader();
        let expected = searcher.remembered_move(position);
        let mut replies = searcher.move_values(position);
        replies.sort_by_key(|&(square, value)| (Some(square) != expected, -value));
        let next = replies.into_iter().filter_map(|(square, _)| position.play(square));
        next.filter(|next| next.moves() != 0 && self.from_book(next).is_none()).collect()
    }

    /// Searches at the player's level, within `limits`.
    pub fn search(&mut self, position: &Position, limits: &Limits) -> Found {
        let strength = self.strength;
        self.team.lead(|searcher| searcher.search_within(position, strength, limits))
    }

    /// Searches any position, even one without a legal move. If the player must pass, the value is
    /// for the player, but the best move is the opponent's. A finished game has no best move.
    pub fn value(&mut self, position: &Position, limits: &Limits) -> Found {
        if position.is_over() {
            let value = Value::from_score(position.score());
            return Found { value, depth: position.empties(), ..Found::default() };
        }
        if position.moves() != 0 {
            return self.search(position, limits);
        }
        let found = self.search(&position.pass(), limits);
        Found { value: -found.value, ..found }
    }

    /// Returns the best move by the opening book, with its value; `None` unless the book has the
    /// position and the position after each move.
    pub fn from_book(&self, position: &Position) -> Option<(Square, Value)> {
        // `best_move` alone also finds a game's last move if the book lacks the position.
        let book = self.book.as_ref().filter(|book| book.value(position).is_some())?;
        book.best_move(position)
    }

    /// Searches each legal move; `limits` apply to each search. Returns the moves, the best first.
    pub fn rated_moves(&mut self, position: &Position, limits: &Limits) -> Vec<RatedMove> {
        let strength = self.strength;
        self.team.lead(|searcher| rated_moves(searcher, position, strength, limits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Squares;
    use crate::eval::{Handwritten, Mobility};
    use crate::random::{Generator, random_position};

    fn player(level: u32) -> Player<'static, Handwritten> {
        let level = Level::new(level).unwrap();
        let player = Player::new(&Search::new(&Mobility).hash_mb(1), level).unwrap();
        Player { ponders: true, ..player }
    }

    /// After pondering, a search after any reply takes 1 node, because its result is in the table.
    #[test]
    fn what_was_pondered_is_not_searched_again() {
        let mut random = Generator::new(27);
        for (empties, cold_nodes) in [(40, 100), (16, 20), (12, 20)] {
            let position = random_position(&mut random, empties);
            let mut warm = player(5);
            let square = warm.choose(&position, &Limits::default()).best.unwrap();
            let after = position.play(square).unwrap();
            assert!(warm.has_to_ponder(&position) && warm.has_to_ponder(&after));
            warm.ponder(&Limits::default());
            let replies = Squares(after.moves()).map(|reply| after.play(reply).unwrap());
            for next in replies.filter(|next| next.moves() != 0) {
                assert!(!warm.has_to_ponder(&next));
                let cold = player(5).choose(&next, &Limits::default());
                let found = warm.search(&next, &Limits::default());
                assert_eq!(found.value, cold.value, "{next:?}");
                assert!(found.nodes == 1 && cold.nodes > cold_nodes, "{found:?} {cold:?}");
            }
        }
    }

    #[test]
    fn pondering_that_is_ended_has_thought_about_the_expected_reply() {
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let mut nodes = [0; 2];
        for position in (0..8).map(|seed| random_position(&mut Generator::new(seed), 36)) {
            let (mut warm, mut cold) = (player(8), player(8));
            let [after, _] = [&mut warm, &mut cold].map(|player| {
                let square = player.choose(&position, &Limits::default()).best.unwrap();
                position.play(square).unwrap()
            });
            let expected = warm.team.leader().remembered_move(&after).unwrap();
            let next = after.play(expected).unwrap();
            let mut fresh = Search::new(&Mobility).hash_mb(1).searcher().unwrap();
            assert_eq!(-fresh.search(&next, 6).value, fresh.search(&after, 7).value);
            warm.ponder(&limits);
            let [found, expected] =
                [warm.search(&next, &Limits::default()), cold.search(&next, &Limits::default())];
            assert_eq!(found.value, expected.value, "{position:?}");
            nodes = [nodes[0] + found.nodes, nodes[1] + expected.nodes];
        }
        assert!(4 * nodes[0] < 3 * nodes[1], "{nodes:?}");
    }

    #[test]
    fn nothing_is_pondered_where_it_is_not_asked_for_or_no_move_was_chosen() {
        let mut silent = Player { ponders: false, ..player(1) };
        silent.choose(&Position::START, &Limits::default());
        assert!(!silent.has_to_ponder(&Position::START));
        let mut new = player(1);
        new.choose(&Position::START, &Limits::default());
        new.new_game();
        assert!(!new.has_to_ponder(&Position::START));
        new.ponder(&Limits::default());
    }
}
