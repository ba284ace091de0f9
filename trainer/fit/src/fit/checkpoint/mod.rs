//! Checkpoints of a fit: the finished phases, and the state of the unfinished ones.
//!
//! Finished phases are in one file beside the weights ([`Finished`]), each unfinished phase in a
//! file of its own ([`PhaseFile`]). Both are deleted when the weights are written.

mod finished;
mod phase_file;
mod snapshot;

use std::path::PathBuf;

use othello_engine::file::FileError;

pub(super) use finished::{Finished, FinishedPhases, sections_of};
pub(super) use phase_file::{PhaseFile, check_is_own};
pub use snapshot::Snapshot;

/// Saves the state of a phase's fit. The fit asks [`Self::policy`] before every update. The answer
/// may depend on time: it decides what survives a kill, never the weights of a finished fit.
pub trait Checkpointer {
    /// Decides what to do before the next update.
    fn policy(&mut self) -> CheckpointPolicy;

    /// Saves the state of the fit.
    fn save(&mut self, snapshot: &Snapshot) -> Result<(), CheckpointError>;
}

/// The decision of a checkpointer before an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckpointPolicy {
    /// Continue the fit.
    Continue,
    /// Save the state and continue.
    Save,
    /// Save the state and stop.
    Stop,
}

/// A checkpointer that saves nothing and never stops the fit.
#[derive(Clone, Copy, Debug)]
pub struct NoCheckpoints;

impl Checkpointer for NoCheckpoints {
    fn policy(&mut self) -> CheckpointPolicy {
        CheckpointPolicy::Continue
    }

    fn save(&mut self, _: &Snapshot) -> Result<(), CheckpointError> {
        Ok(())
    }
}

/// Errors of reading and writing the checkpoints of a fit.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The container is damaged, belongs to something else, or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A section does not hold what it should hold.
    #[error("{}: section `{section}` is no part of this fit: delete the file to start over", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The section.
        section: String,
    },
}
