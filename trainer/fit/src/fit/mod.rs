//! The fit: from a dataset to the weights of 60 phases.
//!
//! For each phase, a fit minimises over the weights w, where parameter p has the weight wₚ,
//!
//! ```text
//! J(w) = Σᵢ ωᵢ (yᵢ − V(xᵢ; w))² + λ Σₚ (wₚ − w⁰ₚ)²
//! ```
//!
//! over the positions xᵢ of the phase and of nearby phases ([`Window`]), with values V, labels yᵢ
//! in discs, weights ωᵢ in occurrences, ridge λ and initial weights w⁰. [`PhaseFit`] fits one
//! phase; [`Fit`] fits all, as a run that can be stopped and resumed. [`FitSettings`] are the
//! settings of both.
//!
//! | modules | content |
//! |---|---|
//! | `settings` | the settings that decide a fit |
//! | `report` | the result of a fit |
//! | `adam`, `least_squares` | the optimizers |
//! | `epochs` | the problem that they solve, the loop of a fit, and when its state is saved |
//! | `phase`, `group` | the fit of one phase or of one group of phases |
//! | `part`, `side_files`, `run` | the fit of all phases, as a run in parts |
//! | `device` | the device that a fit runs on |
//!
//! A fit's vectors, such as the weights, have their elements in the order of [`crate::model`]. At
//! the end, the fit rounds the weights, measures their errors, and reorders them for the file.

mod adam;
mod device;
mod epochs;
mod group;
mod least_squares;
mod part;
mod phase;
mod report;
mod run;
mod settings;
mod side_files;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;

use othello_engine::board::Phase;
use othello_engine::eval::WeightsError;
use othello_engine::file::FileError;
use othello_engine::progress::Interrupted;
use othello_engine::run::RunError;
use othello_engine::text::excerpt;
use othello_kernels::cuda::Unavailable;

use crate::backend::BackendError;

pub use device::{Device, PickedDevice};
pub use epochs::{Advance, Checkpoints, Problem, Snapshot, Solver, State, Take, without_stops};
pub use part::{Units, pack};
pub use phase::PhaseFit;
pub use report::{Filled, FitEnd, FitReport, FittedPhase, FittedVector, Metrics, PhaseReport};
pub use run::{Fit, Limits};
pub use settings::{
    AdamSettings, FactorSettings, FitSettings, LeastSquaresSettings, MAX_RIDGE, Optimizer, Window,
};
pub use side_files::side_files;

/// If a weight reaches this size in discs, the fit fails: it has diverged.
const MAX_DISCS: f64 = 4096.0;

/// The result of an operation of a fit.
pub type Result<T, E = FitError> = std::result::Result<T, E>;

/// Errors of a fit.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum FitError {
    #[error("none of the phases {0} to {1} has training positions: check the data and --phases")]
    NoPositions(Phase, Phase),
    #[error("phase {0} has too many training positions in its window; narrow the --window")]
    TooMany(Phase),
    #[error(
        "a batch of the group of phases from {0} that share factors has too many training \
         positions; use a smaller batch, such as --batch 8192"
    )]
    TooManyInBatch(Phase),
    #[error("--device {0}: {1}")]
    NoGpu(Device, Unavailable),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(
        "phase {phase}: after epoch {epoch} the weights are beyond {MAX_DISCS} discs or not finite; \
         lower the learning rate or raise the ridge"
    )]
    Diverged { phase: Phase, epoch: u32 },
    #[error("section `{0}` of the snapshot is missing, of another size, or not of this fit")]
    Snapshot(String),
    #[error(
        "the time ended before any phase completed an epoch; the same command resumes: give it \
         more --minutes"
    )]
    OutOfTime,
    #[error("the fit of one phase takes {needed_mb} MB; raise --memory-mb")]
    OutOfMemory { needed_mb: u64 },
    #[error("the parts were fitted {from}; {remedy}")]
    Initial { from: String, remedy: &'static str },
    #[error("`{0}` in run.json is not that of a fit; fit again with --force")]
    Provenance(&'static str),
    #[error(
        "{}: {source}; the weights are complete, and this is not the report of their fit: fit them \
         again with --force, or name another output", path.display()
    )]
    Report { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Weights(#[from] WeightsError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl FitError {
    fn in_section(name: &str) -> Self {
        Self::Snapshot(excerpt(name))
    }
}

impl From<Interrupted> for FitError {
    fn from(error: Interrupted) -> Self {
        Self::Run(error.into())
    }
}
