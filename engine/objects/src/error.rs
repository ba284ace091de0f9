use std::io;
use std::path::{Path, PathBuf};

use object_store::Error;
use othello_core::file::FileError;
use othello_core::progress::Interrupted;

/// Errors of objects, and of their files in the stage.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A text that is no URL of an object.
    #[error(
        "{url}: is no URL of an object: {reason}; expected one such as s3://bucket/folder/a.games"
    )]
    Url {
        /// The text.
        url: String,
        /// The fault.
        reason: String,
    },
    /// A URL at which there is nothing to read.
    #[error(
        "{url}: nothing is there, neither an object nor a folder of objects; check bucket and \
        key, and the endpoint in the environment"
    )]
    Missing {
        /// The URL.
        url: String,
    },
    /// A store that refused a request, or did not answer.
    #[error("{url}: cannot {action}: {source}; {remedy}")]
    Store {
        /// The URL.
        url: String,
        /// The request.
        action: &'static str,
        /// The advice on what to do.
        remedy: &'static str,
        /// The answer of the store; its kind tells whether it may pass.
        source: io::Error,
    },
    /// An output at whose URL somebody else wrote.
    #[error("{url}: is not what it was when this command began, and is not replaced; {} is \
        what the command made: take one of them away, and run the command again", path.display())]
    Changed {
        /// The URL.
        url: String,
        /// The file that was to be sent.
        path: PathBuf,
    },
    /// An object that reads otherwise than its file, or of another size than the store states.
    #[error("{url}: {found}, expected {expected}; run the command again")]
    Content {
        /// The URL.
        url: String,
        /// The content that was read.
        found: String,
        /// The content that was sent or stated.
        expected: String,
        /// A cause that may pass.
        source: io::Error,
    },
    /// A file of the stage that cannot be read or written.
    #[error("{}: cannot {action}: {source}; the stage needs a disk with room: name a folder there \
        by OTHELLO_STAGE", path.display())]
    Local {
        /// The file.
        path: PathBuf,
        /// The action.
        action: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A stage that another process uses.
    #[error("{}: another process is using this stage, for the same output; wait for it", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
        /// The state of the lock.
        source: io::Error,
    },
    /// A file that cannot be replaced.
    #[error(transparent)]
    File(#[from] FileError),
    /// A request to stop.
    #[error("{0}")]
    Interrupted(#[from] Interrupted),
}

impl StoreError {
    pub(crate) fn store(url: &str, action: &'static str, error: Error) -> Self {
        let (kind, remedy) = match may_pass(&error) {
            true => (io::ErrorKind::ResourceBusy, "run the command again"),
            false => (io::ErrorKind::Other, "check the URL, and the keys in the environment"),
        };
        Self::Store { url: url.to_owned(), action, remedy, source: io::Error::new(kind, error) }
    }

    pub(crate) fn url(url: &str, reason: impl ToString) -> Self {
        Self::Url { url: url.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn content(url: &str, found: String, expected: String) -> Self {
        const REASON: &str = "the content differs";
        let source = io::Error::new(io::ErrorKind::ResourceBusy, REASON);
        Self::Content { url: url.to_owned(), found, expected, source }
    }

    pub(crate) fn local(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Local { path, action, source }
    }
}

/// Returns whether a store may answer otherwise at the next attempt. It was asked several times
/// already.
fn may_pass(error: &Error) -> bool {
    matches!(error, Error::Generic { .. } | Error::JoinError { .. } | Error::Precondition { .. })
}
