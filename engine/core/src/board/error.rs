//! The errors of notation.

/// The error for a text that is not a square, a board, a move or a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// A text that is not `a1` to `h8`.
    #[error("`{found}` is no square; expected a1 to h8")]
    Square {
        /// The wrong text; the beginning of a long one.
        found: String,
    },
    /// Fewer than 64 squares.
    #[error("the board has {found} squares; expected 64 of X, *, O, - and .")]
    Short {
        /// The number of characters of the board.
        found: usize,
    },
    /// A character that stands for no disc and no empty square.
    #[error(
        "column {column}: `{}` is no square; expected X or * (black), O (white), - or . (empty)",
        found.escape_debug()
    )]
    Disc {
        /// The column of the character, counted from 1.
        column: usize,
        /// The character.
        found: char,
    },
    /// A board that no game reaches.
    #[error("the board has {found} discs; a position has at least 4")]
    FewDiscs {
        /// The number of discs on the board.
        found: u32,
    },
    /// A side to move that is neither `X` nor `O`.
    #[error("`{found}` is no side to move; expected X or O")]
    Side {
        /// The wrong text; the beginning of a long one.
        found: String,
    },
    /// A score that is not a number, or outside −64..=64.
    #[error("`{found}` is no score; expected a number from -64 to 64")]
    Score {
        /// The wrong text; the beginning of a long one.
        found: String,
    },
    /// A text with something after its end.
    #[error("`{found}` stands after the end of the line")]
    Trailing {
        /// The extra text; the beginning of a long one.
        found: String,
    },
    /// A move that the rules forbid.
    #[error("move {number}: {square} is not legal here")]
    Illegal {
        /// The number of the move, counted from 1.
        number: usize,
        /// The square.
        square: String,
    },
}
