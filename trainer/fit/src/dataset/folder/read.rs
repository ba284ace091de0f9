//! Reads a dataset from a folder.

use std::path::PathBuf;

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::FileError;
use othello_engine::progress::Progress;
use othello_engine::record::{PositionReader, ScoredPosition};
use rayon::prelude::*;

use super::{DatasetFolder, DatasetProvenance, FileEntry, file_name};
use crate::dataset::stored::RowSink;
use crate::dataset::{Dataset, PhaseRows, Subset};
use crate::memory::MemoryLimit;
use crate::source::{DataError, Result};

impl DatasetFolder {
    /// Reads the positions of the given phases. If they need more memory than `limit`, all are
    /// mapped from temporary files.
    pub fn read(
        &self,
        phases: &[Phase],
        limit: Option<&MemoryLimit>,
        progress: &dyn Progress,
    ) -> Result<Dataset> {
        let wanted: Vec<(Subset, Phase)> =
            phases.iter().flat_map(|&phase| Subset::ALL.map(|subset| (subset, phase))).collect();
        progress.begin_stoppable(READ, 0, wanted.len() as u64);
        let all = wanted.iter().map(|&(subset, phase)| self.entry(subset, phase).positions);
        let bytes = all
            .fold(0u64, |sum, rows| sum.saturating_add(rows))
            .saturating_mul(size_of::<ScoredPosition>() as u64);
        let limit = limit.filter(|limit| bytes > limit.bytes);
        let read = |&(subset, phase): &(Subset, Phase)| -> Result<_> {
            let (mut file, mut rows) = (self.file(subset, phase)?, RowSink::new(limit));
            while let Some(frame) = file.next_frame()? {
                progress.check()?;
                frame.into_iter().try_for_each(|row| rows.push(row))?;
            }
            progress.advance(1);
            Ok((subset, phase, rows.finish()?))
        };
        let read = wanted.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut phases = vec![PhaseRows::default(); PHASES];
        for (subset, phase, rows) in read {
            phases[phase.index()][subset as usize] = rows;
        }
        let DatasetProvenance { data, test, .. } = self.made.clone();
        let (counts, inputs, test_inputs) = (self.counts(), data, test);
        Ok(Dataset { phases, counts, inputs, test_inputs, ..Dataset::default() })
    }

    fn file(&self, subset: Subset, phase: Phase) -> Result<File> {
        let path = self.path.join(file_name(subset, phase));
        let expected = self.entry(subset, phase).clone();
        Ok(File { reader: PositionReader::open(&path)?, path, phase, expected, positions: 0 })
    }
}

struct File {
    path: PathBuf,
    phase: Phase,
    reader: PositionReader,
    expected: FileEntry,
    positions: u64,
}

impl File {
    /// Returns the next block of positions, after checking their phase. At the end of the file,
    /// checks the number of positions and the checksum, and returns `None`.
    fn next_frame(&mut self) -> Result<Option<Vec<ScoredPosition>>> {
        let Some(frame) = self.reader.next_frame()? else {
            self.check_whole()?;
            return Ok(None);
        };
        self.positions += frame.len() as u64;
        if self.positions > self.expected.positions {
            self.check_count()?;
        }
        if frame.iter().any(|row| Phase::of(&row.position()) != Some(self.phase)) {
            let found = "a position of another phase".to_owned();
            return Err(self.wrong(found, format!("positions of phase {}", self.phase)));
        }
        Ok(Some(frame))
    }

    fn check_count(&self) -> Result<()> {
        let count = |positions: u64| format!("{positions} positions");
        match self.positions == self.expected.positions {
            true => Ok(()),
            false => Err(self.wrong(count(self.positions), count(self.expected.positions))),
        }
    }

    fn check_whole(&self) -> Result<()> {
        self.check_count()?;
        let sum = |sha256: &str| format!("the sha256 {sha256}");
        match self.reader.sha256().unwrap_or_default() {
            sha256 if sha256 == self.expected.sha256 => Ok(()),
            sha256 => Err(self.wrong(sum(sha256), sum(&self.expected.sha256))),
        }
    }

    fn wrong(&self, found: String, expected: String) -> DataError {
        let reason = format!(
            "it has {found}; expected {expected} by dataset.json; make the dataset again with \
             `dataset`"
        );
        FileError::refused(&self.path, reason).into()
    }
}

const READ: &str = "dataset (files read)";
