//! The errors for invalid texts and lines.

use std::path::Path;

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

pub(super) fn bad_line(path: &Path, number: u64, reason: &str) -> FileError {
    FileError::refused(path, format!("line {number}: {reason}"))
}
