//! A game in progress, as protocols describe it: the side to move is stated, and a pass is a turn.

use crate::board::notation::board_text;
use crate::board::{Position, Side, Square};

/// A move; `None` is a pass.
pub type Turn = Option<Square>;

/// A position with the side to move, and all earlier positions of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    position: Position,
    side: Side,
    before: Vec<(Position, Side)>,
}

impl Default for Board {
    fn default() -> Self {
        Self::new(Position::START, Side::Black)
    }
}

impl Board {
    /// Creates a game that begins with `position`, with `side` to move.
    pub fn new(position: Position, side: Side) -> Self {
        Self { position, side, before: vec![] }
    }

    /// Returns the position, seen by the side to move.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the side to move, which may have to pass.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Plays a turn of `side`. If the other side is to move but must pass, its pass is implied.
    pub fn play(&mut self, side: Side, turn: Turn) -> Result<(), String> {
        let position = self.with_turn_of(side)?;
        let next = match turn {
            Some(square) => position.play(square).ok_or(format!("{square} is not legal"))?,
            None if position.moves() == 0 => position.pass(),
            None => return Err("a side that can move may not pass".to_owned()),
        };
        self.before.push((self.position, self.side));
        (self.position, self.side) = (next, side.other());
        Ok(())
    }

    /// Returns the position with `side` to move. If the other side is to move, returns the position
    /// after its forced pass, or an error if that side has a legal move.
    pub fn with_turn_of(&self, side: Side) -> Result<Position, String> {
        if side == self.side {
            return Ok(self.position);
        }
        if self.position.moves() != 0 {
            return Err(format!("it is the turn of {}", self.side));
        }
        Ok(self.position.pass())
    }

    /// Returns all positions of the game in order, each with the side to move.
    pub fn positions(&self) -> Vec<(Position, Side)> {
        [&self.before[..], &[(self.position, self.side)]].concat()
    }

    /// Takes back the last turn. Returns false if the game has no turn.
    pub fn undo(&mut self) -> bool {
        let Some(before) = self.before.pop() else { return false };
        (self.position, self.side) = before;
        true
    }

    /// Returns a row of the board as text; rows are counted from 0, `X` is black, `O` white.
    pub fn row(&self, rank: usize) -> String {
        let board = board_text(&self.position, self.side).replace('-', ".");
        let squares = board.chars().skip(8 * rank).take(8).map(String::from);
        squares.collect::<Vec<_>>().join(" ")
    }

    /// Returns the board as a text of several lines, with the names of files and rows at its edges.
    pub fn drawing(&self) -> String {
        let row = |rank| format!("{} {}\n", rank + 1, self.row(rank));
        format!("  a b c d e f g h\n{}", (0..8).map(row).collect::<String>())
    }
}
