//! Rows in memory or in a mapped file.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use memmap2::Mmap;
use othello_engine::record::{ROW_BYTES, ScoredPosition};

use crate::memory::{MemoryError, MemoryLimit, Temporary};

#[derive(Clone, derive_more::From)]
pub(super) enum StoredRows {
    Memory(Vec<ScoredPosition>),
    Mapped(MappedRows),
}

/// Rows in a mapped file, checked when it was mapped.
#[derive(Clone)]
pub(super) struct MappedRows {
    map: Arc<Mmap>,
    place: Range<usize>,
}

// Files have the lowest byte first; a mapped file is read as memory.
const _: () = assert!(cfg!(target_endian = "little"));

impl StoredRows {
    /// Returns rows of a mapped file, which must not change; `None` if the bytes are not rows.
    pub(super) fn mapped(map: &Arc<Mmap>, place: Range<usize>) -> Option<Self> {
        let (rows, rest) = map.get(place.clone())?.as_chunks::<ROW_BYTES>();
        let is_aligned = place.start.is_multiple_of(align_of::<ScoredPosition>());
        let are_rows =
            rest.is_empty() && rows.iter().all(|row| ScoredPosition::from_bytes(row).is_ok());
        (is_aligned && are_rows).then(|| Self::Mapped(MappedRows { map: map.clone(), place }))
    }

    pub(super) fn is_mapped(&self) -> bool {
        matches!(self, Self::Mapped(_))
    }
}

impl Deref for StoredRows {
    type Target = [ScoredPosition];

    fn deref(&self) -> &[ScoredPosition] {
        match self {
            Self::Memory(rows) => rows,
            Self::Mapped(MappedRows { map, place }) => {
                let bytes = &map[place.clone()];
                let rows = bytes.len() / ROW_BYTES;
                // SAFETY: `mapped` checked alignment, length and content, and nobody writes to the
                // file.
                unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), rows) }
            }
        }
    }
}

impl Default for StoredRows {
    fn default() -> Self {
        Self::Memory(vec![])
    }
}

impl fmt::Debug for StoredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows", self.len())
    }
}

/// A receiver of rows in order, in memory or in a temporary file.
pub(super) struct RowSink<'l> {
    memory: Vec<ScoredPosition>,
    /// The file, which is created with its first row.
    file: Option<Temporary>,
    limit: Option<&'l MemoryLimit>,
}

impl<'l> RowSink<'l> {
    /// Creates a sink: in a temporary file if there is a limit on memory, otherwise in memory.
    pub(super) fn new(limit: Option<&'l MemoryLimit>) -> Self {
        Self { memory: vec![], file: None, limit }
    }

    pub(super) fn push(&mut self, row: ScoredPosition) -> Result<(), MemoryError> {
        let Some(limit) = self.limit else {
            self.memory.push(row);
            return Ok(());
        };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Temporary::create(limit)?),
        };
        file.write(&row.to_bytes())
    }

    pub(super) fn finish(mut self) -> Result<StoredRows, MemoryError> {
        let (Some(file), Some(limit)) = (self.file, self.limit) else {
            self.memory.shrink_to_fit();
            return Ok(self.memory.into());
        };
        let place = 0..file.len();
        let map = Arc::new(file.map()?);
        StoredRows::mapped(&map, place).ok_or_else(|| limit.changed())
    }
}
