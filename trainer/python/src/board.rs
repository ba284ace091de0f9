use othello_engine::board::notation::board_text;
use othello_engine::board::{Position, Side, Square, Squares, StatedPosition};
use pyo3::prelude::*;

use crate::errors::{exception, refused};

/// A board with the side to move. A board never changes: `play` returns a new board.
///
/// The constructor takes 64 characters for a1, b1 … h8 (`X` black, `O` white, `-` empty) and the
/// side to move; a line of OBF, a text format for positions; or the moves from the start of a game,
/// such as `f5d6c3` (`""` is the start position). If a pass must follow these moves, it is also
/// played.
#[pyclass(frozen, eq, hash, from_py_object, module = "othello_toolkit")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Board {
    pub(crate) position: Position,
    side: Side,
}

#[derive(FromPyObject)]
pub(crate) enum BoardOrText {
    Board(Board),
    Text(String),
}

impl BoardOrText {
    pub(crate) fn position(&self) -> PyResult<Position> {
        match self {
            Self::Board(board) => Ok(board.position),
            Self::Text(text) => Ok(Board::new(text)?.position),
        }
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (text = ""))]
    fn new(text: &str) -> PyResult<Self> {
        if text.is_empty() {
            return Ok(Self { position: Position::START, side: Side::Black });
        }
        let StatedPosition { position, side, .. } = text.parse().map_err(exception)?;
        Ok(Self { position, side })
    }

    /// The discs of the side to move; bit 0 is a1, bit 63 h8.
    #[getter]
    fn player(&self) -> u64 {
        self.position.player()
    }

    /// The discs of the side that is not to move; bit 0 is a1, bit 63 h8.
    #[getter]
    fn opponent(&self) -> u64 {
        self.position.opponent()
    }

    /// The side to move: `X` for black, `O` for white.
    #[getter]
    fn side(&self) -> char {
        self.side.black_first(['X', 'O'])[0]
    }

    /// The number of moves played so far: the number of discs minus 4.
    #[getter]
    fn ply(&self) -> u32 {
        self.position.ply()
    }

    /// The legal moves, in the order a1, b1 … h8; empty if the side to move must pass.
    #[getter]
    fn moves(&self) -> Vec<String> {
        Squares(self.position.moves()).map(|square| square.to_string()).collect()
    }

    /// True if neither side can move.
    #[getter]
    fn is_over(&self) -> bool {
        self.position.is_over()
    }

    /// The disc difference for the side to move; empty squares go to the winner.
    #[getter]
    fn score(&self) -> i32 {
        self.position.score()
    }

    /// Returns the board after a move. If the other side must then pass, returns the board after
    /// this pass, with the same side to move as before.
    fn play(&self, square: &str) -> PyResult<Self> {
        let square: Square = square.parse().map_err(exception)?;
        let next = self.position.play(square).ok_or_else(|| {
            refused(format!("{square} is not a legal move; legal are {}", self.moves().join(" ")))
        })?;
        if next.moves() == 0 && next.pass().moves() != 0 {
            return Ok(Self { position: next.pass(), side: self.side });
        }
        Ok(Self { position: next, side: self.side.other() })
    }

    /// Returns the board after a pass. It is an error if the side to move has a legal move.
    #[pyo3(name = "pass_")]
    fn pass(&self) -> PyResult<Self> {
        match self.moves().as_slice() {
            [] => Ok(Self { position: self.position.pass(), side: self.side.other() }),
            moves => Err(refused(format!("no pass here: legal moves are {}", moves.join(" ")))),
        }
    }

    fn __str__(&self) -> String {
        board_text(&self.position, self.side)
    }

    fn __repr__(&self) -> String {
        format!("Board(\"{}\")", self.__str__())
    }
}
