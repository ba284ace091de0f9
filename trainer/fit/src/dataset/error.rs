//! The errors of datasets.

use std::path::{Path, PathBuf};

use othello_engine::file::FileError;
use othello_engine::record::RecordError;
use othello_engine::run::RunError;

use super::NoTest;
use crate::memory::{NoRoom, TooLittleMemory};
use crate::source::{LabelRules, SourceError};

/// Errors of building, reading or writing a dataset.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum DatasetError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no room for a temporary file.
    #[error(transparent)]
    Temporary(#[from] NoRoom),
    #[error(transparent)]
    Memory(#[from] TooLittleMemory),
    /// Training has the test data.
    #[error(transparent)]
    NoTest(#[from] NoTest),
    /// There is nothing to learn from. The remedy says where missing labels come from.
    #[error("no position has a label in {paths}; look at the label rules{remedy}")]
    Empty { paths: String, remedy: &'static str },
    #[error("{}: {reason}; make the dataset again with `dataset`", path.display())]
    Manifest { path: PathBuf, reason: String },
    #[error(
        "{}: was made with other settings ({differences}): name the same, or make the dataset again \
         from its data",
        path.display()
    )]
    Settings { path: PathBuf, differences: String },
    /// A file is not the one that the manifest lists.
    #[error(
        "{}: it has {found}, where dataset.json says {expected}; make the dataset again with `dataset`",
        path.display()
    )]
    Content { path: PathBuf, found: String, expected: String },
    /// A dataset stands where records are wanted.
    #[error(
        "{}: a dataset has positions but no games; name the records that it was made from",
        path.display()
    )]
    NoRecords { path: PathBuf },
}

impl DatasetError {
    pub(super) fn empty<P: AsRef<Path>>(
        paths: impl Iterator<Item = P>,
        rules: &LabelRules,
    ) -> Self {
        let paths: Vec<String> = paths.map(|path| path.as_ref().display().to_string()).collect();
        Self::Empty { paths: paths.join(", "), remedy: rules.remedy() }
    }
}

impl From<RecordError> for DatasetError {
    fn from(error: RecordError) -> Self {
        Self::Source(error.into())
    }
}

impl From<FileError> for DatasetError {
    fn from(error: FileError) -> Self {
        Self::Source(error.into())
    }
}
