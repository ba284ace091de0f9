//! The errors of files of games or positions.

use std::fmt::Display;
use std::io;
use std::path::Path;

use othello_engine::eval::NoProbCut;
use othello_engine::file::FileError;
use othello_engine::progress::Interrupted;
use othello_engine::record::RecordError;
use othello_engine::run::RunError;
use othello_engine::search::TableError;
use othello_engine::text::Invalid;

use crate::memory::MemoryError;

/// A result whose error is [`DataError`] unless another type is named.
pub type Result<T, E = DataError> = std::result::Result<T, E>;

/// Errors of reading games and positions, of datasets, and of measurements and calibrations.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum DataError {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error("{0} for the search of each thread; run fewer --threads")]
    Table(#[from] TableError),
}

/// Converts errors of types that `RecordError` can contain to `DataError::Record`.
macro_rules! from_record {
    ($($error:ty),*) => {
        $(impl From<$error> for DataError {
            fn from(error: $error) -> Self {
                Self::Record(error.into())
            }
        })*
    };
}

from_record!(FileError, Interrupted, NoProbCut, RunError);

impl DataError {
    /// Returns the error for a file that is not `expected`, such as "a WTHOR file of games".
    pub(super) fn not(path: &Path, expected: &str, reason: impl Display) -> Self {
        Invalid(format!("{}: not {expected}: {reason}", path.display())).into()
    }

    pub(super) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| FileError::io(path, action)(source).into()
    }
}
