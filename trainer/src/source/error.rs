//! What can be wrong with a source, as a whole or in one record.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use othello_engine::file::{FileError, remedy};
use othello_engine::record::RecordError;

/// Why a source is not read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}{}", path.display(), remedy(action, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as in "cannot …".
        action: &'static str,
        /// What the system answered.
        source: io::Error,
    },
    /// Not a file of the expected format.
    #[error("{}: no {expected}: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format.
        expected: &'static str,
        /// How it shows.
        reason: String,
    },
    /// A file of records of our own.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl From<FileError> for SourceError {
    fn from(error: FileError) -> Self {
        Self::Record(error.into())
    }
}

impl SourceError {
    pub(super) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }
}

/// A record that is not taken, in a file that otherwise is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// The file.
    pub path: PathBuf,
    /// Where in the file, such as `line 7`.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.path.display(), self.place, self.reason)
    }
}
