//! Board lines: 64 characters, the side to move, and a score.

use std::fmt;
use std::str::FromStr;

use super::{Position, Side, Square};
use crate::text::{Invalid, excerpt};

/// A line of a file of boards: `64 characters [X|O] [score]`, the score for the side to move (`X`).
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
    type Err = Invalid;

    fn from_str(line: &str) -> Result<Self, Invalid> {
        let (board, rest) = split_board(line)?;
        let mut words = rest.split_ascii_whitespace().peekable();
        let stated_side = words.peek().and_then(|word| side(word).ok());
        if stated_side.is_some() {
            words.next();
        }
        let side = stated_side.unwrap_or(Side::Black);
        let score = words.next().map(score).transpose()?;
        if let Some(word) = words.next() {
            return Err(Invalid(format!("`{}` stands after the end of the line", excerpt(word))));
        }
        Ok(Self { position: read_board(board, side)?, side, score })
    }
}

pub(super) fn split_board(line: &str) -> Result<(&[u8; 64], &str), Invalid> {
    let line = line.trim_ascii();
    let short = || {
        let found = line.split(' ').next().map_or(0, str::len);
        Invalid(format!("the board has {found} squares; expected 64 of X, *, O, - and ."))
    };
    let board = line.as_bytes().first_chunk::<64>().ok_or_else(short)?;
    // A character of several bytes is reported as a wrong disc by its column, wherever it ends.
    Ok((board, line.get(64..).unwrap_or("")))
}

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
pub(super) fn read_board(board: &[u8; 64], side: Side) -> Result<Position, Invalid> {
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
        return Err(Invalid(format!(
            "column {column}: `{}` is not a square; expected X or * (black), O (white), - or . (empty)",
            found.escape_debug()
        )));
    }
    let [player, opponent] = side.black_first([black, white]);
    let position = Position::new(player, opponent).filter(|position| position.discs() >= 4);
    let discs = (black | white).count_ones();
    position
        .ok_or_else(|| Invalid(format!("the board has {discs} discs; a position has at least 4")))
}

/// Reads a side to move: `X` (or `*`) or `O`.
pub(super) fn side(word: &str) -> Result<Side, Invalid> {
    match word {
        "X" | "x" | "*" => Ok(Side::Black),
        "O" | "o" => Ok(Side::White),
        _ => Err(Invalid(format!("`{}` is not a side to move; expected X or O", excerpt(word)))),
    }
}

/// Reads a score in discs, whole or fractional.
pub(super) fn score<T: FromStr + PartialOrd + From<i8>>(word: &str) -> Result<T, Invalid> {
    let score = word.parse().ok().filter(|score| (T::from(-64)..=T::from(64)).contains(score));
    let invalid =
        || format!("`{}` is not a score; expected a number from -64 to 64", excerpt(word));
    score.ok_or_else(|| Invalid(invalid()))
}

/// Writes the 64 characters of a position and its player; the player has the colour `side`.
pub fn board_text(position: &Position, side: Side) -> String {
    let [player, opponent] = side.black_first(['X', 'O']);
    let disc = |square: Square| match square.bit() {
        bit if position.player() & bit != 0 => player,
        bit if position.opponent() & bit != 0 => opponent,
        _ => '-',
    };
    Square::all().map(disc).chain([' ', player]).collect()
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

    fn read(line: &str) -> Result<BoardLine, Invalid> {
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
    fn damaged_lines_are_refused_with_the_place() {
        let with = |tail: &str| format!("{START} {tail}");
        for (line, expected) in [
            ("XO".to_owned(), "the board has 2 squares; expected 64"),
            (START.replacen('O', "Q", 1), "column 28: `Q` is not a square"),
            ("-".repeat(64), "the board has 0 discs"),
            ("é".repeat(32), "column 1: "),
            (with("X 65"), "`65` is not a score"),
            (with("X NaN"), "`NaN` is not a score"),
            (with("X 1e9"), "`1e9` is not a score"),
            (with("X 1 2"), "`2` stands after the end"),
            (with("Z"), "`Z` is not a score"),
        ] {
            let error = read(&line).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
