//! The errors of a fit.

use othello_engine::board::Phase;
use othello_engine::eval::WeightsError;
use othello_engine::file::FileError;
use othello_engine::progress::Interrupted;
use othello_engine::run::RunError;

use super::epochs::PhaseError;
use super::side_files::ReportError;

/// Errors of a fit.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum FitError {
    #[error("none of the phases {0} to {1} has training positions: check the data and --phases")]
    NoPositions(Phase, Phase),
    /// The data is more than the sums can hold.
    #[error("phase {0} has too many training positions in its window; narrow the --window")]
    TooMany(Phase),
    /// The data is more than the sums of factors can hold.
    #[error(
        "the phases from {0} on that share factors have too many training positions together; make the \
         groups of the pattern set smaller"
    )]
    TooManyInGroup(Phase),
    #[error(transparent)]
    Phase(#[from] PhaseError),
    #[error(
        "the time was up before any phase had completed an epoch; the same command goes on from \
         where it stopped: give it more --minutes"
    )]
    OutOfTime,
    #[error("the fit of one phase takes {needed_mb} MB; raise --memory-mb")]
    OutOfMemory { needed_mb: u64 },
    /// The fit to pack began from other weights, or from none.
    #[error("the parts were fitted {from}; {remedy}")]
    Initial { from: String, remedy: &'static str },
    /// The run to pack is not a fit.
    #[error("`{0}` in run.json is not that of a fit; fit again with --force")]
    Provenance(&'static str),
    /// A part cannot be made or read, or the fit was stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    File(#[from] FileError),
    /// The weights are complete, but their report cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl From<Interrupted> for FitError {
    fn from(error: Interrupted) -> Self {
        Self::Run(error.into())
    }
}
