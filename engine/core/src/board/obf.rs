//! Test positions with known scores in OBF: `64 characters X; MOVE:SCORE; MOVE:SCORE; …`.

use std::str::FromStr;

use super::notation::{read_board, score, side, split_board};
use super::transcript::illegal;
use super::{Discs, Position, Side, Square};
use crate::text::Invalid;

/// A line of an OBF file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The position, seen by the side to move.
    pub position: Position,
    /// The side to move.
    pub side: Side,
    /// The moves that the line names, in its order, each with its score if stated.
    pub moves: Vec<(Square, Option<Discs>)>,
}

impl Problem {
    /// Returns the stated score of the position: that of its best move.
    pub fn expected(&self) -> Option<Discs> {
        self.scored_moves().map(|(_, score)| score).max()
    }

    /// Returns the moves whose scores the file states, with their scores.
    pub fn scored_moves(&self) -> impl Iterator<Item = (Square, Discs)> {
        self.moves.iter().filter_map(|&(square, score)| Some((square, score?)))
    }
}

impl FromStr for Problem {
    type Err = Invalid;

    fn from_str(line: &str) -> Result<Self, Invalid> {
        let (board, rest) = split_board(line)?;
        let mut fields = rest.split(';').map(str::trim_ascii).filter(|field| !field.is_empty());
        let side = side(fields.next().unwrap_or(""))?;
        let position = read_board(board, side)?;
        let moves = fields.filter(|field| !field.starts_with("--")).map(scored_move);
        let moves: Vec<(Square, Option<Discs>)> = moves.collect::<Result<_, _>>()?;
        if let Some((square, _)) = moves.iter().find(|(square, _)| !position.is_legal(*square)) {
            let number = position.ply() as usize + 1;
            return Err(illegal(number, *square));
        }
        Ok(Self { position, side, moves })
    }
}

fn scored_move(field: &str) -> Result<(Square, Option<Discs>), Invalid> {
    let (square, stated) = field.split_once(':').unwrap_or((field, ""));
    let square = square.trim_ascii().parse()?;
    let stated = match stated.trim_ascii() {
        "" => None,
        text => Some(score(text)?),
    };
    Ok((square, stated))
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

    #[test]
    fn damaged_lines_are_refused() {
        for (sound, damaged, expected) in [
            (" X;", " Z;", "`Z` is not a side to move"),
            ("E1", "E9", "`E9` is not a square"),
            ("E1", "A1", "a1 is not legal here"),
            ("+0", "+x", "`+x` is not a score"),
            ("+0", "+99", "`+99` is not a score"),
        ] {
            let error = LINE.replace(sound, damaged).parse::<Problem>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
