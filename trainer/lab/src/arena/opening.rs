//! An opening and a game that leads to it, for players that can only start from whole games.

use std::collections::BTreeSet;

use othello_engine::board::{Position, Side, Squares, Symmetry};
use othello_engine::protocol::{Board, Turn};
use othello_engine::record::Game;

/// A position from which a game starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The position, from the view of the side to move.
    pub position: Position,
    /// The side to move; black if no game leads to the position.
    pub side: Side,
    /// Turns that lead to the position from the start of the game, if found.
    pub path: Option<Vec<Turn>>,
}

/// The greatest number of positions in the search for such a game: enough for an opening of 12
/// plies.
const MOST_POSITIONS: usize = 200_000;

impl Opening {
    /// Creates the opening with a game that leads to it. If no game is found, tries the symmetric
    /// images of the position.
    pub fn new(position: Position) -> Self {
        for symmetry in Symmetry::all() {
            let target = position.image(symmetry);
            let mut search = Search { target, seen: BTreeSet::new(), path: vec![] };
            if search.reach(&Position::START) {
                let side =
                    if search.path.len().is_multiple_of(2) { Side::Black } else { Side::White };
                return Self { position: target, side, path: Some(search.path) };
            }
        }
        Self::without_path(position)
    }

    /// Returns the positions of a game in which a move was played, each as an opening with the game
    /// up to that position.
    pub fn along(game: &Game) -> Vec<Self> {
        let (mut board, mut path, mut openings) = (Board::default(), vec![], vec![]);
        for &square in game.squares() {
            if board.position().moves() == 0 && board.play(board.side(), None).is_ok() {
                path.push(None);
            }
            let (position, side) = (*board.position(), board.side());
            openings.push(Self { position, side, path: Some(path.clone()) });
            // The moves of a record are legal.
            if board.play(side, Some(square)).is_err() {
                break;
            }
            path.push(Some(square));
        }
        openings
    }

    /// Creates the opening without a game, for players that can start from any position.
    pub fn without_path(position: Position) -> Self {
        Self { position, side: Side::Black, path: None }
    }
}

struct Search {
    target: Position,
    seen: BTreeSet<Position>,
    path: Vec<Turn>,
}

impl Search {
    /// Returns true if the target can be reached; then `path` leads to it.
    fn reach(&mut self, position: &Position) -> bool {
        if *position == self.target {
            return true;
        }
        if self.seen.len() >= MOST_POSITIONS || !self.seen.insert(*position) {
            return false;
        }
        let moves = position.moves();
        if moves == 0 {
            return !position.is_over() && self.step(None, &position.pass());
        }
        // No disc ever leaves the board.
        let occupied = self.target.player() | self.target.opponent();
        let on_the_way = Squares(moves & occupied);
        on_the_way.into_iter().any(|square| {
            let next = position.after(square, position.flips(square));
            self.step(Some(square), &next)
        })
    }

    fn step(&mut self, turn: Turn, next: &Position) -> bool {
        self.path.push(turn);
        let reached = self.reach(next);
        if !reached {
            self.path.pop();
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::protocol::Board;
    use othello_testing::random_games::random_moves;

    #[test]
    fn openings_of_games_are_reached_whatever_image_they_are() {
        for game in 0..40 {
            let plies = 1 + game as usize % 12;
            let mut board = Board::default();
            for square in random_moves(game).into_iter().take(plies) {
                if board.position().moves() == 0 {
                    board.play(board.side(), None).unwrap();
                }
                board.play(board.side(), Some(square)).unwrap();
            }
            for symmetry in Symmetry::all() {
                let opening = Opening::new(board.position().image(symmetry));
                let mut replayed = Board::default();
                for turn in opening.path.unwrap() {
                    replayed.play(replayed.side(), turn).unwrap();
                }
                assert_eq!(
                    (*replayed.position(), replayed.side()),
                    (opening.position, opening.side)
                );
                assert_eq!(opening.position.canonical(), board.position().canonical());
            }
        }
    }

    #[test]
    fn every_position_of_a_game_is_reached_by_the_game_itself() {
        let mut passes = 0;
        for number in 0..40 {
            let squares = random_moves(number);
            let openings = Opening::along(&Game::new(4, &squares).unwrap());
            assert_eq!(openings.len(), squares.len());
            for (opening, square) in openings.iter().zip(squares) {
                let mut replayed = Board::default();
                let path = opening.path.as_ref().unwrap();
                path.iter().for_each(|&turn| replayed.play(replayed.side(), turn).unwrap());
                passes += path.iter().filter(|turn| turn.is_none()).count();
                assert_eq!(
                    (replayed.position(), replayed.side()),
                    (&opening.position, opening.side)
                );
                assert!(opening.position.is_legal(square));
            }
        }
        assert!(passes > 10);
    }

    #[test]
    fn a_position_of_no_game_is_its_own_opening() {
        let position = Position::new(0b1, 0b1110).unwrap();
        let opening = Opening { position, side: Side::Black, path: None };
        assert_eq!(Opening::new(position), opening);
    }
}
