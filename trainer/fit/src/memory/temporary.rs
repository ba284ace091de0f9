//! Temporary files without a name: nothing is left behind, whatever happens.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use memmap2::Mmap;

use super::{MemoryLimit, NoRoom};

/// A temporary file that is written from its beginning to its end, and then mapped.
pub(crate) struct Temporary {
    file: BufWriter<File>,
    bytes: usize,
    limit: MemoryLimit,
}

impl Temporary {
    /// Creates an empty file in the folder of the limit.
    pub(crate) fn create(limit: &MemoryLimit) -> Result<Self, NoRoom> {
        let file = tempfile::tempfile_in(&limit.folder).map_err(|error| limit.no_room(error))?;
        Ok(Self { file: BufWriter::new(file), bytes: 0, limit: limit.clone() })
    }

    /// Returns the number of bytes written.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), NoRoom> {
        self.bytes += bytes.len();
        self.file.write_all(bytes).map_err(|error| self.limit.no_room(error))
    }

    /// Maps the whole file into memory.
    pub(crate) fn map(self) -> Result<Mmap, NoRoom> {
        let limit = self.limit;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        // SAFETY: the file has no name, so that nobody else writes to it, and this was its only
        // writer.
        let map = file.and_then(|file| unsafe { Mmap::map(&file) });
        map.map_err(|error| limit.no_room(error))
    }
}
