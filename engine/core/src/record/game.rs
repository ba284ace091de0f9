use sha2::{Digest as _, Sha256};

use crate::board::transcript::Replay;
use crate::board::{Discs, Square, Symmetry};
use crate::text::Invalid;

/// The score of one position of a game under perfect play.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Solved {
    /// The ply of the solved position: the number of moves played before it.
    pub ply: u8,
    /// The score of the position under perfect play, for black: −64..=64 discs.
    pub black_score: Discs,
}

/// A game from the start position, finished or not. All moves are legal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Game {
    random_plies: u8,
    squares: Vec<Square>,
    black_score: Option<Discs>,
    stated: Option<Discs>,
    solved: Option<Solved>,
    values: Option<Vec<Option<i8>>>,
    deviations: u64,
}

impl Game {
    /// Creates a game from the start position; the first `random_plies` moves were drawn at random.
    pub fn new(random_plies: u8, squares: &[Square]) -> Result<Self, Invalid> {
        Self::of_replay(random_plies, &Replay::from_start(squares)?)
    }

    /// Creates a game from a replay from the start position. Refuses more random plies than moves.
    pub fn of_replay(random_plies: u8, replay: &Replay) -> Result<Self, Invalid> {
        let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
        let moves = squares.len();
        if usize::from(random_plies) > moves {
            return Err(Invalid(format!("{random_plies} random moves in a game of {moves}")));
        }
        let black_score = replay.black_score();
        let (stated, solved, values, deviations) = (None, None, None, 0);
        Ok(Self { random_plies, squares, black_score, stated, solved, values, deviations })
    }

    /// Stores black's result (−64..=64) as an imported file states it, if the moves give another or
    /// no result.
    pub fn with_stated(self, black_score: Discs) -> Result<Self, Invalid> {
        if black_score.abs() > 64 {
            return Err(Invalid(format!("the result {black_score} is beyond 64 discs")));
        }
        let stated = Some(black_score).filter(|_| self.black_score != Some(black_score));
        Ok(Self { stated, ..self })
    }

    /// Marks the first `plies` moves, or all moves if there are fewer, as drawn at random.
    #[must_use]
    pub fn with_random_plies(self, plies: u8) -> Self {
        Self { random_plies: plies.min(self.squares.len() as u8), ..self }
    }

    /// Returns the game without the score of its solved position and without the search's values.
    #[must_use]
    pub fn without_scores(&self) -> Self {
        Self { solved: None, values: None, ..self.clone() }
    }

    /// Adds the score of one position under perfect play. Refuses a ply after the end, an odd
    /// score, a score beyond 64 discs and, for the final position, a score other than the result.
    pub fn with_solved(self, solved: Solved) -> Result<Self, Invalid> {
        let Solved { ply, black_score } = solved;
        let moves = self.squares.len();
        if usize::from(ply) > moves {
            let reason = format!("which a game of {moves} moves does not reach");
            return Err(Invalid(format!("solved at ply {ply}, {reason}")));
        }
        // The empty squares go to the winner, so scores are even.
        if black_score.abs() > 64 || black_score % 2 != 0 {
            return Err(Self::no_score(black_score));
        }
        let is_end = usize::from(ply) == moves;
        if let Some(result) = self.black_score.filter(|&own| is_end && own != black_score) {
            let reason = format!("solved as {black_score} at its end, but its result is {result}");
            return Err(Invalid(reason));
        }
        Ok(Self { solved: Some(solved), ..self })
    }

    pub(super) fn no_score(score: Discs) -> Invalid {
        Invalid(format!("{score} is not a score; expected an even number from -64 to 64"))
    }

    /// Adds the search's value of each move, in whole discs for the side that moved; `None` for a
    /// move without a search. Refuses a wrong number of values, and values beyond 64 discs.
    pub fn with_values(self, values: Vec<Option<i8>>) -> Result<Self, Invalid> {
        let moves = self.squares.len();
        if values.len() != moves {
            return Err(Invalid(format!("{} values for {moves} moves", values.len())));
        }
        let is_beyond = |value: &Option<i8>| value.is_some_and(|v| !(-64..=64).contains(&v));
        if let Some(place) = values.iter().position(is_beyond) {
            let (value, number) = (values[place].unwrap_or(0), place + 1);
            return Err(Invalid(format!("value {value} at move {number}; expected -64 to 64")));
        }
        Ok(Self { values: Some(values), ..self })
    }

