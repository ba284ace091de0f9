//! Compares Othello evaluations and the recipes that make them.
//!
//! [`arena`] plays paired matches and computes their statistics, [`experiments`] compares recipes
//! on held-out games, extrapolates learning curves and tunes settings, [`scorecard`] measures
//! weights and programs by the same tests, [`throughput`] measures the speed of a fit, and
//! [`report`] draws a page of charts.
//!
//! ```
//! use othello_lab::experiments::Law;
//!
//! // The error of a recipe as a function of the number of games: floor + scale · games^-exponent.
//! let law = Law { floor: 3.0, scale: 40.0, exponent: 0.5 };
//! assert_eq!(law.at(1600.0), 4.0);
//! ```

pub mod arena;
pub mod experiments;
pub mod report;
pub mod scorecard;
pub mod throughput;

use std::path::PathBuf;

use othello_engine::eval::WeightsError;
use othello_engine::file::FileError;
use othello_engine::record::RecordError;
use othello_engine::run::RunError;
use othello_engine::search::TableError;
use othello_engine::text::Invalid;

use othello_fit::backend::BackendError;
use othello_fit::fit::FitError;
use othello_fit::source::DataError;

/// A result whose error is [`LabError`] unless another type is named.
pub type Result<T, E = LabError> = std::result::Result<T, E>;

/// The error of a match, a study, a benchmark, or a measurement of the speed of a fit.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum LabError {
    #[error("--test has no positions in the --phases")]
    NoTestPositions,
    #[error(
        "{}: no position with an exact score; name games that are solved near their end, positions, \
         or lines of boards with scores",
        path.display()
    )]
    NoScores { path: PathBuf },
    #[error("{0} for the search of each thread; run fewer --threads")]
    Table(#[from] TableError),
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Source(#[from] DataError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Fit(#[from] FitError),
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
