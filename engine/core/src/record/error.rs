//! The errors of reading and writing records.

use std::path::PathBuf;

use crate::file::FileError;
use crate::progress::Interrupted;
use crate::run::RunError;
use crate::text::Invalid;
use crate::weights::NoProbCut;

/// The error for records that cannot be read or written.
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
    #[error("{}: {kind} {number}: {source}", path.display())]
    Record { path: PathBuf, kind: &'static str, number: u64, source: Invalid },
}

/// The error for bytes that cannot be decoded as a frame of records.
#[derive(Debug)]
pub struct FrameError {
    /// The index of the invalid record, from 0; `None` if the frame itself is invalid.
    pub(super) index: Option<usize>,
    /// The reason, which completes a message that begins with "section 3 …".
    pub(super) reason: Invalid,
}
