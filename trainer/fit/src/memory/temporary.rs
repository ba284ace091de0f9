//! Temporary files without a name, which disappear with the process in any case.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use memmap2::Mmap;

use super::{MemoryError, MemoryLimit};

/// A temporary file that is written sequentially, and then memory-mapped.
pub(crate) struct Temporary {
    file: BufWriter<File>,
    bytes: usize,
    limit: MemoryLimit,
}

impl Temporary {
    pub(crate) fn create(limit: &MemoryLimit) -> Result<Self, MemoryError> {
        let file = tempfile::tempfile_in(&limit.folder).map_err(|error| limit.no_room(error))?;
        Ok(Self { file: BufWriter::new(file), bytes: 0, limit: limit.clone() })
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), MemoryError> {
        self.bytes += bytes.len();
        self.file.write_all(bytes).map_err(|error| self.limit.no_room(error))
    }

    pub(crate) fn map(self) -> Result<Mmap, MemoryError> {
        let limit = self.limit;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        // SAFETY: the file has no name, so that nobody else writes to it, and this was its only
        // writer.
        let map = file.and_then(|file| unsafe { Mmap::map(&file) });
        map.map_err(|error| limit.no_room(error))
    }
}
