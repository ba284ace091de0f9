//! Parts of a run that contain rows: a description as JSON, and sections of rows that are
//! memory-mapped.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use othello_engine::file::{FileError, RawSection, Reader, Section, open_ordinary};
use othello_engine::record::ScoredPosition;
use othello_engine::run::LongPart;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::DatasetError;
use super::stored::StoredRows;

const DESCRIPTION: &str = "description";

pub(super) fn write_description(
    part: &mut LongPart<'_>,
    description: &impl Serialize,
) -> Result<(), DatasetError> {
    // A description has numbers and texts, which are all JSON.
    let json = serde_json::to_vec(description).unwrap_or_default();
    Ok(part.section(DESCRIPTION, &json)?)
}

pub(super) fn write_rows<'r>(
    part: &mut LongPart<'_>,
    name: &str,
    rows: impl IntoIterator<Item = &'r StoredRows>,
) -> Result<(), DatasetError> {
    part.raw_section(name, |out| {
        rows.into_iter().flat_map(|rows| rows.iter()).try_for_each(|row| write_row(out, row))
    })
}

pub(super) fn write_row(out: &mut dyn Write, row: &ScoredPosition) -> Result<(), DatasetError> {
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
    /// Maps a part into memory. It was already checked, or has just been written.
    pub(super) fn open(part: Reader) -> Result<Self, DatasetError> {
        let path = part.path().to_owned();
        let mut reader = part.skipping_raw();
        let sections = reader.by_ref().collect::<Result<_, _>>()?;
        // SAFETY: a complete part of a run is never written to again.
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

    pub(super) fn wrong(&self) -> DatasetError {
        let reason = "it does not have the rows of a dataset; remove it, and run the command again";
        FileError::exists(&self.path, reason).into()
    }
}
