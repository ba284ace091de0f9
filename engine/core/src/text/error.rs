//! The errors of text files.

use std::io;
use std::path::{Path, PathBuf};

use crate::file::FileError;

/// The greatest size of a file of settings: 1 MiB.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The error for a text file that cannot be read. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum TextError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Line(#[from] BadLine),
    #[error("{}: {reason}", path.display())]
    Meaning { path: PathBuf, reason: String },
    #[error("{}: longer than {MAX_FILE_BYTES} bytes, too long for a file of settings", path.display())]
    Long { path: PathBuf },
    #[error("{}: byte {at} begins no character; expected text in UTF-8", path.display())]
    Encoding {
        path: PathBuf,
        /// The offset of the first wrong byte, counted from 0.
        at: usize,
    },
}

impl TextError {
    pub(super) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| FileError::io(path, action)(source).into()
    }
}

/// The error for a line that is not as it should be. The lines after it can still be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: line {number}: {reason}", path.display())]
pub struct BadLine {
    /// The file.
    pub path: PathBuf,
    /// The number of the line, counted from 1, with blank lines.
    pub number: u64,
    /// The problem of the line.
    pub reason: String,
}
