//! The error type of building, reading and writing datasets.

use std::path::PathBuf;

use othello_engine::file::FileError;
use othello_engine::record::RecordError;
use othello_engine::run::RunError;
use othello_engine::text::Invalid;

use crate::memory::MemoryError;
use crate::source::SourceError;

/// Errors of building, reading or writing a dataset.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum DatasetError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("{}: {source}", path.display())]
    Weight { path: PathBuf, source: Invalid },
    #[error("{}: cannot be the test: {trained}; name games that are not training \
             data", test.display())]
    NoTest { test: PathBuf, trained: String },
    #[error("no position in {paths} has a label; check the label rules{remedy}")]
    Empty { paths: String, remedy: &'static str },
    #[error("{}: {reason}; make the dataset again with `dataset`", path.display())]
    Manifest { path: PathBuf, reason: String },
    #[error(
        "{}: it has {found}; expected {expected} by dataset.json; make the dataset again with `dataset`",
        path.display()
    )]
    Content { path: PathBuf, found: String, expected: String },
    #[error(
        "{}: a dataset has positions but no games; name the records that it was made from",
        path.display()
    )]
    NoRecords { path: PathBuf },
}

/// Wraps errors that `SourceError` can also contain in a `SourceError`.
macro_rules! from_source {
    ($($error:ty),*) => {
        $(impl From<$error> for DatasetError {
            fn from(error: $error) -> Self {
                Self::Source(error.into())
            }
        })*
    };
}

from_source!(RecordError, FileError, MemoryError);
