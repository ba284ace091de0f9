//! Errors of a source as a whole, and of single records.

use std::io;
use std::path::{Path, PathBuf};

use othello_engine::file::FileError;
use othello_engine::record::RecordError;
use othello_engine::text::TextError;

/// Errors of reading a source.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file is not of the expected format.
    #[error("{}: no {expected}: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The format.
        expected: &'static str,
        /// The evidence.
        reason: String,
    },
    /// A folder cannot be read.
    #[error("cannot read the folder {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A folder has no file of the wanted kind.
    #[error("no {kind} file in the folder {}", folder.display())]
    NoFile {
        /// The kind.
        kind: String,
        /// The folder.
        folder: PathBuf,
    },
    /// No record was accepted.
    #[error("no {kind} in {files}; nothing is written")]
    Nothing {
        /// The kind of records.
        kind: &'static str,
        /// The files.
        files: String,
    },
    /// A text file cannot be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// One of our own files of records cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl From<FileError> for SourceError {
    fn from(error: FileError) -> Self {
        Self::Record(error.into())
    }
}

impl SourceError {
    pub(super) fn nothing(kind: &'static str, files: &str) -> Self {
        Self::Nothing { kind, files: files.to_owned() }
    }

    /// Returns the conversion of an answer of the system about a file, for `map_err`.
    pub(super) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| FileError::io(path, action)(source).into()
    }
}

/// A record that is refused in a file whose other records are accepted.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
#[display("{}: {}: {}", self.path.display(), self.place, self.reason)]
pub struct Rejection {
    /// The file.
    pub path: PathBuf,
    /// The place in the file, such as `line 7`.
    pub place: String,
    /// The reason.
    pub reason: String,
}
