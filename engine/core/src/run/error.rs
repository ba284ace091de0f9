//! The errors of runs.

use std::io;
use std::path::PathBuf;

use crate::file::FileError;
use crate::progress::Interrupted;

/// The error of a run (long work in parts) that cannot begin or continue. Finished parts are kept.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RunError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// Parts of a stage are missing, which other shards (processes of the same run) may still make.
    /// `source` has the kind `WouldBlock`: a retry may succeed, so the exit status is 75.
    #[error("{}: {missing} missing of stage `{stage}`; {remedy}, then run this command again",
        folder.display())]
    Missing { folder: PathBuf, stage: String, missing: String, remedy: String, source: io::Error },
}
