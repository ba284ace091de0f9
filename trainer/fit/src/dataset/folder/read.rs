//! Reads a dataset from a folder.

use std::path::PathBuf;

use othello_engine::board::{PHASES, Phase, Position};
use othello_engine::progress::Progress;
use othello_engine::record::{PositionReader, RecordError, ScoredPosition};
use rayon::prelude::*;

use super::{Content, DatasetFolder, FileEntry, Made};
use crate::dataset::merge::{SourceRows, key};
use crate::dataset::stored::RowSink;
use crate::dataset::{Dataset, DatasetError, PhaseRows, Subset};
use crate::memory::MemoryLimit;

impl DatasetFolder {
    /// Reads some of the phases; the others are empty. Rows beyond the limit on memory are mapped
    /// from temporary files.
    pub fn read(
        &self,
        phases: &[Phase],
        limit: Option<&MemoryLimit>,
        progress: &dyn Progress,
    ) -> Result<Dataset, DatasetError> {
        let wanted: Vec<(Content, Phase)> = phases
            .iter()
            .flat_map(|&phase| Subset::ALL.map(|subset| (subset.into(), phase)))
            .collect();
        progress.begin_stoppable(READ, 0, wanted.len() as u64);
        let all = wanted.iter().map(|&(content, phase)| self.entry(content, phase).positions);
        let bytes = all
            .fold(0u64, |sum, rows| sum.saturating_add(rows))
            .saturating_mul(size_of::<ScoredPosition>() as u64);
        let limit = limit.filter(|limit| bytes > limit.bytes);
        let read = |&(content, phase): &(Content, Phase)| -> Result<_, DatasetError> {
            let (mut file, mut rows) = (self.file(content, phase)?, RowSink::new(limit));
            while let Some(frame) = file.next_frame()? {
                progress.check().map_err(RecordError::from)?;
                frame.into_iter().try_for_each(|row| rows.push(row))?;
            }
            progress.advance(1);
            Ok((content, phase, rows.finish()?))
        };
        let read = wanted.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut phases = vec![PhaseRows::default(); PHASES];
        for (content, phase, rows) in read {
            phases[phase.index()][content as usize] = rows;
        }
        let Made { data, test, .. } = self.made.clone();
        Ok(Dataset { phases, counts: self.counts(), inputs: data, test_inputs: test })
    }

    fn file(&self, content: Content, phase: Phase) -> Result<File, DatasetError> {
        let path = self.path.join(content.file_name(phase));
        let expected = self.entry(content, phase).clone();
        Ok(File { reader: PositionReader::open(&path)?, path, phase, expected, positions: 0 })
    }

    pub(in crate::dataset) fn rows(
        &self,
        content: Content,
        phase: Phase,
    ) -> Result<SourceRows<'static>, DatasetError> {
        Ok(Box::new(FolderRows::new(self.file(content, phase)?)))
    }

    /// Returns the training rows of a phase, with exact sums instead of rounded rows.
    pub(in crate::dataset) fn exact_rows(
        &self,
        phase: Phase,
    ) -> Result<SourceRows<'static>, DatasetError> {
        let training = FolderRows::new(self.file(Content::Training, phase)?);
        let mut sums = FolderRows::new(self.file(Content::Sums, phase)?);
        let next_sum = sums.next().transpose()?;
        Ok(Box::new(ExactRows { training, sums, next_sum, within: None }))
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
    /// Returns the next frame; checks its phase and, at the end, the number and the checksum.
    fn next_frame(&mut self) -> Result<Option<Vec<ScoredPosition>>, DatasetError> {
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

    fn check_count(&self) -> Result<(), DatasetError> {
        let count = |positions: u64| format!("{positions} positions");
        match self.positions == self.expected.positions {
            true => Ok(()),
            false => Err(self.wrong(count(self.positions), count(self.expected.positions))),
        }
    }

    fn check_whole(&self) -> Result<(), DatasetError> {
        self.check_count()?;
        let sum = |sha256: &str| format!("the sha256 {sha256}");
        match self.reader.sha256().unwrap_or_default() {
            sha256 if sha256 == self.expected.sha256 => Ok(()),
            sha256 => Err(self.wrong(sum(sha256), sum(&self.expected.sha256))),
        }
    }

    fn wrong(&self, found: String, expected: String) -> DatasetError {
        DatasetError::Content { path: self.path.clone(), found, expected }
    }
}

/// The rows of a file of the dataset, one after another. Unsorted rows are an error.
struct FolderRows {
    file: File,
    frame: std::vec::IntoIter<ScoredPosition>,
    last: Option<(u64, Position)>,
}

impl FolderRows {
    fn new(file: File) -> Self {
        Self { file, frame: vec![].into_iter(), last: None }
    }
}

impl Iterator for FolderRows {
    type Item = Result<ScoredPosition, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.frame.len() == 0 {
            match self.file.next_frame() {
                Ok(Some(frame)) => self.frame = frame.into_iter(),
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        let row = self.frame.next()?;
        let key = Some(key(&row));
        if key < self.last {
            let found = "rows in another order".to_owned();
            return Some(Err(self.file.wrong(found, "those that a dataset has".to_owned())));
        }
        self.last = key;
        Some(Ok(row))
    }
}

/// The training rows of a phase. Rows with exact sums replace the rounded ones.
struct ExactRows {
    training: FolderRows,
    sums: FolderRows,
    next_sum: Option<ScoredPosition>,
    /// The position whose exact sums are being returned.
    within: Option<Position>,
}

impl Iterator for ExactRows {
    type Item = Result<ScoredPosition, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_row().transpose()
    }
}

impl ExactRows {
    fn next_row(&mut self) -> Result<Option<ScoredPosition>, DatasetError> {
        if self.next_sum.is_some_and(|sum| Some(sum.position()) == self.within) {
            return self.take_sum();
        }
        let row = self.training.next().transpose()?;
        let after = row.as_ref().map(key);
        match self.next_sum {
            Some(sum) if Some(key(&sum)) == after => {
                self.within = Some(sum.position());
                self.take_sum()
            }
            Some(sum) if after.is_none_or(|after| key(&sum) < after) => {
                let found = "sums of a position that training does not have".to_owned();
                Err(self.sums.file.wrong(found, "those of its positions".to_owned()))
            }
            _ => Ok(row),
        }
    }

    fn take_sum(&mut self) -> Result<Option<ScoredPosition>, DatasetError> {
        Ok(std::mem::replace(&mut self.next_sum, self.sums.next().transpose()?))
    }
}

const READ: &str = "dataset (files read)";
