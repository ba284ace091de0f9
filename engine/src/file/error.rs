//! What can be wrong with a file.

use std::io;
use std::path::{Path, PathBuf};

use super::VERSION;

/// Why a file was not read or not written. Every message names the file and the place.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}{}", path.display(), remedy(action, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried, as in "cannot …".
        action: &'static str,
        /// What the system answered.
        source: io::Error,
    },
    /// No file of this program.
    #[error("{}: begins with `{found}`, which is no file of this program; expected {expected}",
        path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What should have been there.
        expected: &'static str,
        /// The first bytes, printable.
        found: String,
    },
    /// A file of another kind.
    #[error("{}: is {found}; expected {expected}", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// The kind that was asked for.
        expected: &'static str,
        /// The kind it is.
        found: &'static str,
    },
    /// A format of the future.
    #[error("{}: has format version {found}, newer than version {VERSION}, the newest that this \
        program reads; use the program that wrote it, or a later one", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version that the file states.
        found: u32,
    },
    /// The file stops too early.
    #[error("{}: cut short: ends at byte {length}, inside {place} that begins at byte {offset}; \
        copy or make the file again", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Which part is incomplete.
        place: String,
        /// Where that part begins.
        offset: u64,
        /// Where the file ends.
        length: u64,
    },
    /// The file does not hold what was once written.
    #[error("{}: damaged: {place} at byte {offset} {reason}; copy or make the file again",
        path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part is damaged.
        place: String,
        /// Where that part begins.
        offset: u64,
        /// How it shows.
        reason: String,
    },
    /// A section that cannot be written.
    #[error("{}: section `{name}` cannot be written: {reason}", path.display())]
    Section {
        /// The file.
        path: PathBuf,
        /// The section's name.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The output is there and is not what would be written.
    #[error("{}: exists: {reason}; name another output, or replace it with --force",
        path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// How it differs.
        reason: String,
    },
    /// No ordinary file, where one is to be read or written.
    #[error("{}: is {found}, and no ordinary file; name another path", path.display())]
    Special {
        /// The path.
        path: PathBuf,
        /// What stands there, such as `a folder`.
        found: &'static str,
    },
    /// More than is read at once.
    #[error("{}: is longer than {most} bytes, the most that is read of such a file; take it away, or \
        name another", path.display())]
    Long {
        /// The file.
        path: PathBuf,
        /// The most bytes.
        most: u64,
    },
    /// A name that says something else than the file would be.
    #[error("{}: would be {kind} under the name of another kind; name another output",
        path.display())]
    Misnamed {
        /// The path.
        path: PathBuf,
        /// The kind that would be written.
        kind: &'static str,
    },
    /// A command would replace what it reads.
    #[error("{}: is also an input ({}), which is never replaced; name another output",
        path.display(), input.display())]
    OutputIsInput {
        /// The output.
        path: PathBuf,
        /// The name by which the file is an input.
        input: PathBuf,
    },
    /// Somebody else writes the same output.
    #[error("{}: {source}; wait for it, or name another output", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// The reason, as one that may pass.
        source: io::Error,
    },
}

/// What to do where the operating system refused, as the end of a message; empty where nobody
/// knows. `action` is what was tried, as in "cannot …": `open it` and `read it` are done to inputs.
pub fn remedy(action: &str, error: &io::Error) -> &'static str {
    use io::ErrorKind;
    let input = matches!(action, "open it" | "read it");
    match error.kind() {
        ErrorKind::NotFound if input => "; check the path",
        ErrorKind::PermissionDenied if input => "; check its permissions",
        ErrorKind::NotFound => "; make the folder first, or name another output",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "; name an output in a folder that may be written to"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; make room and run the same command again: what is finished is kept"
        }
        ErrorKind::FileTooLarge => {
            "; files may not grow so large here (`ulimit -f`): raise that and run the same command \
             again: what is finished is kept"
        }
        _ => "",
    }
}

/// Whether trouble with a file or a pipe may be gone when the same is tried again: a disk that was full, a
/// device or a network that failed, a lock that somebody held, more open files than there may be.
pub fn may_pass(error: &io::Error) -> bool {
    use io::ErrorKind::{
        HostUnreachable, NetworkDown, NetworkUnreachable, OutOfMemory, QuotaExceeded, ResourceBusy,
        StaleNetworkFileHandle, StorageFull, TimedOut, WouldBlock,
    };
    const EIO: i32 = 5;
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    let machine = cfg!(unix) && matches!(error.raw_os_error(), Some(EIO | ENFILE | EMFILE));
    let kind = matches!(
        error.kind(),
        HostUnreachable
            | NetworkDown
            | NetworkUnreachable
            | OutOfMemory
            | QuotaExceeded
            | ResourceBusy
            | StaleNetworkFileHandle
            | StorageFull
            | TimedOut
            | WouldBlock
    );
    machine || kind
}

impl FileError {
    /// The error that somebody else holds the lock of a file.
    pub(super) fn busy(path: &Path) -> Self {
        const REASON: &str = "another process is writing this file";
        let source = io::Error::new(io::ErrorKind::WouldBlock, REASON);
        Self::Busy { path: path.to_owned(), source }
    }

    /// The place of a truncation or damage in the file, and how it shows; else all of the message.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Truncated { place, offset, .. } => {
                format!("{place} that begins at byte {offset} is cut short")
            }
            Self::Damaged { place, offset, reason, .. } => {
                format!("{place} at byte {offset} {reason}")
            }
            other => other.to_string(),
        }
    }
}
