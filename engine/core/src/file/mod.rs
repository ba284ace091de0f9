//! The container format of all binary files: a magic number for each kind of file, provenance,
//! named sections that are compressed and checksummed, and an end frame with the checksum of the
//! whole content.
//!
//! A file is written as `PATH.partial` and renamed when it is complete, so a file without this
//! ending is complete. Long commands keep finished work in [parts](crate::run), which are files of
//! the same format. `datasets/formats.md` describes the bytes.

mod error;
mod format;
mod lock;
mod ordinary;
mod output;
pub(crate) mod packing;
mod paths;
mod place;
pub mod plain;
mod provenance;
mod reader;
mod shown;
mod source;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{FileError, Result, may_pass, remedy};
pub use format::{Kind, VERSION};
pub use lock::{check_partial, lock};
pub(crate) use lock::{is_at, patiently, sync_folder};
pub(crate) use ordinary::beginning;
pub use ordinary::{open_ordinary, read_ordinary};
pub use output::{check_differ, check_output, check_replaceable, make_folder};
pub use packing::{MAX_CONTENT_BYTES, unreadable};
pub use paths::{check_name, folder_of, names_in, remove_if_there};
pub(crate) use place::Replaceable;
pub use plain::ShownFile;
pub(crate) use provenance::escaped;
pub use provenance::{BEHAVIOUR_REVISION, Provenance};
pub use reader::{RawSection, Reader, SectionPlace, kind_of};
pub use shown::refuse_shown;
pub(crate) use shown::refuse_shown_within;
pub use source::{sha256_of, sha256_of_file};
pub(crate) use writer::verified;
pub use writer::{Begin, Writer};

/// A section of a file: its name and its uncompressed content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The name of the section; several sections may have the same name.
    pub name: String,
    /// The content of the section.
    pub content: Vec<u8>,
}

/// The checksum and the size of a complete file.
#[derive(
    Clone, PartialEq, Eq, Debug, derive_more::Display, serde::Serialize, schemars::JsonSchema,
)]
#[display("{bytes} bytes, sha256 {sha256}")]
pub struct Summary {
    /// The size of the file in bytes.
    pub bytes: u64,
    // Empty for a part of a run, which is not hashed.
    /// The SHA-256 of the file, as `sha256sum` prints it.
    pub sha256: String,
    /// The number of sections.
    #[serde(skip)]
    pub sections: usize,
}

/// The treatment of an existing file at the path of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// Keep a complete output with the same provenance (settings and inputs), and do no work.
    /// Refuse any other file.
    Keep,
    /// Make the output again (`--force`). The complete new file replaces an existing file.
    Replace,
}

impl Existing {
    /// Returns [`Self::Replace`] if the user gave `--force`, and [`Self::Keep`] otherwise.
    pub fn by_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}
