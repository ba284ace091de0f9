//! Reads and writes boards: 64 characters, and the side to move.

use std::fmt;
use std::str::FromStr;

use super::{Position, Side, Square};
use crate::text::Invalid;

pub(super) fn begins_board(text: &str) -> bool {
    let mut letters = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let (first, second) = (letters.next(), letters.next());
    let is_square = |byte: Option<u8>| byte.is_some_and(|byte| MEANING[byte as usize] < UNKNOWN);
    match first {
        Some(b'[') => second == Some(b'8'),
        Some(b'8') => is_square(second),
        first => is_square(first) && is_square(second),
    }
}

/// Splits a line into its first 64 squares (a1, b1 … h8; blanks or `/` may separate them) and the
/// rest. Skips the characters `[8` at the beginning of a board of the game server GGS.
pub(super) fn split_board(line: &str) -> Result<([u8; 64], &str), Invalid> {
    let line = line.trim_ascii();
    let is_square = |byte: &u8| MEANING[usize::from(*byte)] < UNKNOWN;
    // A fast path for squares without separators: files of boards have millions of lines.
    if let Some(board) = line.as_bytes().first_chunk().filter(|board| board.iter().all(is_square)) {
        return Ok((*board, &line[64..]));
    }
    let line = line.strip_prefix('[').unwrap_or(line).trim_ascii_start();
    let line = line.strip_prefix('8').unwrap_or(line);
    let (mut board, mut squares) = ([b'-'; 64], 0);
    for (at, found) in line.char_indices() {
        match u8::try_from(found).ok().filter(is_square) {
            Some(byte) => board[squares] = byte,
            None if found.is_whitespace() || found == '/' => continue,
            // The error for a short text without squares states only the first word's length.
            None if line.len() < 64 && squares == 0 => {
                squares = line.split(' ').next().map_or(0, str::len);
                break;
            }
            None => {
                let expected = "X, * or B (black), O or W (white), - or . (empty)";
                let found = format!("column {}: `{}`", at + 1, found.escape_debug());
                return Err(Invalid(format!("{found} is not a square; expected {expected}")));
            }
        }
        squares += 1;
        if squares == 64 {
            return Ok((board, &line[at + 1..]));
        }
    }
    Err(Invalid(format!("the board has {squares} squares; expected 64 of X, *, O, - and .")))
}

/// The meaning of a byte in a board: 0 empty, 1 black, 2 white, [`UNKNOWN`] for any other byte.
static MEANING: [u8; 256] = {
    let mut meaning = [UNKNOWN; 256];
    let mut at = 0;
    while at < 3 {
        let mut letters = [b"-.".as_slice(), b"Xx*Bb", b"OoWw"][at];
        while let [letter, rest @ ..] = letters {
            meaning[*letter as usize] = at as u8;
            letters = rest;
        }
        at += 1;
    }
    meaning
};

const UNKNOWN: u8 = 3;

pub(super) fn position_of(board: &[u8; 64], side: Side) -> Result<Position, Invalid> {
    let (mut black, mut white) = (0u64, 0u64);
    // A table is faster than branches, and files of boards have millions of lines.
    for (index, &byte) in board.iter().enumerate() {
        let meaning = u64::from(MEANING[usize::from(byte)]);
        black |= (meaning & 1) << index;
        white |= (meaning >> 1 & 1) << index;
    }
    let [player, opponent] = side.black_first([black, white]);
    let discs = (black | white).count_ones();
    let few = || Invalid(format!("the board has {discs} discs; a position has at least 4"));
    Position::new(player, opponent).filter(|_| discs >= 4).ok_or_else(few)
}

pub(super) fn split_side(text: &str) -> (Option<Side>, &str) {
    let text = text.trim_ascii_start();
    let (word, rest) = text.split_at(text.find([' ', '\t', ']']).unwrap_or(text.len()));
    let rest = rest.strip_prefix(']').unwrap_or(rest).trim_ascii_start();
    side(word).map_or((None, text), |side| (Some(side), rest))
}

pub(super) fn side(word: &str) -> Result<Side, Invalid> {
    match word.to_ascii_lowercase().as_str() {
        "x" | "*" | "b" | "black" => Ok(Side::Black),
        "o" | "w" | "white" => Ok(Side::White),
        _ => Err(Invalid::not(word, "a side to move", "X or O")),
    }
}

pub(super) fn score<T: FromStr + PartialOrd + From<i8>>(word: &str) -> Result<T, Invalid> {
    let score = word.parse().ok().filter(|score| (T::from(-64)..=T::from(64)).contains(score));
    score.ok_or_else(|| Invalid::not(word, "a score", "a number from -64 to 64"))
}

/// Returns the board as text: 64 squares (`X` black, `O` white, `-` empty), and the side to move.
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
    use crate::board::StatedPosition;

    const START: &str = "---------------------------OX------XO---------------------------";

    fn read(line: &str) -> Result<StatedPosition, Invalid> {
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
        for wrong in ["X +NaN", "65"] {
            let error = read(&format!("{START} {wrong}")).unwrap_err().to_string();
            assert!(error.contains("is not a score"), "{error}");
        }
    }

    #[test]
    fn boards_are_read_in_the_forms_of_other_programs() {
        let rows = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------";
        for text in [
            format!("[8 {rows} *]"),
            format!("8 {rows} *"),
            format!("{rows} black"),
            rows.replace(' ', "/"),
            rows.replace(' ', "\n"),
            format!("{} b", START.replace('X', "b").replace('O', "w")),
            format!("{} B", START.replace('X', "B").replace('O', "W").replace('-', ".")),
            START.chars().flat_map(|square| [square, ' ']).collect(),
        ] {
            assert!(begins_board(&text), "{text}");
            assert_eq!(read(&text).unwrap().position, Position::START, "{text}");
        }
        let white = read(&format!("[8 {rows} O]")).unwrap();
        assert_eq!((white.side, white.position), (Side::White, Position::START.pass()));
        assert_eq!(read(&format!("[8 {rows} W] -4")).unwrap().score, Some(-4.0));
    }
}
