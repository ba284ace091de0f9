//! A game under way, as protocols tell it: who moves is said, and passes are moves.

use crate::board::{Position, Side, Square};

/// A move or a pass.
pub type Turn = Option<Square>;

/// A position with the side to move, and those before it.
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
    /// A game that begins with a position, whose player is `side`.
    pub fn new(position: Position, side: Side) -> Self {
        Self { position, side, before: vec![] }
    }

    /// The position, seen by the side to move.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The side to move: it may have to pass.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Plays a turn of a side. A pass that the side to move has to make may be left out.
    ///
    /// The error says why the turn is not legal.
    pub fn play(&mut self, side: Side, turn: Turn) -> Result<(), String> {
        let (position, player) = self.with_turn_of(side)?;
        let next = match turn {
            Some(square) => {
                position.play(square).ok_or_else(|| format!("{square} is not legal"))?
            }
            None if position.moves() == 0 => position.pass(),
            None => return Err("a side that can move may not pass".to_owned()),
        };
        self.before.push((self.position, self.side));
        (self.position, self.side) = (next, player.other());
        Ok(())
    }

    /// The position with `side` to move: where it is the other's turn, that one must pass.
    pub fn with_turn_of(&self, side: Side) -> Result<(Position, Side), String> {
        if side == self.side {
            return Ok((self.position, side));
        }
        if self.position.moves() != 0 {
            return Err(format!("it is the turn of {}", name(self.side)));
        }
        Ok((self.position.pass(), side))
    }

    /// All positions of the game, each with the side to move: the first one first, the present one last.
    pub fn positions(
        &self,
    ) -> impl DoubleEndedIterator<Item = (Position, Side)> + ExactSizeIterator {
        let all = [&self.before[..], &[(self.position, self.side)]].concat();
        all.into_iter()
    }

    /// Whether the game is another one with more turns, or with none more.
    pub fn goes_on_from(&self, other: &Self) -> bool {
        let mut positions = self.positions();
        other.positions().all(|position| positions.next() == Some(position))
    }

    /// Takes the last turn back; false where there is none.
    pub fn undo(&mut self) -> bool {
        let before = self.before.pop();
        if let Some((position, side)) = before {
            (self.position, self.side) = (position, side);
        }
        before.is_some()
    }

    /// The discs of black and of white.
    pub fn discs(&self) -> [u64; 2] {
        match self.side {
            Side::Black => [self.position.player(), self.position.opponent()],
            Side::White => [self.position.opponent(), self.position.player()],
        }
    }
}

impl Board {
    /// A row of the board for people, counted from 0: `X` black, `O` white, `*` one of the `marked` squares.
    pub fn row(&self, rank: usize, marked: u64) -> String {
        let [black, white] = self.discs();
        let disc = |file: usize| match 1 << (8 * rank + file) {
            square if black & square != 0 => "X",
            square if white & square != 0 => "O",
            square if marked & square != 0 => "*",
            _ => ".",
        };
        (0..8).map(disc).collect::<Vec<_>>().join(" ")
    }

    /// The board for people, with the names of files and rows.
    pub fn drawing(&self, marked: u64) -> String {
        let row = |rank| format!("{} {}\n", rank + 1, self.row(rank, marked));
        let rows: String = (0..8).map(row).collect();
        format!("  a b c d e f g h\n{rows}")
    }
}

/// The name of a side in messages.
pub fn name(side: Side) -> &'static str {
    match side {
        Side::Black => "black",
        Side::White => "white",
    }
}
