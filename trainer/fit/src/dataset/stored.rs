//! The rows of a phase, in memory or in a mapped file.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;
use othello_engine::record::ScoredPosition;

/// Rows of a phase.
#[derive(Clone)]
pub(super) enum StoredRows {
    /// Rows in memory.
    Memory(Vec<ScoredPosition>),
    /// A range of rows of a mapped file.
    Mapped(Arc<MappedRows>, Range<usize>),
}

// Files have the lowest byte first; a mapped file is read as memory.
const _: () = assert!(cfg!(target_endian = "little"));

/// A mapped file that holds only rows.
pub(super) struct MappedRows {
    map: Mmap,
}

impl MappedRows {
    /// Maps a file of rows that [`ScoredPosition::to_bytes`] made.
    ///
    /// # Safety
    ///
    /// The file holds nothing else, and nobody writes to it as long as it is mapped.
    pub(super) unsafe fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the caller's promise.
        Ok(Self { map: unsafe { Mmap::map(file)? } })
    }

    fn rows(&self) -> &[ScoredPosition] {
        let rows = self.map.len() / size_of::<ScoredPosition>();
        // SAFETY: a map begins at a page, which is alignment enough; the length is that of the map;
        // by the promise made to `new`, the bytes are those of rows and stay so.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), rows) }
    }
}

impl Deref for StoredRows {
    type Target = [ScoredPosition];

    fn deref(&self) -> &[ScoredPosition] {
        match self {
            Self::Memory(rows) => rows,
            Self::Mapped(file, range) => &file.rows()[range.clone()],
        }
    }
}

impl From<Vec<ScoredPosition>> for StoredRows {
    fn from(rows: Vec<ScoredPosition>) -> Self {
        Self::Memory(rows)
    }
}

impl fmt::Debug for StoredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.len())
    }
}
