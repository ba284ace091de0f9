//! Rows (labelled positions) in memory, in a mapped file, or in a part of a run.

use std::fmt;
use std::io::Write;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use othello_engine::file::{FileError, RawSection, Reader, Section, open_ordinary};
use othello_engine::record::{ROW_BYTES, ScoredPosition};
use othello_engine::run::LongPart;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::memory::{MemoryError, MemoryLimit, Temporary};
use crate::source::{DataError, Result};

#[derive(Clone, derive_more::From)]
pub(super) enum StoredRows {
    Memory(Vec<ScoredPosition>),
    Mapped(MappedRows),
}

/// Rows in a mapped file, whose bytes were checked when the file was mapped.
#[derive(Clone)]
pub(super) struct MappedRows {
    map: Arc<Mmap>,
    place: Range<usize>,
}

// Files store the lowest byte first, and a mapped file is read without conversion.
const _: () = assert!(cfg!(target_endian = "little"));

impl StoredRows {
    /// Returns the rows at the byte range `place`; `None` if these bytes are not valid rows. The
    /// file must not change while the rows exist.
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

/// Stores rows in the order of [`Self::push`], in memory or in a temporary file.
pub(super) struct RowSink<'l> {
    memory: Vec<ScoredPosition>,
    /// The temporary file; `None` before the first row, or if the rows are in memory.
    file: Option<Temporary>,
    limit: Option<&'l MemoryLimit>,
}

impl<'l> RowSink<'l> {
    /// Creates an empty sink: with a memory limit in a temporary file, otherwise in memory.
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

const DESCRIPTION: &str = "description";

pub(super) fn write_description(
    part: &mut LongPart<'_>,
    description: &impl Serialize,
) -> Result<()> {
    // This cannot fail: a description has only numbers and texts.
    let json = serde_json::to_vec(description).unwrap_or_default();
    Ok(part.section(DESCRIPTION, &json)?)
}

pub(super) fn write_rows<'r>(
    part: &mut LongPart<'_>,
    name: &str,
    rows: impl IntoIterator<Item = &'r StoredRows>,
) -> Result<()> {
    part.raw_section(name, |out| {
        rows.into_iter().flat_map(|rows| rows.iter()).try_for_each(|row| write_row(out, row))
    })
}

pub(super) fn write_row(out: &mut dyn Write, row: &ScoredPosition) -> Result<()> {
    let written = out.write_all(&row.to_bytes());
    written.map_err(|error| {
        FileError::io(Path::new("a part of the dataset"), "write it")(error).into()
    })
}

pub(super) struct MappedPart {
    pub(super) map: Arc<Mmap>,
    path: PathBuf,
    sections: Vec<Section>,
    raw: Vec<RawSection>,
}

impl MappedPart {
    /// Maps a part's file without a check: it was already checked, or has just been written.
    pub(super) fn open(part: Reader) -> Result<Self> {
        let path = part.path().to_owned();
        let mut reader = part.skipping_raw();
        let sections = reader.by_ref().collect::<Result<_, _>>()?;
        // SAFETY: nobody writes to a complete part of a run again.
        let map = open_ordinary(&path)
            .and_then(|file| unsafe { Mmap::map(&file) }.map_err(FileError::io(&path, "map it")))?;
        Ok(Self { map: Arc::new(map), raw: reader.raw_sections().to_vec(), path, sections })
    }

    pub(super) fn description<T: DeserializeOwned>(&self) -> Option<T> {
        let section = self.sections.iter().find(|section| section.name == DESCRIPTION)?;
        serde_json::from_slice(&section.content).ok()
    }

    pub(super) fn place(&self, name: &str) -> Option<Range<usize>> {
        let raw = self.raw.iter().find(|raw| raw.name == name)?;
        let begin = usize::try_from(raw.offset).ok()?;
        Some(begin..begin.checked_add(usize::try_from(raw.bytes).ok()?)?)
    }

    pub(super) fn rows(&self, name: &str) -> Option<StoredRows> {
        StoredRows::mapped(&self.map, self.place(name)?)
    }

    pub(super) fn wrong(&self) -> DataError {
        let reason = "it does not have the rows of a dataset; remove it, and run the command again";
        FileError::exists(&self.path, reason).into()
    }
}
