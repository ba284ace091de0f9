//! A game as a record.

use crate::board::notation::NotationError;
use crate::board::transcript::Replay;
use crate::board::{Discs, Square, Symmetry};

/// The score under perfect play, from some position of the game on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The ply of that position: the number of moves played before it.
    pub ply: u8,
    /// The score of the position for black, −64..=64 discs.
    pub black_score: Discs,
}

/// A game from the start position by the rules, finished or broken off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    random_plies: u8,
    squares: Vec<Square>,
    black_score: Option<Discs>,
    solved: Option<Solved>,
    values: Option<Vec<Option<i8>>>,
    deviations: u64,
}

/// The error for a record that is not a valid game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum GameError {
    #[error(transparent)]
    Move(#[from] NotationError),
    #[error("move {number} is said to be number {ordinal} of {legal} legal moves, counted from 0")]
    Ordinal {
        number: usize,
        /// The stated index, counted from 0.
        ordinal: u8,
        legal: u32,
    },
    #[error("{random_plies} random moves in a game of {moves}")]
    RandomPlies { random_plies: u8, moves: usize },
    #[error("solved at ply {ply}, which a game of {moves} moves does not reach")]
    SolvedPly { ply: u8, moves: usize },
    #[error("{black_score} is not a score; expected an even number from -64 to 64")]
    Score { black_score: Discs },
    #[error("{values} values for {moves} moves")]
    ValueCount { values: usize, moves: usize },
    #[error("value {value} at move {number}; expected -64 to 64")]
    Value {
        number: usize,
        /// The stated value, in discs.
        value: i8,
    },
    #[error("a move after the {moves} of the game is said to deviate from the search")]
    Deviation { moves: usize },
}

impl Game {
    /// Creates a game from its moves from the start position, black first. The first `random_plies`
    /// moves were drawn at random.
    pub fn new(random_plies: u8, squares: &[Square]) -> Result<Self, GameError> {
        Self::of_replay(random_plies, &Replay::from_start(squares)?)
    }

    pub(super) fn of_replay(random_plies: u8, replay: &Replay) -> Result<Self, GameError> {
        let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
        let moves = squares.len();
        if usize::from(random_plies) > moves {
            return Err(GameError::RandomPlies { random_plies, moves });
        }
        let black_score = replay.black_score();
        Ok(Self { random_plies, squares, black_score, solved: None, values: None, deviations: 0 })
    }

    /// Adds the score under perfect play.
    pub fn with_solved(self, solved: Solved) -> Result<Self, GameError> {
        let Solved { ply, black_score } = solved;
        let moves = self.squares.len();
        if usize::from(ply) > moves {
            return Err(GameError::SolvedPly { ply, moves });
        }
        // The empty squares go to the winner, so scores are even.
        if black_score.abs() > 64 || black_score % 2 != 0 {
            return Err(GameError::Score { black_score });
        }
        Ok(Self { solved: Some(solved), ..self })
    }

    /// Adds the values that were found when the moves were chosen: one for each move, in discs for
    /// the side that moves, `None` for moves without a search.
    pub fn with_values(self, values: Vec<Option<i8>>) -> Result<Self, GameError> {
        let moves = self.squares.len();
        if values.len() != moves {
            return Err(GameError::ValueCount { values: values.len(), moves });
        }
        for (index, value) in values.iter().enumerate() {
            if let Some(value) = value.filter(|value| !(-64..=64).contains(value)) {
                return Err(GameError::Value { number: index + 1, value });
            }
        }
        Ok(Self { values: Some(values), ..self })
    }

    /// Marks the moves that were drawn at random instead of chosen by the search: bit i is for the
    /// move at ply i. A value found before such a move tells nothing about the play after it.
    pub fn with_deviations(self, deviations: u64) -> Result<Self, GameError> {
        let moves = self.squares.len();
        match deviations >> moves {
            0 => Ok(Self { deviations, ..self }),
            _ => Err(GameError::Deviation { moves }),
        }
    }

    /// Returns the number of moves at the beginning that were drawn at random.
    pub fn random_plies(&self) -> u8 {
        self.random_plies
    }

    /// Returns the moves, without passes.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Returns the moves of the canonical image of the game: the one of its images under the eight
    /// symmetries of the board whose moves come first in order. All images have the same.
    pub fn canonical_squares(&self) -> Vec<Square> {
        let image = |symmetry: Symmetry| -> Vec<Square> {
            self.squares.iter().map(|&square| symmetry.square(square)).collect()
        };
        Symmetry::all().map(image).min().unwrap_or_default()
    }

    /// Returns the final score for black; `None` for a game that was broken off.
    pub fn black_score(&self) -> Option<Discs> {
        self.black_score
    }

    /// Returns the score under perfect play from some position on, if it is known.
    pub fn solved(&self) -> Option<Solved> {
        self.solved
    }

    /// Returns the value found for each move, if they were kept.
    pub fn values(&self) -> Option<&[Option<i8>]> {
        self.values.as_deref()
    }

    /// Returns the moves that were not chosen by the search: bit i is for the move at ply i.
    pub fn deviations(&self) -> u64 {
        self.deviations
    }

    /// Returns the number of positions to learn from: those after the random moves in which a move
    /// was played.
    pub fn positions(&self) -> usize {
        self.squares.len() - usize::from(self.random_plies)
    }

    /// Returns the positions of the game. The step with index i is at ply i.
    pub fn replay(&self) -> Replay {
        Replay::from_start(&self.squares).expect("a game is made only of moves that replay")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::transcript::parse;

    const WIPE_OUT: &str = "f5 d6 c5 f4 e7 f6 g5 e6 e3";

    fn game(text: &str) -> Game {
        Game::new(2, &parse(text).unwrap()).unwrap()
    }

    #[test]
    fn the_result_is_that_of_the_moves() {
        assert_eq!(game(WIPE_OUT).black_score(), Some(64));
        assert_eq!(game("f5 d6 c5").black_score(), None);
        assert_eq!((game(WIPE_OUT).positions(), game(WIPE_OUT).replay().steps.len()), (7, 9));
    }

    #[test]
    fn what_cannot_have_been_played_is_refused() {
        let moves = parse("f5 d6 c5").unwrap();
        let illegal = Game::new(0, &parse("f5 a1").unwrap()).unwrap_err();
        assert!(illegal.to_string().contains("move 2: a1"), "{illegal}");
        let random_plies = GameError::RandomPlies { random_plies: 4, moves: 3 };
        assert_eq!(Game::new(4, &moves), Err(random_plies));
        let solved = |ply, black_score| game("f5 d6 c5").with_solved(Solved { ply, black_score });
        assert!(solved(3, -64).is_ok());
        assert_eq!(solved(4, 0), Err(GameError::SolvedPly { ply: 4, moves: 3 }));
        assert_eq!(solved(3, 7), Err(GameError::Score { black_score: 7 }));
        assert_eq!(solved(3, 66), Err(GameError::Score { black_score: 66 }));
        let values = |values| game("f5 d6 c5").with_values(values);
        assert!(values(vec![None, Some(-64), Some(64)]).is_ok());
        assert_eq!(values(vec![None]), Err(GameError::ValueCount { values: 1, moves: 3 }));
        let too_large = values(vec![None, None, Some(65)]);
        assert_eq!(too_large, Err(GameError::Value { number: 3, value: 65 }));
        let deviations = |deviations| game("f5 d6 c5").with_deviations(deviations);
        assert_eq!(deviations(0b101).unwrap().deviations(), 0b101);
        assert_eq!(deviations(1 << 3), Err(GameError::Deviation { moves: 3 }));
    }
}
