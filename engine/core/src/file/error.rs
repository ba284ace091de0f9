use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter;
use std::path::{Path, PathBuf};

use super::{Provenance, VERSION};

/// A result whose error is [`FileError`] unless another type is named.
pub type Result<T, E = FileError> = std::result::Result<T, E>;

/// The error for a file that cannot be read or written; it names the file and any damaged part.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum FileError {
    #[error("{}: cannot {action}: {source}{}", path.display(), remedy(action, source))]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("{}: begins with `{found}`, which is not a file of this program; expected {expected}{}",
        path.display(), conversion.as_ref().map_or(String::new(), |it| format!("; the file {it}")))]
    Foreign { path: PathBuf, expected: &'static str, found: String, conversion: Option<String> },
    #[error("{}: is {found}; expected {expected}", path.display())]
    OtherKind { path: PathBuf, expected: &'static str, found: &'static str },
    #[error("{}: has format version {found}, newer than version {VERSION}, the newest that this \
        program reads; use the program that wrote it, or a later one", path.display())]
    Newer { path: PathBuf, found: u32 },
    #[error("{}: cut short: ends at byte {length}, inside {place} that begins at byte {offset}; \
        copy or make the file again", path.display())]
    Truncated { path: PathBuf, place: String, offset: u64, length: u64 },
    #[error("{}: damaged: {place} at byte {offset} {reason}; copy or make the file again",
        path.display())]
    Damaged { path: PathBuf, place: String, offset: u64, reason: String },
    #[error("{}: exists: {reason}; name another output, or replace it with --force",
        path.display())]
    Exists { path: PathBuf, reason: String },
    #[error("{}: {reason}", path.display())]
    Refused { path: PathBuf, reason: String },
    #[error("{}: {reason}", path.display())]
    Passing { path: PathBuf, reason: String, source: io::Error },
    #[error("{}: is longer than {most} bytes, the maximum for such a file; remove it, or name \
        another", path.display())]
    Long { path: PathBuf, most: u64 },
    #[error("{}: {source}; wait for it, or name another output", path.display())]
    Busy { path: PathBuf, source: io::Error },
}

/// Returns advice to append to the message that `action` failed with `error`, or an empty text.
pub fn remedy(action: &str, error: &io::Error) -> &'static str {
    let input = matches!(action, "open it" | "read it" | "list it");
    match error.kind() {
        ErrorKind::NotFound if input => "; check the path",
        ErrorKind::PermissionDenied if input => "; check its permissions",
        ErrorKind::NotFound => "; make the folder first, or name another output",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "; name an output in a folder that may be written to"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free space on the disk and run the same command again: finished work is kept"
        }
        ErrorKind::FileTooLarge => {
            "; the file would exceed the size limit of the process (`ulimit -f`): raise it and run \
             the same command again: finished work is kept"
        }
        _ => "",
    }
}

/// Returns true for an error that may be temporary, such as a full disk.
pub fn may_pass(error: &io::Error) -> bool {
    const EIO_ENFILE_EMFILE: [Option<i32>; 3] = [Some(5), Some(23), Some(24)];
    let machine = cfg!(unix) && EIO_ENFILE_EMFILE.contains(&error.raw_os_error());
    let kind = matches!(
        error.kind(),
        ErrorKind::HostUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::NetworkUnreachable
            | ErrorKind::OutOfMemory
            | ErrorKind::QuotaExceeded
            | ErrorKind::ResourceBusy
            | ErrorKind::StaleNetworkFileHandle
            | ErrorKind::StorageFull
            | ErrorKind::TimedOut
            | ErrorKind::WouldBlock
    );
    machine || kind
}

impl FileError {
    /// Returns a function that converts an I/O error at `path`. `action` completes "cannot …".
    pub fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }

    /// Returns true if the file or its folder does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == ErrorKind::NotFound)
    }

    /// Creates the error for a refused file. The message is the path, a colon and `reason`.
    pub fn refused(path: &Path, reason: impl Into<String>) -> Self {
        Self::Refused { path: path.to_owned(), reason: reason.into() }
    }

    /// Creates the error for a file that is refused because of `error`. The message is the path, a
    /// colon and `reason`. If the cause of `error` may be temporary, the new error has it as its
    /// source.
    pub fn because(path: &Path, reason: String, error: &(dyn Error + 'static)) -> Self {
        let mut causes = iter::successors(Some(error), |&error| error.source());
        match causes.find_map(|cause| cause.downcast_ref::<io::Error>()) {
            Some(cause) if may_pass(cause) => {
                let source = cause.raw_os_error().map(io::Error::from_raw_os_error);
                let source = source.unwrap_or_else(|| cause.kind().into());
                Self::Passing { path: path.to_owned(), reason, source }
            }
            _ => Self::refused(path, reason),
        }
    }

    /// Creates the error for an existing output that is not replaced because of `reason`.
    pub fn exists(path: &Path, reason: impl Into<String>) -> Self {
        Self::Exists { path: path.to_owned(), reason: reason.into() }
    }

    /// Creates the error for an existing output whose settings (`there`) are not the `wanted` ones.
    pub fn other_settings(path: &Path, there: &Provenance, wanted: &Provenance) -> Self {
        let differences = Provenance::differences(there, wanted);
        Self::exists(path, format!("made from other settings ({differences})"))
    }

    pub(crate) fn busy(path: &Path, reason: impl Into<String>) -> Self {
        let source = io::Error::new(ErrorKind::WouldBlock, reason.into());
        Self::Busy { path: path.to_owned(), source }
    }

    pub(crate) fn place(&self) -> String {
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
