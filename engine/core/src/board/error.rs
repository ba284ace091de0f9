//! The errors of notation.

/// The error for a text that is not a square, a board, a move or a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum NotationError {
    #[error("`{found}` is not a square; expected a1 to h8")]
    Square { found: String },
    #[error("the board has {found} squares; expected 64 of X, *, O, - and .")]
    Short { found: usize },
    #[error(
        "column {column}: `{}` is not a square; expected X or * (black), O (white), - or . (empty)",
        found.escape_debug()
    )]
    Disc { column: usize, found: char },
    #[error("the board has {found} discs; a position has at least 4")]
    FewDiscs { found: u32 },
    #[error("`{found}` is not a side to move; expected X or O")]
    Side { found: String },
    #[error("`{found}` is not a score; expected a number from -64 to 64")]
    Score { found: String },
    #[error("`{found}` stands after the end of the line")]
    Trailing { found: String },
    #[error("move {number}: {square} is not legal here")]
    Illegal { number: usize, square: String },
}
