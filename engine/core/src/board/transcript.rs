//! Games as their moves without passes: `f5d6c3…`.

use super::{Discs, Position, Side, Square};
use crate::text::Invalid;

/// Reads the squares of a transcript. Blanks and written passes (`pa`, `ps`, `--`) are skipped.
pub fn parse(text: &str) -> Result<Vec<Square>, Invalid> {
    let text: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let words = text.chunks(2).map(|pair| pair.iter().collect::<String>());
    words.filter(|word| !is_pass(word)).map(|word| word.parse()).collect()
}

fn is_pass(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "pa" | "ps" | "--")
}

/// A position of a game and the move played in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The position before the move; its player has a legal move.
    pub position: Position,
    /// The side that moves.
    pub side: Side,
    /// The square of the move.
    pub square: Square,
}

/// A game that was replayed by the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// Each move and the position it was played in.
    pub steps: Vec<Step>,
    /// The position after the last move, and after the pass if only the other side can move.
    pub end: Position,
    /// The side to move in that position.
    pub side: Side,
}

impl Replay {
    /// Plays `squares` from the start of the game, black first.
    pub fn from_start(squares: &[Square]) -> Result<Self, Invalid> {
        let mut replay = Self { steps: vec![], end: Position::START, side: Side::Black };
        for &square in squares {
            replay.push(square)?;
        }
        Ok(replay)
    }

    /// Plays one more move.
    pub fn push(&mut self, square: Square) -> Result<(), Invalid> {
        let next = self.end.play(square);
        let next = next.ok_or_else(|| illegal(self.steps.len() + 1, square))?;
        self.steps.push(Step { position: self.end, side: self.side, square });
        (self.end, self.side) = (next, self.side.other());
        if next.moves() == 0 && next.pass().moves() != 0 {
            (self.end, self.side) = (next.pass(), self.side.other());
        }
        Ok(())
    }

    /// Returns the score for black if the game is over.
    pub fn black_score(&self) -> Option<Discs> {
        (self.end.moves() == 0).then(|| self.end.score() * self.side.sign())
    }
}

pub(super) fn illegal(number: usize, square: Square) -> Invalid {
    Invalid(format!("move {number}: {square} is not legal here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wipe_out_in_nine_moves_ends_at_64() {
        let squares = parse("f5 d6 c5 f4 e7 f6 g5 e6 e3").unwrap();
        let replay = Replay::from_start(&squares).unwrap();
        assert_eq!(replay.black_score(), Some(64));
        assert_eq!(replay.steps.len(), 9);
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        assert_eq!(parse("F5pad6--").unwrap(), parse("f5d6").unwrap());
    }

    #[test]
    fn an_illegal_move_is_named() {
        let squares = parse("f5f4a1").unwrap();
        let error = Replay::from_start(&squares).unwrap_err();
        assert_eq!(error.to_string(), "move 3: a1 is not legal here");
        assert!(parse("f5d").is_err());
    }
}
