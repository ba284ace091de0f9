//! A temporary file for data that does not fit into memory. The file has no name, so nothing is
//! left behind, whatever happens.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use othello_engine::record::RecordError;

use crate::memory::{MemoryLimit, read_exact_at};

/// The error of a temporary file that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {source}: what does not fit into the {megabytes} MB of memory allowed goes into a temporary file \
     there, of which {written} MB were written: free space there, or raise --memory-mb, and run the same command \
     again; no input or output is lost",
    folder.display()
)]
pub struct NoTemporaryFile {
    /// The folder of the file.
    folder: PathBuf,
    /// The memory allowed, in units of 2²⁰ bytes.
    megabytes: u64,
    /// The amount written before, in units of 2²⁰ bytes.
    written: u64,
    /// The cause.
    source: io::Error,
}

/// Errors of work on records that do not all fit into memory.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// A file that cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// There is no room for the temporary file.
    #[error(transparent)]
    Temporary(#[from] NoTemporaryFile),
}

/// A temporary file that is created at the first write.
pub(super) struct Scratch {
    limit: MemoryLimit,
    file: Option<File>,
    end: u64,
}

impl Scratch {
    /// Creates an empty scratch file without touching the disk.
    pub(super) fn new(limit: MemoryLimit) -> Self {
        Self { limit, file: None, end: 0 }
    }

    /// Appends bytes and returns their offset.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<u64, NoTemporaryFile> {
        let place = self.end;
        self.try_append(bytes).map_err(|source| self.failed(source))?;
        Ok(place)
    }

    fn try_append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.limit.folder)?),
        };
        // Reads may have moved it, and a write that failed.
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Reads `bytes` bytes at the offset `place`.
    pub(super) fn read(&self, place: u64, bytes: usize) -> Result<Vec<u8>, NoTemporaryFile> {
        let mut read = vec![0; bytes];
        if let Some(file) = &self.file {
            read_exact_at(file, &mut read, place).map_err(|source| self.failed(source))?;
        }
        Ok(read)
    }

    /// Returns the error for bytes that differ from those written.
    pub(super) fn changed(&self) -> NoTemporaryFile {
        self.failed(io::Error::new(io::ErrorKind::InvalidData, "other bytes than were written"))
    }

    fn failed(&self, source: io::Error) -> NoTemporaryFile {
        let MemoryLimit { folder, bytes } = self.limit.clone();
        NoTemporaryFile { folder, megabytes: bytes >> 20, written: self.end >> 20, source }
    }
}

/// Returns the notice before work that needs a temporary file of at most `bytes` bytes.
pub(super) fn notice(limit: &MemoryLimit, bytes: u64) -> String {
    let (megabytes, folder) = (bytes.div_ceil(1 << 20), limit.folder.display());
    format!(
        "what does not fit into memory goes into a temporary file of {megabytes} MB at most in {folder}"
    )
}
