//! The errors of reading and writing records.

use std::path::PathBuf;

use super::{GameError, RowError};
use crate::file::FileError;
use crate::progress::Interrupted;
use crate::run::RunError;
use crate::weights::NoProbCut;

/// The error for records that were not read or not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RecordError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    NoProbCut(#[from] NoProbCut),
    #[error(transparent)]
    Search(Box<dyn std::error::Error + Send + Sync>),
    #[error("{}: {reason}", path.display())]
    Folder { path: PathBuf, reason: String },
    #[error("{}: game {number}: {source}", path.display())]
    Game { path: PathBuf, number: u64, source: GameError },
    #[error("{}: position {number}: {source}", path.display())]
    Position { path: PathBuf, number: u64, source: RowError },
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
