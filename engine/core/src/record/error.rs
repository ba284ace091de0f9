//! The errors of reading and writing records.

use std::path::PathBuf;

use super::{GameError, RowError};
use crate::file::FileError;
use crate::progress::Interrupted;
use crate::run::RunError;
use crate::weights::NoProbCut;

/// The error for records that were not read or not written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file itself is the problem.
    #[error(transparent)]
    File(#[from] FileError),
    /// The run cannot begin or go on.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The work was interrupted; its finished part is kept.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// The weights have no ProbCut model for a selective search.
    #[error(transparent)]
    NoProbCut(#[from] NoProbCut),
    /// A search cannot begin, for example because there is no memory for its table.
    #[error(transparent)]
    Search(Box<dyn std::error::Error + Send + Sync>),
    /// A folder differs from its manifest, or has none.
    #[error("{}: {reason}", path.display())]
    Folder {
        /// The folder, its manifest, or a file in it.
        path: PathBuf,
        /// The difference from the manifest, and the remedy.
        reason: String,
    },
    /// A game that is impossible by the rules.
    #[error("{}: game {number}: {source}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game, counted from 1.
        number: u64,
        /// The problem of the game.
        source: GameError,
    },
    /// A row that is not a scored position.
    #[error("{}: position {number}: {source}", path.display())]
    Position {
        /// The file.
        path: PathBuf,
        /// The number of the position, counted from 1.
        number: u64,
        /// The problem of the row.
        source: RowError,
    },
}

/// The error for bytes that are not a frame of records.
#[derive(Debug)]
pub enum FrameError {
    /// The bytes do not have the shape of a frame. The text continues a message such as "section 3
    /// …".
    Shape(String),
    /// The game with this index, counted from 0, is not valid.
    Game(usize, GameError),
    /// The row with this index, counted from 0, is not a scored position.
    Position(usize, RowError),
}
