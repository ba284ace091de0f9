//! Board lines: 64 characters, the side to move, and a score.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::{Position, Side, Square};
use crate::text::excerpt;

pub use super::error::NotationError;

/// One line of a file of boards: `64 characters [X|O] [score]`. The side to move (default `X`)
/// is the player; the score is the player's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoardLine {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The stated score in discs.
    pub score: Option<f64>,
}

impl FromStr for BoardLine {
    type Err = NotationError;

    fn from_str(line: &str) -> Result<Self, NotationError> {
        let (board, rest) = split_board(line)?;
        let mut words = rest.split_ascii_whitespace().peekable();
        let stated_side = words.peek().and_then(|word| side(word).ok());
        if stated_side.is_some() {
            words.next();
        }
        let side = stated_side.unwrap_or(Side::Black);
        let score = words.next().map(score).transpose()?;
        if let Some(word) = words.next() {
            return Err(NotationError::Trailing { found: excerpt(word) });
        }
        Ok(Self { position: read_board(board, side)?, side, score })
    }
}

/// Splits a line into its first 64 bytes and the rest.
pub(super) fn split_board(line: &str) -> Result<(&[u8; 64], &str), NotationError> {
    let line = line.trim_ascii();
    let short = || NotationError::Short { found: line.split(' ').next().map_or(0, str::len) };
    let board = line.as_bytes().first_chunk::<64>().ok_or_else(short)?;
    // A character of several bytes is reported as a wrong disc by its column, wherever it ends.
    Ok((board, line.get(64..).unwrap_or("")))
}

/// The meaning of each byte of a board: 0 empty, 1 black, 2 white, 4 invalid.
static MEANING: [u8; 256] = {
    let mut meaning = [4; 256];
    meaning[b'-' as usize] = 0;
    meaning[b'.' as usize] = 0;
    meaning[b'X' as usize] = 1;
    meaning[b'x' as usize] = 1;
    meaning[b'*' as usize] = 1;
    meaning[b'O' as usize] = 2;
    meaning[b'o' as usize] = 2;
    meaning
};

/// Reads 64 characters, in the order a1 b1 … h8.
pub(super) fn read_board(board: &[u8; 64], side: Side) -> Result<Position, NotationError> {
    let (mut black, mut white, mut unknown) = (0u64, 0u64, 0u64);
    // A table instead of branches: files of boards have millions of lines.
    for (index, &byte) in board.iter().enumerate() {
        let meaning = u64::from(MEANING[usize::from(byte)]);
        black |= (meaning & 1) << index;
        white |= (meaning >> 1 & 1) << index;
        unknown |= (meaning >> 2) << index;
    }
    if let Some(square) = Square::lowest(unknown) {
        let (column, found) = (square.index() + 1, board[square.index()] as char);
        return Err(NotationError::Disc { column, found });
    }
    let discs = (black | white).count_ones();
    if discs < 4 {
        return Err(NotationError::FewDiscs { found: discs });
    }
    let (player, opponent) = match side {
        Side::Black => (black, white),
        Side::White => (white, black),
    };
    Position::new(player, opponent).ok_or(NotationError::FewDiscs { found: discs })
}

/// Reads a side to move: `X` (or `*`) or `O`.
pub(super) fn side(word: &str) -> Result<Side, NotationError> {
    match word {
        "X" | "x" | "*" => Ok(Side::Black),
        "O" | "o" => Ok(Side::White),
        _ => Err(NotationError::Side { found: excerpt(word) }),
    }
}

fn score(word: &str) -> Result<f64, NotationError> {
    let value: Option<f64> = word.parse().ok().filter(|v| (-64.0..=64.0).contains(v));
    value.ok_or_else(|| NotationError::Score { found: excerpt(word) })
}

/// Writes the 64 characters of a position and its player, who is `side`.
pub fn board_text(position: &Position, side: Side) -> String {
    let (player, opponent) = match side {
        Side::Black => ('X', 'O'),
        Side::White => ('O', 'X'),
    };
    let disc = |index: u32| match (position.player() >> index & 1, position.opponent() >> index & 1)
    {
        (1, _) => player,
        (_, 1) => opponent,
        _ => '-',
    };
    let mut text = String::with_capacity(66);
    text.extend((0..64).map(disc));
    // Writing to a string cannot fail.
    let _ = write!(text, " {player}");
    text
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&board_text(self, Side::Black))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO---------------------------";

    fn read(line: &str) -> Result<BoardLine, NotationError> {
        line.parse()
    }

    #[test]
    fn a_line_is_a_board_a_side_and_a_score() {
        let line = read(START).unwrap();
        assert_eq!((line.position, line.side, line.score), (Position::START, Side::Black, None));
        let line = read(&format!("{START} O -6.5\n")).unwrap();
        assert_eq!(line.position, Position::START.pass());
        assert_eq!(line.score, Some(-6.5));
        assert_eq!(read(&format!("{START} +4")).unwrap().score, Some(4.0));
        assert_eq!(board_text(&Position::START, Side::Black), format!("{START} X"));
        assert_eq!(
            read(&board_text(&Position::START, Side::White)).unwrap().position,
            Position::START
        );
    }

    #[test]
    fn what_is_no_board_line_is_refused_with_the_place() {
        assert_eq!(read("XO").unwrap_err(), NotationError::Short { found: 2 });
        let damaged = START.replacen('O', "Q", 1);
        assert_eq!(read(&damaged).unwrap_err(), NotationError::Disc { column: 28, found: 'Q' });
        assert_eq!(read(&"-".repeat(64)).unwrap_err(), NotationError::FewDiscs { found: 0 });
        for tail in ["X 65", "X NaN", "X 1 2", "Z", "X 1e9"] {
            assert!(read(&format!("{START} {tail}")).is_err(), "{tail}");
        }
        assert!(read(&"é".repeat(64)).is_err());
    }
}
