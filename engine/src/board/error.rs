//! Errors of notation.

/// What is wrong with a text that should name a square, a board, a move or a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// Not `a1` to `h8`.
    #[error("`{found}` is no square; expected a1 to h8")]
    Square {
        /// What stood there.
        found: String,
    },
    /// Fewer than 64 squares.
    #[error("the board has {found} squares; expected 64 of X, *, O, - and .")]
    Short {
        /// How many characters there were.
        found: usize,
    },
    /// A character that stands for no disc.
    #[error(
        "column {column}: `{}` is no square; expected X or * (black), O (white), - or . (empty)",
        found.escape_debug()
    )]
    Disc {
        /// Counted from 1.
        column: usize,
        /// What stood there.
        found: char,
    },
    /// A board that no game reaches.
    #[error("the board has {found} discs; a position has at least 4")]
    FewDiscs {
        /// How many there were.
        found: u32,
    },
    /// Neither `X` nor `O`.
    #[error("`{found}` is no side to move; expected X or O")]
    Side {
        /// What stood there.
        found: String,
    },
    /// A score that is no number or too large.
    #[error("`{found}` is no score; expected a number from -64 to 64")]
    Score {
        /// What stood there.
        found: String,
    },
    /// Something after the end.
    #[error("`{found}` stands after the end of the line")]
    Trailing {
        /// What stood there.
        found: String,
    },
    /// A move that the rules forbid.
    #[error("move {number}: {square} is not legal here")]
    Illegal {
        /// Counted from 1.
        number: usize,
        /// The square.
        square: String,
    },
}
