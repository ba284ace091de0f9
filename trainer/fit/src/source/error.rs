//! The errors of a file of games or positions as a whole, and of single records in it.

use std::io;
use std::path::{Path, PathBuf};

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
    #[error("{}: not {expected}: {reason}", path.display())]
    Format { path: PathBuf, expected: &'static str, reason: String },
    #[error("cannot read the folder {}: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("no {kind} file in the folder {}", folder.display())]
    NoFile { kind: String, folder: PathBuf },
    #[error(
        "random moves `{}={plies}`: none of the inputs is this file or in this folder; name an \
         input or its folder",
        path.display()
    )]
    NoInput { path: PathBuf, plies: u8 },
    #[error("no {kind} in {files}; expected at least one: check the format and the files")]
    Nothing { kind: &'static str, files: String },
    #[error("no position in {files} has a label; check the label rules{remedy}")]
    NoLabel { files: String, remedy: &'static str },
    #[error("the filter `{filter}` excludes all positions of {files}: {reason}")]
    Filtered { files: String, filter: String, reason: String },
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
    pub(super) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| FileError::io(path, action)(source).into()
    }
}

/// A record that is refused in a file whose other records are accepted.
#[derive(Clone, PartialEq, Eq, Debug, derive_more::Display)]
#[display("{}: {}: {}", self.path.display(), self.place, self.reason)]
pub struct Rejection {
    /// The path of the file that contains the record.
    pub path: PathBuf,
    /// The place of the record in the file, such as `line 7`.
    pub place: String,
    /// The reason why the record is refused.
    pub reason: String,
}
