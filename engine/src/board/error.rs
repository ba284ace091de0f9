//! Errors of notation.

/// The reason why a text is refused that should name a square, a board, a move or a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// Not `a1` to `h8`.
    #[error("`{found}` is no square; expected a1 to h8")]
    Square {
        /// The text that stands there, cut off where it is long.
        found: String,
    },
    /// Fewer than 64 squares.
    #[error("the board has {found} squares; expected 64 of X, *, O, - and .")]
    Short {
        /// The number of characters in the field.
        found: usize,
    },
    /// A character that stands for no disc.
    #[error(
        "column {column}: `{}` is no square; expected X or * (black), O (white), - or . (empty)",
        found.escape_debug()
    )]
    Disc {
        /// The place in the line, counted from 1.
        column: usize,
        /// The text that stands there, cut off where it is long.
        found: char,
    },
    /// A board that no game reaches.
    #[error("the board has {found} discs; a position has at least 4")]
    FewDiscs {
        /// The number of discs on the board.
        found: u32,
    },
    /// Neither `X` nor `O`.
    #[error("`{found}` is no side to move; expected X or O")]
    Side {
        /// The text that stands there, cut off where it is long.
        found: String,
    },
    /// A score that is no number or too large.
    #[error("`{found}` is no score; expected a number from -64 to 64")]
    Score {
        /// The text that stands there, cut off where it is long.
        found: String,
    },
    /// A text with something after its end.
    #[error("`{found}` stands after the end of the line")]
    Trailing {
        /// The text that stands there, cut off where it is long.
        found: String,
    },
    /// A move that the rules forbid.
    #[error("move {number}: {square} is not legal here")]
    Illegal {
        /// The place in the line, counted from 1.
        number: usize,
        /// The square.
        square: String,
    },
}
