//! The errors of a benchmark.

use std::path::PathBuf;

use othello_engine::eval::WeightsError;
use othello_engine::player::SearchSpecError;
use othello_engine::record::RecordError;
use othello_engine::search::TableError;
use othello_engine::text::{Invalid, TextError};

use crate::arena::{MatchFileError, Misconduct};
use othello_fit::metrics::MetricsError;
use othello_fit::source::SourceError;

/// The errors of running a benchmark.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum BenchmarkError {
    #[error("player {player}: it {misconduct}")]
    Player { player: String, misconduct: Misconduct },
    #[error("player {player}: {error}")]
    Search { player: String, error: SearchSpecError },
    #[error(
        "{}: no position with an exact score; name games that are solved near their end, positions, \
         or lines of boards with scores",
        path.display()
    )]
    NoScores { path: PathBuf },
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    Measure(#[from] MetricsError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Text(#[from] TextError),
    #[error("{0} for the search of each thread; run fewer --threads")]
    Table(#[from] TableError),
    #[error(transparent)]
    Match(#[from] MatchFileError),
    #[error(transparent)]
    Labels(#[from] Invalid),
}
