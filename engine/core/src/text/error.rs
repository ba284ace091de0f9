//! The errors for invalid texts and text files.

use std::io;
use std::path::{Path, PathBuf};

use super::excerpt;
use crate::file::FileError;

/// The greatest size of a file of settings: 1 MiB.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The error for an invalid text: a message that states what was found and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

impl Invalid {
    /// Creates the error of a text that is not `kind`, such as "a square". It quotes the text.
    pub fn not(text: &str, kind: &str, expected: &str) -> Self {
        Self(format!("`{}` is not {kind}; expected {expected}", excerpt(text)))
    }
}

/// The error for a text file that cannot be read or has an invalid line. It names the file.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum TextError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Line(#[from] BadLine),
}

impl TextError {
    pub(super) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| FileError::io(path, action)(source).into()
    }
}

/// The error for an invalid line of a text file. The reader can still read the following lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: line {number}: {reason}", path.display())]
pub struct BadLine {
    /// The path of the text file.
    pub path: PathBuf,
    /// The number of the line, counted from 1, including blank lines.
    pub number: u64,
    /// The reason why the line is invalid.
    pub reason: String,
}
