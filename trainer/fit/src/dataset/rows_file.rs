//! Rows in temporary files: written one after the other, and mapped when all are written.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use othello_engine::record::ScoredPosition;

use super::stored::{MappedRows, StoredRows};

/// A stretch of consecutive rows in a file, counted from 0.
#[derive(Clone, Default, Debug)]
pub(super) struct Stretch {
    pub(super) begin: u64,
    pub(super) end: u64,
}

/// Maps the rows of a temporary file that `Output` wrote.
pub(super) fn map<const N: usize>(
    file: &File,
    parts: [Vec<Stretch>; N],
) -> io::Result<[Vec<StoredRows>; N]> {
    // SAFETY: `Output` wrote rows and nothing else; the file has no name, so that nobody else
    // comes to it, and here nobody writes to it any more.
    let mapped = Arc::new(unsafe { MappedRows::new(file)? });
    let stored = |stretch: Stretch| {
        let row = |row: u64| usize::try_from(row).unwrap_or(usize::MAX);
        StoredRows::Mapped(mapped.clone(), row(stretch.begin)..row(stretch.end))
    };
    Ok(parts.map(|by_phase| by_phase.into_iter().map(stored).collect()))
}

/// Writes rows to a temporary file.
pub(super) struct Output<'f> {
    file: &'f File,
    rows: u64,
}

impl<'f> Output<'f> {
    /// Creates an output without rows.
    pub(super) fn new(file: &'f File) -> Self {
        Self { file, rows: 0 }
    }

    /// Appends the rows that `produce` writes.
    pub(super) fn append<E: From<io::Error>>(
        &mut self,
        produce: impl FnOnce(&mut dyn FnMut(ScoredPosition) -> io::Result<()>) -> Result<(), E>,
    ) -> Result<Stretch, E> {
        let begin = self.rows;
        let mut writer = BufWriter::new(self.file);
        let mut end = begin;
        produce(&mut |row| {
            end += 1;
            writer.write_all(&row.to_bytes())
        })?;
        writer.flush()?;
        self.rows = end;
        Ok(Stretch { begin, end })
    }
}
