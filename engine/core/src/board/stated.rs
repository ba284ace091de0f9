//! Positions in the notations that people use: a board, a line of OBF, or a game so far.

use std::str::FromStr;

use super::notation::{BoardLine, NotationError};
use super::obf::Problem;
use super::transcript::{self, Replay};
use super::{Position, Side};

/// A position in any of three notations: 64 characters with an optional side to move and score, a
/// line of OBF, or a transcript, which stands for the position at its end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatedPosition {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The stated score in discs; in OBF, that of the best move.
    pub score: Option<f64>,
}

impl FromStr for StatedPosition {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let text = text.trim_ascii();
        if text.contains(';') {
            let problem: Problem = text.parse()?;
            let score = problem.expected().map(f64::from);
            return Ok(Self { position: problem.position, side: problem.side, score });
        }
        if text.starts_with(|c: char| matches!(c, 'a'..='h' | 'A'..='H')) {
            let replay = Replay::from_start(&transcript::parse(text)?)?;
            return Ok(Self { position: replay.end, side: replay.side, score: None });
        }
        let BoardLine { position, side, score } = text.parse()?;
        Ok(Self { position, side, score })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The board after f5 and d6.
    const BOARD: &str = "---------------------------OX------OXX-----O--------------------";

    fn read(text: &str) -> Result<StatedPosition, NotationError> {
        text.parse()
    }

    #[test]
    fn one_position_is_the_same_in_every_notation() {
        let after_f5_d6 = read("f5d6").unwrap();
        let line = format!("{BOARD} X");
        assert_eq!(read(&line).unwrap(), after_f5_d6);
        assert_eq!((after_f5_d6.side, after_f5_d6.score), (Side::Black, None));
        assert_eq!(read(&format!("{line}; C3:+2; c4:-1;")).unwrap().score, Some(2.0));
        assert_eq!(read(&format!("{line} -3.5")).unwrap().score, Some(-3.5));
        assert_eq!(read(" F5 D6 \n").unwrap(), after_f5_d6);
    }

    #[test]
    fn what_is_none_of_them_is_refused_as_what_it_looks_like() {
        assert_eq!(
            read("f5d6a1").unwrap_err(),
            NotationError::Illegal { number: 3, square: "a1".to_owned() }
        );
        assert_eq!(read("XO").unwrap_err(), NotationError::Short { found: 2 });
        assert_eq!(
            read("hello").unwrap_err().to_string(),
            "`he` is not a square; expected a1 to h8"
        );
        assert!(read(&format!("{BOARD}; Q")).is_err());
    }
}