    /// Sets the plies at which a random move replaced the search's
    /// ([deviations](Self::deviations)), one bit per ply. Refuses a bit after the last move.
    pub fn with_deviations(self, deviations: u64) -> Result<Self, Invalid> {
        let moves = self.squares.len();
        if deviations >> moves != 0 {
            let reason = "is stated to deviate from the search";
            return Err(Invalid(format!("a move after the {moves} of the game {reason}")));
        }
        Ok(Self { deviations, ..self })
    }

    /// Returns the number of moves at the beginning of the game that were drawn at random.
    pub fn random_plies(&self) -> u8 {
        self.random_plies
    }

    /// Returns the moves, without passes.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Returns the moves of the canonical image: the lexicographically least of the game's eight
    /// symmetric images.
    pub fn canonical_squares(&self) -> Vec<Square> {
        let image = |by: Symmetry| self.squares.iter().map(|&square| by.square(square)).collect();
        Symmetry::all().map(image).min().unwrap_or_default()
    }

    /// Returns the final score for black; `None` for an unfinished game.
    pub fn black_score(&self) -> Option<Discs> {
        self.black_score
    }

    /// Returns black's result as an imported file stated it, if it differs from the moves' result.
    pub fn stated(&self) -> Option<Discs> {
        self.stated
    }

    /// Returns the ply and the score under perfect play of the solved position, if there is one.
    pub fn solved(&self) -> Option<Solved> {
        self.solved
    }

    /// Returns the values of the search for all moves, in discs for the side that moved. A move
    /// without a search has `None`. Returns `None` if no values were stored.
    pub fn values(&self) -> Option<&[Option<i8>]> {
        self.values.as_deref()
    }

    /// Returns the plies at which self-play played a random move in place of the search's best: bit
    /// i is set for ply i. The bits of the random plies at the beginning are 0.
    pub fn deviations(&self) -> u64 {
        self.deviations
    }

    /// Returns the number of training positions: one for each move after the random plies.
    pub fn positions(&self) -> usize {
        self.squares.len() - usize::from(self.random_plies)
    }

    /// Replays the game. Step i has the position at ply i, and the move played in it.
    pub fn replay(&self) -> Replay {
        Replay::from_start(&self.squares).expect("a game is made only of moves that replay")
    }
}

/// Returns a key by which duplicate games are found: the first 16 bytes of the moves' SHA-256.
pub fn key_of_moves(moves: &[Square]) -> [u8; 16] {
    let moves: Vec<u8> = moves.iter().map(|square| square.index() as u8).collect();
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(moves)[..16]);
    key
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
    fn impossible_games_are_refused() {
        let three = || game("f5 d6 c5");
        let solved = |ply, black_score| three().with_solved(Solved { ply, black_score });
        let values = |values| three().with_values(values);
        assert!(game(WIPE_OUT).with_solved(Solved { ply: 9, black_score: 64 }).is_ok());
        let stated = |text, result| game(text).with_stated(result).unwrap().stated();
        assert_eq!([stated(WIPE_OUT, 64), stated(WIPE_OUT, -3)], [None, Some(-3)]);
        assert_eq!(stated("f5 d6", 0), Some(0));
        assert!(solved(3, -64).is_ok() && values(vec![None, Some(-64), Some(64)]).is_ok());
        assert_eq!(three().with_deviations(0b101).unwrap().deviations(), 0b101);
        for (refused, expected) in [
            (Game::new(0, &parse("f5 a1").unwrap()), "move 2: a1 is not legal here"),
            (Game::new(4, three().squares()), "4 random moves in a game of 3"),
            (solved(4, 0), "solved at ply 4, which a game of 3 moves does not reach"),
            (solved(3, 7), "7 is not a score"),
            (solved(3, 66), "66 is not a score"),
            (
                game(WIPE_OUT).with_solved(Solved { ply: 9, black_score: 62 }),
                "solved as 62 at its end, but its result is 64",
            ),
            (three().with_stated(65), "the result 65 is beyond 64 discs"),
            (values(vec![None]), "1 values for 3 moves"),
            (values(vec![None, None, Some(65)]), "value 65 at move 3"),
            (three().with_deviations(1 << 3), "a move after the 3 of the game"),
        ] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
