//! What a killed fit left: the phases that are finished, and where the others stood.
//!
//! Finished phases stand in one file beside the weights ([`Finished`]), each unfinished phase in a
//! file of its own ([`PhaseFile`]). Both are taken away when the weights are written.

mod finished;
mod phase_file;
mod snapshot;

use std::path::PathBuf;

use othello_engine::file::FileError;

pub(super) use finished::{Finished, Found, sections_of};
pub(super) use phase_file::PhaseFile;
pub use snapshot::Snapshot;

/// Keeps where the fit of a phase stands. It is asked before every update what to do. Time may
/// decide the answer: it changes what is kept in case of a kill, never the weights of a fit that is
/// finished.
pub trait Checkpointer {
    /// What to do before the next update.
    fn policy(&mut self) -> CheckpointPolicy;

    /// Saves where the fit stands.
    fn save(&mut self, snapshot: &Snapshot) -> Result<(), CheckpointError>;
}

/// What to do before the next update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckpointPolicy {
    /// Go on.
    Continue,
    /// Save where the fit stands, and go on.
    Save,
    /// Save where the fit stands, and stop.
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

/// Why a fit cannot be resumed, or not be kept.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The container is damaged, foreign or cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A section does not hold what it should.
    #[error("{}: section `{section}` is no part of this fit: delete the file to start over", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The section.
        section: String,
    },
}
