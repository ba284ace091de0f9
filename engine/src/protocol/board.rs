//! A game in progress, as protocols describe it: with a side to move, and with passes as turns.

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

    /// Plays a turn of `side`. If the other side is to move and has no legal move, it passes first.
    /// The error is a message for the client.
    pub fn play(&mut self, side: Side, turn: Turn) -> Result<(), String> {
        let position = self.with_turn_of(side)?;
        let next = match turn {
            Some(square) => {
                position.play(square).ok_or_else(|| format!("{square} is not legal"))?
            }
            None if position.moves() == 0 => position.pass(),
            None => return Err("a side that can move may not pass".to_owned()),
        };
        self.before.push((self.position, self.side));
        (self.position, self.side) = (next, side.other());
        Ok(())
    }

    /// Returns the position with `side` to move: the current position or, if the other side has to
    /// pass there, the position after that pass. Returns an error if the other side can move.
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
        let before = self.before.pop();
        if let Some((position, side)) = before {
            (self.position, self.side) = (position, side);
        }
        before.is_some()
    }

    /// Returns the discs of black and of white, as bitboards.
    pub fn discs(&self) -> [u64; 2] {
        self.side.black_first([self.position.player(), self.position.opponent()])
    }

    /// Returns a row of the board as text; rows are counted from 0, `X` is black, `O` white.
    pub fn row(&self, rank: usize) -> String {
        let [black, white] = self.discs();
        let disc = |square: usize| match (black >> square & 1, white >> square & 1) {
            (1, _) => "X",
            (_, 1) => "O",
            _ => ".",
        };
        (8 * rank..8 * rank + 8).map(disc).collect::<Vec<_>>().join(" ")
    }

    /// Returns the board as a text of several lines, with the names of files and rows at its edges.
    pub fn drawing(&self) -> String {
        let rows: String =
            (0..8).map(|rank| format!("{} {}\n", rank + 1, self.row(rank))).collect();
        format!("  a b c d e f g h\n{rows}")
    }
}
