//! The one container: a magic number for each kind of file, provenance, named sections that are
//! compressed and checksummed, and an end that carries the checksum of the whole content.
//!
//! A file is written under the name `PATH.partial` and renamed when it is complete, so that a
//! file by its own name is always whole; a run that was killed goes on after the last whole
//! section. `datasets/formats.md` describes the bytes.
//!
//! The build script compiles this room too: it uses nothing of the others.

mod checkpoint;
mod differences;
mod error;
mod format;
mod output;
pub(crate) mod packing;
mod paths;
pub mod plain;
mod provenance;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use checkpoint::Checkpoint;
pub use error::{FileError, may_pass, remedy};
pub use format::{Kind, MAX_CONTENT_BYTES, VERSION};
pub use output::check_output;
pub use paths::{check_name, open_ordinary, read_ordinary};
pub use provenance::{BEHAVIOUR_REVISION, Provenance};
pub use reader::{Reader, kind_of, stated_sha256};
pub use writer::{Begin, Existing, SectionInfo, Writer};

/// A named part of a file, as it was before compression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The name of the section; the same name may come again.
    pub name: String,
    /// The content of the section.
    pub content: Vec<u8>,
}

/// What a complete file amounts to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// SHA-256, in hexadecimal, of the names and contents of the sections: the same for equal
    /// content, whatever its provenance and however it is compressed.
    pub sha256: String,
    /// The size of the file.
    pub bytes: u64,
    /// How many sections it has.
    pub sections: usize,
}
