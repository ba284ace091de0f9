//! The errors of a benchmark.

use std::path::PathBuf;

use othello_engine::eval::WeightsError;
use othello_engine::record::RecordError;
use othello_engine::search::TableError;
use othello_engine::text::TextError;

use crate::arena::Misconduct;
use othello_fit::measure::MeasureError;
use othello_fit::source::{LabelRulesError, SourceError};

/// Errors of a benchmark.
#[derive(Debug, thiserror::Error)]
pub enum BenchmarkError {
    /// A program does not work.
    #[error("player {player}: it {misconduct}")]
    Player {
        /// The player.
        player: String,
        /// The misconduct.
        misconduct: Misconduct,
    },
    /// A file has no exact scores.
    #[error(
        "{}: no position with an exact score; name games that are solved near their end, positions, \
         or lines of boards with scores",
        path.display()
    )]
    NoScores {
        /// The file.
        path: PathBuf,
    },
    /// Weights cannot be read.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// Values cannot be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file of records cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A text cannot be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// There is no memory for the transposition tables.
    #[error("{0}, of which each thread's search needs one; run fewer --threads")]
    Table(#[from] TableError),
    /// The rules of labels are not read.
    #[error(transparent)]
    Labels(#[from] LabelRulesError),
}
