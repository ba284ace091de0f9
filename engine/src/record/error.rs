//! What can be wrong with records.

use std::path::PathBuf;

use super::{GameError, RowError};
use crate::eval::NoProbCut;
use crate::file::FileError;
use crate::progress::Interrupted;

/// Why records were not read or not written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file itself.
    #[error(transparent)]
    File(#[from] FileError),
    /// The work was stopped; what it had finished is kept.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// Weights that do not say what a selective search may leave out.
    #[error(transparent)]
    NoProbCut(#[from] NoProbCut),
    /// A search that cannot begin, such as for want of memory.
    #[error(transparent)]
    Search(Box<dyn std::error::Error + Send + Sync>),
    /// A folder that is not what its manifest says, or has none.
    #[error("{}: {reason}", path.display())]
    Folder {
        /// The folder, its manifest, or a file in it.
        path: PathBuf,
        /// How the folder differs from its manifest, and what to do.
        reason: String,
    },
    /// A game that cannot have been played.
    #[error("{}: game {number}: {source}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        number: u64,
        /// What is wrong with it.
        source: GameError,
    },
    /// A row that is no scored position.
    #[error("{}: position {number}: {source}", path.display())]
    Position {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        number: u64,
        /// What is wrong with it.
        source: RowError,
    },
}

/// Why the bytes of a frame are not read.
#[derive(Debug)]
pub enum FrameError {
    /// The bytes have another shape than a frame; how it shows, as in "section 3 …".
    Shape(String),
    /// The game with this index, counted from 0, is none.
    Game(usize, GameError),
    /// The row with this index, counted from 0, is no scored position.
    Position(usize, RowError),
}
