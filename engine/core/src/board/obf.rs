//! Test positions with known scores in OBF: `64 characters X; MOVE:SCORE; MOVE:SCORE; …`.

use std::str::FromStr;

use super::notation::{position_of, score, side, split_board};
use super::transcript::illegal;
use super::{Discs, Position, Side, Square};
use crate::text::Invalid;

/// A problem, read from a line of an OBF file: a position with scored moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The moves in the order of the line, each with its score if the line states one.
    pub moves: Vec<(Square, Option<Discs>)>,
    /// The score in discs that the line states for the position or its forced pass, if any.
    pub score: Option<Discs>,
}

impl Problem {
    /// Returns the position's stated score in discs; without one, the best stated score of a move.
    pub fn expected(&self) -> Option<Discs> {
        self.score.or_else(|| self.scored_moves().map(|(_, score)| score).max())
    }

    /// Returns the moves whose scores the line states, each with its score in discs.
    pub fn scored_moves(&self) -> impl Iterator<Item = (Square, Discs)> {
        self.moves.iter().filter_map(|&(square, score)| Some((square, score?)))
    }

    fn add(&mut self, field: &str) -> Result<(), Invalid> {
        let (name, stated) = field.split_once(':').unwrap_or((field, ""));
        let stated = || match stated.trim_ascii() {
            "" => Ok(None),
            text => score(text).map(Some),
        };
        let must_pass = self.position.moves() == 0;
        let name = name.trim_ascii();
        match name.to_ascii_lowercase().as_str() {
            // `--` is a filler unless the player must pass and the score is valid.
            "--" if !must_pass || stated().is_err() => {}
            "--" | "pa" | "ps" | "pass" if must_pass => self.score = stated()?,
            "pa" | "ps" | "pass" => {
                let place = format!("move {}", self.position.ply() + 1);
                let reason = "a pass, but the side to move has a legal move";
                return Err(Invalid(format!("{place}: {reason}")));
            }
            _ if field.starts_with(['+', '-']) || field.bytes().all(|b| b.is_ascii_digit()) => {
                self.score = Some(score(field)?);
            }
            _ => {
                let square: Square = name.parse()?;
                if !self.position.is_legal(square) {
                    return Err(illegal(self.position.ply() as usize + 1, square));
                }
                self.moves.push((square, stated()?));
            }
        }
        Ok(())
    }
}

impl FromStr for Problem {
    type Err = Invalid;

    fn from_str(line: &str) -> Result<Self, Invalid> {
        let (board, rest) = split_board(line)?;
        let rest = rest.split('%').next().unwrap_or_default();
        let mut fields = rest.split(';').map(str::trim_ascii).filter(|field| !field.is_empty());
        let side = side(fields.next().unwrap_or(""))?;
        let position = position_of(&board, side)?;
        let mut problem = Self { position, side, moves: vec![], score: None };
        fields.try_for_each(|field| problem.add(field))?;
        Ok(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "-OOO------OOOO--XXXOOXXX-XOOOXX-XXXXOOOOOXXOOOO---OXOO---OOOO--- X; \
                        E1:+0; F8:-2; --:-127;";

    #[test]
    fn moves_and_scores_are_read_and_filler_is_not() {
        let problem: Problem = LINE.parse().unwrap();
        assert_eq!(problem.moves.len(), 2);
        assert_eq!(problem.expected(), Some(0));
        let unscored: Problem = LINE.replace("+0", "").replace("-2", "").parse().unwrap();
        assert_eq!((unscored.moves.len(), unscored.expected()), (2, None));
    }

    /// A regression: a comment or a score without a move was refused, and a pass lost its score.
    #[test]
    fn a_score_alone_a_pass_and_a_comment_are_read() {
        let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--";
        let pass = "XXXXXXXXXXO-XXXXXXOOOXXXXXOXOXXXXXXXXOOXOOXXOOOXOOOOOOOXX-OOO-OX";
        for (line, expected) in [
            (format!("{board} X; +18;"), Some(18)),
            (format!("{board} X; 18"), Some(18)),
            (format!("{board} X; G8:+18; H1:+12; % by A; B"), Some(18)),
            (format!("{board} X; +16; H1:+12;"), Some(16)),
            (format!("{board} X % a comment"), None),
            (format!("{pass} O; PA:-48;"), Some(-48)),
            (format!("{pass} O; pass : -48"), Some(-48)),
            (format!("{pass} O; --:-46;"), Some(-46)),
            (format!("{pass} O; -48;"), Some(-48)),
            (format!("{pass} O; --:-127;"), None),
        ] {
            let problem: Problem = line.parse().unwrap();
            assert_eq!(problem.expected(), expected, "{line}");
        }
    }
}
