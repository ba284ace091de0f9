use std::str::FromStr;

use super::notation::{begins_board, position_of, score, side, split_board, split_side};
use super::transcript::{self, Form, Replay, Turns, illegal};
use super::{Discs, Position, Side, Square};
use crate::text::{Invalid, excerpt};

/// A position read from a text: a board, a line of OBF (a board with the scores of some moves), or
/// the last position of a game. The game is in a notation of [`transcript`], or a board followed by
/// moves.
#[derive(Clone, PartialEq, Debug)]
pub struct StatedPosition {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The score in discs for the side to move, if the text states one; in OBF, if only moves have
    /// scores, the score of the best move.
    pub score: Option<f64>,
    /// The moves of a line of OBF with their scores; empty for any other notation.
    pub moves: Vec<(Square, Discs)>,
    /// The notation of the text from which this value was parsed.
    pub form: Form,
}

impl StatedPosition {
    /// Reads a line such as `SQUARES X; f5:+2; d6:-4;`, with scores in discs for the side to move.
    fn of_obf(line: &str) -> Result<Self, Invalid> {
        let (board, rest) = split_board(line)?;
        let mut fields = rest.split(';').map(str::trim_ascii).filter(|field| !field.is_empty());
        let side = side(fields.next().unwrap_or(""))?;
        let position = position_of(&board, side)?;
        let mut line = Self { position, side, score: None, moves: vec![], form: Form::Obf };
        fields.try_for_each(|field| line.add_field(field))?;
        let best = line.moves.iter().map(|&(_, score)| f64::from(score)).reduce(f64::max);
        line.score = line.score.or(best);
        Ok(line)
    }

    fn add_field(&mut self, field: &str) -> Result<(), Invalid> {
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
            "--" | "pa" | "ps" | "pass" if must_pass => self.score = stated()?.map(f64::from),
            "pa" | "ps" | "pass" => {
                let place = format!("move {}", self.position.ply() + 1);
                let reason = "a pass, but the side to move has a legal move";
                return Err(Invalid(format!("{place}: {reason}")));
            }
            _ if field.starts_with(['+', '-']) || field.bytes().all(|b| b.is_ascii_digit()) => {
                self.score = Some(f64::from(score::<Discs>(field)?));
            }
            _ => {
                let square: Square = name.parse()?;
                if !self.position.is_legal(square) {
                    return Err(illegal(self.position.ply() as usize + 1, square));
                }
                self.moves.extend(stated()?.map(|score| (square, score)));
            }
        }
        Ok(())
    }
}

impl FromStr for StatedPosition {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let reached = |replay: Replay, form| {
            let (position, side) = (replay.end, replay.side);
            Self { position, side, score: None, moves: vec![], form }
        };
        if !begins_board(text) {
            // A text without moves that does not begin like a game gets the error of a board.
            let is_game = text.starts_with(|c| "abcdefghpABCDEFGHP0123456789[(+".contains(c))
                || transcript::column(text).is_some();
            let (turns, replay) = transcript::read(text).or_else(|error| {
                if is_game { Err(error) } else { split_board(text).and(Err(error)) }
            })?;
            return Ok(reached(replay, turns.form));
        }
        let text = text.split('%').next().unwrap_or_default().trim_ascii();
        if text.contains(';') {
            return Self::of_obf(text);
        }
        let (board, rest) = split_board(text)?;
        let (side, rest) = split_side(rest);
        let side = side.unwrap_or(Side::Black);
        let is_moves = rest.starts_with(|first: char| first.is_ascii_alphabetic());
        // `1.` is the number of a move, but `1.5` is a score.
        let digit = |letter: char| letter.is_ascii_digit();
        let numbered = rest.strip_prefix("1.").is_some_and(|rest| !rest.starts_with(digit));
        if is_moves || numbered || rest.starts_with("--") {
            let turns = Turns::scan(rest)?.turns;
            let replay = Replay::from(position_of(&board, side)?, side).continued(&turns)?;
            return Ok(reached(replay, Form::BoardAndMoves));
        }
        let mut words = rest.split_ascii_whitespace();
        let score = words.next().map(score).transpose()?;
        if let Some(word) = words.next() {
            let follows = format!("`{}` follows the score", excerpt(word));
            return Err(Invalid(format!("{follows}; expected the end of the line")));
        }
        let position = position_of(&board, side)?;
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
    /// The stated result for black in discs; `None` if the text states no result in discs.
    pub result: Option<Discs>,
}

impl StatedGame {
    /// Plays the turns. Returns an error at the first turn that the rules do not allow.
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

    #[test]
    fn a_wrong_move_in_a_table_or_after_a_label_is_named() {
        for text in ["moves: f5d6f5", "x,f5d6f5,1", "3,f5d6f5"] {
            let error = text.parse::<StatedPosition>().unwrap_err();
            assert_eq!(error.to_string(), "move 3: f5 is not legal here", "{text}");
        }
    }

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

    const LINE: &str = "-OOO------OOOO--XXXOOXXX-XOOOXX-XXXXOOOOOXXOOOO---OXOO---OOOO--- X; \
                        E1:+0; F8:-2; --:-127;";

    #[test]
    fn moves_and_scores_are_read_and_filler_is_not() {
        let problem: StatedPosition = LINE.parse().unwrap();
        assert_eq!(problem.moves.len(), 2);
        assert_eq!(problem.score, Some(0.0));
        let unscored: StatedPosition = LINE.replace("+0", "").replace("-2", "").parse().unwrap();
        assert_eq!((unscored.moves.len(), unscored.score), (0, None));
    }

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
            let problem: StatedPosition = line.parse().unwrap();
            assert_eq!(problem.score, expected.map(f64::from), "{line}");
        }
    }
}
