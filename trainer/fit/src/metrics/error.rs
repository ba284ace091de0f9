//! The error type of the functions that measure and explain evaluations.

use std::path::PathBuf;

use othello_engine::search::TableError;

use crate::dataset::DatasetError;
use crate::source::SourceError;

/// Errors of measuring and explaining evaluations.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum MetricsError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("{0} for the search of each thread; run fewer --threads")]
    Table(#[from] TableError),
    #[error(
        "{}: the weights were not fitted to this file (sha256 {sha256}), so that it has no --subset; \
         omit --subset", path.display()
    )]
    OtherData { path: PathBuf, sha256: String },
    #[error(
        "the side to move has no legal move; its value is the value after the pass, or the score"
    )]
    NoMove,
    #[error("the board is full")]
    Full,
}
