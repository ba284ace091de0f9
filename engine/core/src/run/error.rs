//! The errors of runs.

use std::io;
use std::path::PathBuf;

use crate::file::FileError;
use crate::progress::Interrupted;

/// The error of a run (long work in parts) that cannot begin or continue. Finished parts are kept.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RunError {
    /// A file of the run cannot be read or written, or belongs to another run.
    #[error(transparent)]
    File(#[from] FileError),
    /// The run was stopped on request, between two units of work.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// Parts of a stage are missing, which other shards (processes of the same run) may still make.
    /// The source is a temporary error, so the exit status is 75.
    #[error("{}: {missing} missing of stage `{stage}`; {remedy}, then run this command again",
        folder.display())]
    Missing { folder: PathBuf, stage: String, missing: String, remedy: String, source: io::Error },
}
