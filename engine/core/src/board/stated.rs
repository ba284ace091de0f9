//! Positions in any notation: a board, a line of OBF, or the transcript of a game.

use std::str::FromStr;

use super::notation::BoardLine;
use super::obf::Problem;
use super::transcript::{self, Replay};
use super::{Discs, Position, Side, Square};
use crate::text::Invalid;

/// A position in any notation: a board with an optional side and score, a line of OBF, or a
/// transcript, whose last position is meant.
#[derive(Clone, PartialEq, Debug)]
pub struct StatedPosition {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The stated score in discs; in OBF, that of the best move.
    pub score: Option<f64>,
    /// The moves whose scores the line states (OBF), with their scores.
    pub moves: Vec<(Square, Discs)>,
}

impl FromStr for StatedPosition {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let text = text.trim_ascii();
        if text.contains(';') {
            let problem: Problem = text.parse()?;
            let (score, moves) = (problem.expected(), problem.scored_moves().collect());
            let (position, side) = (problem.position, problem.side);
            return Ok(Self { position, side, score: score.map(f64::from), moves });
        }
        if text.starts_with(|c: char| matches!(c, 'a'..='h' | 'A'..='H')) {
            let replay = Replay::from_start(&transcript::parse(text)?)?;
            return Ok(Self {
                position: replay.end,
                side: replay.side,
                score: None,
                moves: vec![],
            });
        }
        let BoardLine { position, side, score } = text.parse()?;
        Ok(Self { position, side, score, moves: vec![] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "---------------------------OX------OXX-----O--------------------";

    #[test]
    fn one_position_is_the_same_in_every_notation() {
        let read = |text: &str| text.parse::<StatedPosition>().unwrap();
        let after_f5_d6 = read("f5d6");
        let line = format!("{BOARD} X");
        assert_eq!(read(&line), after_f5_d6);
        assert_eq!((after_f5_d6.side, after_f5_d6.score), (Side::Black, None));
        let problem = read(&format!("{line}; C3:+2; c4:-1; c5"));
        assert_eq!((problem.position, problem.score), (after_f5_d6.position, Some(2.0)));
        assert_eq!(problem.moves.len(), 2);
        assert_eq!(read(&format!("{line} -3.5")).score, Some(-3.5));
        assert_eq!(read(" F5 D6 \n"), after_f5_d6);
    }

    #[test]
    fn other_texts_are_refused_as_the_notation_that_they_resemble() {
        for (text, expected) in [
            ("f5d6a1", "move 3: a1 is not legal here"),
            ("XO", "the board has 2 squares"),
            ("hello", "`he` is not a square; expected a1 to h8"),
            (&format!("{BOARD}; Q"), "`Q` is not a side to move"),
        ] {
            let error = text.parse::<StatedPosition>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
