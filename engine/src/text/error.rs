//! What can be wrong with a text file.

use std::io;
use std::path::{Path, PathBuf};

use crate::file::FileError;

/// The largest file of settings: 1 MiB.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Why a text file is not read. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line that is not what it should be.
    #[error(transparent)]
    Line(#[from] BadLine),
    /// A text that does not mean what it should.
    #[error("{}: {reason}", path.display())]
    Meaning {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// More than a small file.
    #[error("{}: longer than {MAX_FILE_BYTES} bytes, too long for a file of settings", path.display())]
    Long {
        /// The file.
        path: PathBuf,
    },
    /// Bytes that are no text.
    #[error("{}: byte {at} begins no character; expected text in UTF-8", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// Counted from 0.
        at: usize,
    },
}

impl TextError {
    pub(super) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        FileError::Io { path: path.to_owned(), action, source }.into()
    }
}

/// A line that is not what it should be. The lines after it can still be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: line {number}: {reason}", path.display())]
pub struct BadLine {
    /// The file.
    pub path: PathBuf,
    /// Counted from 1, blank lines too.
    pub number: u64,
    /// What is wrong with it.
    pub reason: String,
}
