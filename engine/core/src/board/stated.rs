//! Positions in any notation: a board, a line of OBF, the moves of a game, or a board and moves.

use std::str::FromStr;

use super::notation::{BoardLine, begins_board, position_of, split_board, split_side};
use super::obf::Problem;
use super::transcript::{self, Form, Replay, Turns};
use super::{Discs, Position, Side, Square};
use crate::text::Invalid;

/// A position in any notation: a board with an optional side and score, a line of OBF, or the end
/// of a game (in any form of [`transcript`], or moves after a board).
#[derive(Clone, PartialEq, Debug)]
pub struct StatedPosition {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The stated score for the side to move, in discs; `None` if the text states no score. A line
    /// of OBF without a score for the position has the score of its best move.
    pub score: Option<f64>,
    /// The moves with scores of a line of OBF; empty for any other notation.
    pub moves: Vec<(Square, Discs)>,
    /// The notation of the text.
    pub form: Form,
}

impl FromStr for StatedPosition {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let reached = |replay: Replay, form| {
            let (position, side) = (replay.end, replay.side);
            Self { position, side, score: None, moves: vec![], form }
        };
        if !begins_board(text) {
            // A text that does not begin like a game gets the error message of a board.
            let is_game =
                text.starts_with(|first| "abcdefghpABCDEFGHP0123456789[(+".contains(first));
            let (turns, replay) = transcript::read(text).or_else(|error| {
                if is_game { Err(error) } else { split_board(text).and(Err(error)) }
            })?;
            return Ok(reached(replay, turns.form));
        }
        let text = text.split('%').next().unwrap_or_default().trim_ascii();
        if text.contains(';') {
            let problem: Problem = text.parse()?;
            let (score, moves) = (problem.expected(), problem.scored_moves().collect());
            let (position, side) = (problem.position, problem.side);
            let score = score.map(f64::from);
            return Ok(Self { position, side, score, moves, form: Form::Obf });
        }
        let (board, rest) = split_board(text)?;
        let (side, rest) = split_side(rest);
        let side = side.unwrap_or(Side::Black);
        let is_moves = rest.starts_with(|first: char| first.is_ascii_alphabetic());
        // `1.` is the number of a move, but `1.5` is a score.
        let numbered = rest
            .strip_prefix("1.")
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
        if is_moves || numbered || rest.starts_with("--") {
            let turns = Turns::scan(rest)?.turns;
            let replay = Replay::from(position_of(&board, side)?, side).continued(&turns)?;
            return Ok(reached(replay, Form::BoardAndMoves));
        }
        let BoardLine { position, side, score } = BoardLine::of(&board, side, rest)?;
        let form = if text.starts_with('[') { Form::Ggs } else { Form::Board };
        Ok(Self { position, side, score, moves: vec![], form })
    }
}

/// A game that was read from a text in GGF or SGF. Its moves are not yet checked by the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatedGame {
    /// The position before the first turn, seen by the side to move.
    pub position: Position,
    /// The side to move in `position`.
    pub side: Side,
    /// The turns, each with its side; `None` is a pass.
    pub turns: Vec<(Side, Option<Square>)>,
    /// The stated result for black in discs; `None` if the text states no such result.
    pub result: Option<Discs>,
}

impl StatedGame {
    /// Plays the turns. Returns an error at the first one that the rules do not allow.
    pub fn replay(&self) -> Result<Replay, Invalid> {
        let mut replay = Replay::from(self.position, self.side);
        self.turns.iter().try_for_each(|&(side, turn)| replay.turn(Some(side), turn))?;
        Ok(replay)
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
        assert_eq!(read(&line), StatedPosition { form: Form::Board, ..after_f5_d6.clone() });
        assert_eq!((after_f5_d6.side, after_f5_d6.score), (Side::Black, None));
        let problem = read(&format!("{line}; C3:+2; c4:-1; c5"));
        assert_eq!((problem.position, problem.score), (after_f5_d6.position, Some(2.0)));
        assert_eq!(problem.moves.len(), 2);
        assert_eq!(read(&format!("{line} -3.5")).score, Some(-3.5));
        assert_eq!(read(&format!("{line} 1.5")).score, Some(1.5));
        assert_eq!(read(" F5 D6 \n"), after_f5_d6);
    }

    /// A regression: a board followed by moves, and games such as `1. f5 d6`, were refused.
    #[test]
    fn moves_after_a_board_are_played_from_it() {
        let start = "---------------------------OX------XO---------------------------";
        let ggs = "[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
        let read = |text: &str| text.parse::<StatedPosition>();
        let ggs_after =
            "[8 -------- -------- -------- ---O*--- ---O**-- ---O---- -------- -------- *]";
        let expected = read("f5d6").unwrap();
        for (text, form) in [
            (format!("{start} X f5d6"), Form::BoardAndMoves),
            (format!("{start} F5 D6"), Form::BoardAndMoves),
            (format!("{start} * 1. f5 d6"), Form::BoardAndMoves),
            (format!("{ggs} f5d6"), Form::BoardAndMoves),
            (ggs_after.to_owned(), Form::Ggs),
            (format!("{ggs}f5 d6 % a comment"), Form::BoardAndMoves),
            ("1. f5 d6".to_owned(), Form::Numbered),
        ] {
            let found = read(&text).unwrap();
            assert_eq!(found, StatedPosition { form, ..expected.clone() }, "{text}");
        }
        let pass = "XXXXXXXXXXO-XXXXXXOOOXXXXXOXOXXXXXXXXOOXOOXXOOOXOOOOOOOXX-OOO-OX O";
        let after = read(&format!("{pass} d2")).unwrap();
        assert_eq!(read(&format!("{pass} pass d2")).unwrap(), after);
        for (text, said) in [
            (format!("{start} X f5pad6"), "move 2: a pass"),
            (format!("{start} X pa"), "move 1: a pass"),
            (format!("{pass} -- -- d2"), "move 1: a pass"),
            (format!("{start} O f5"), "move 1: f5 is not legal"),
            (format!("{ggs}; +65;"), "side to move"),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
