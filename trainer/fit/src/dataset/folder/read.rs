//! Reads a dataset from a folder.

use std::path::PathBuf;

use othello_engine::board::{PHASES, Phase, Position};
use othello_engine::progress::Progress;
use othello_engine::record::{PositionReader, ScoredPosition};
use rayon::prelude::*;

use super::{Content, DatasetFolder, Failure, FileEntry, FolderError, Made, Manifest};
use crate::dataset::layout::key;
use crate::dataset::rows_file::{Output, Stretch, map};
use crate::dataset::stored::StoredRows;
use crate::dataset::{Dataset, Part};
use crate::memory::MemoryLimit;

impl DatasetFolder {
    /// Reads some of the phases within a limit on memory. Rows that do not fit are mapped from a
    /// temporary file. The other phases have no positions in the result.
    pub fn read(
        &self,
        phases: &[Phase],
        limit: Option<&MemoryLimit>,
        progress: &dyn Progress,
    ) -> Result<Dataset, FolderError> {
        let wanted: Vec<(Part, Phase)> =
            phases.iter().flat_map(|&phase| Part::ALL.map(|part| (part, phase))).collect();
        progress.begin_stoppable(READ, 0, wanted.len() as u64);
        let all = wanted.iter().map(|&(part, phase)| self.entry(part, phase).positions);
        let bytes = all
            .fold(0u64, |sum, rows| sum.saturating_add(rows))
            .saturating_mul(size_of::<ScoredPosition>() as u64);
        let parts = match limit.filter(|limit| bytes > limit.bytes) {
            None => self.read_into_memory(&wanted, progress)?,
            Some(limit) => self.read_into_file(&wanted, limit, progress)?,
        };
        let Manifest { games, dropped, phases, .. } = self.manifest.clone();
        let Made { data, test, .. } = self.made.clone();
        let [training, validation, of_test] = parts;
        Ok(Dataset {
            training,
            validation,
            test: of_test,
            inputs: data,
            test_inputs: test,
            games,
            labels: phases.into_iter().map(|phase| phase.labels).collect(),
            dropped,
            sums: vec![],
        })
    }

    fn read_into_memory(
        &self,
        wanted: &[(Part, Phase)],
        progress: &dyn Progress,
    ) -> Result<[Vec<StoredRows>; 3], FolderError> {
        let read = |&(part, phase): &(Part, Phase)| {
            let mut rows = vec![];
            self.read_part::<FolderError>(part, phase, progress, |frame| {
                rows.extend(frame);
                Ok(())
            })?;
            rows.shrink_to_fit();
            Ok(((part, phase), StoredRows::from(rows)))
        };
        let read = wanted.par_iter().map(read).collect::<Result<Vec<_>, FolderError>>()?;
        let mut parts = [(); 3].map(|()| vec![StoredRows::from(vec![]); PHASES]);
        for ((part, phase), rows) in read {
            parts[part as usize][phase.index()] = rows;
        }
        Ok(parts)
    }

    fn read_into_file(
        &self,
        wanted: &[(Part, Phase)],
        limit: &MemoryLimit,
        progress: &dyn Progress,
    ) -> Result<[Vec<StoredRows>; 3], FolderError> {
        let failed = |failure| match failure {
            Failure::Folder(error) => error,
            Failure::Temporary(source) => limit.no_room(source).into(),
        };
        let read = || -> Result<_, Failure> {
            let file = tempfile::tempfile_in(&limit.folder)?;
            let mut output = Output::new(&file);
            let mut stretches = [(); 3].map(|()| vec![Stretch::default(); PHASES]);
            for &(part, phase) in wanted {
                stretches[part as usize][phase.index()] = output.append::<Failure>(|write| {
                    self.read_part::<Failure>(part, phase, progress, |frame| {
                        Ok(frame.into_iter().try_for_each(&mut *write)?)
                    })
                })?;
            }
            Ok(map(&file, stretches)?)
        };
        read().map_err(failed)
    }

    /// Passes the frames of a file to `take`.
    fn read_part<E: From<FolderError>>(
        &self,
        part: Part,
        phase: Phase,
        progress: &dyn Progress,
        mut take: impl FnMut(Vec<ScoredPosition>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut file = self.file(Content::Part(part), phase)?;
        while let Some(frame) = file.next_frame()? {
            progress.check().map_err(FolderError::from)?;
            take(frame)?;
        }
        progress.advance(1);
        Ok(())
    }

    fn file(&self, content: Content, phase: Phase) -> Result<File, FolderError> {
        let path = self.path.join(content.file_name(phase));
        let expected = self.manifest.phases[phase.index()].of(content).clone();
        Ok(File { reader: PositionReader::open(&path)?, path, phase, expected, positions: 0 })
    }

    /// Returns the rows of a part and phase, in their order.
    pub(in crate::dataset) fn rows(
        &self,
        part: Part,
        phase: Phase,
    ) -> Result<FolderRows, FolderError> {
        Ok(FolderRows::new(self.file(Content::Part(part), phase)?))
    }

    /// Returns the training rows of a phase in their order, with exact sums in place of rounded
    /// rows.
    pub(in crate::dataset) fn exact_rows(&self, phase: Phase) -> Result<ExactRows, FolderError> {
        let mut sums = FolderRows::new(self.file(Content::Sums, phase)?);
        let next_sum = sums.next()?;
        Ok(ExactRows { training: self.rows(Part::Training, phase)?, sums, next_sum, within: None })
    }
}

/// A file of the dataset while it is read.
struct File {
    path: PathBuf,
    phase: Phase,
    reader: PositionReader,
    expected: FileEntry,
    /// The number of positions read so far.
    positions: u64,
}

impl File {
    /// Returns the next frame and checks that its rows belong to the phase. At the end, checks
    /// number and checksum against the manifest.
    fn next_frame(&mut self) -> Result<Option<Vec<ScoredPosition>>, FolderError> {
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

    fn check_count(&self) -> Result<(), FolderError> {
        let count = |positions: u64| format!("{positions} positions");
        match self.positions == self.expected.positions {
            true => Ok(()),
            false => Err(self.wrong(count(self.positions), count(self.expected.positions))),
        }
    }

    fn check_whole(&self) -> Result<(), FolderError> {
        self.check_count()?;
        let sum = |sha256: &str| format!("the sha256 {sha256}");
        match self.reader.sha256().unwrap_or_default() {
            sha256 if sha256 == self.expected.sha256 => Ok(()),
            sha256 => Err(self.wrong(sum(sha256), sum(&self.expected.sha256))),
        }
    }

    fn wrong(&self, found: String, expected: String) -> FolderError {
        FolderError::Content { path: self.path.clone(), found, expected }
    }
}

/// The rows of a file of the dataset, one after the other.
pub(in crate::dataset) struct FolderRows {
    file: File,
    frame: std::vec::IntoIter<ScoredPosition>,
    last: Option<(u64, Position)>,
}

impl FolderRows {
    fn new(file: File) -> Self {
        Self { file, frame: vec![].into_iter(), last: None }
    }

    /// Returns the next row; refuses rows that are not sorted.
    pub(in crate::dataset) fn next(&mut self) -> Result<Option<ScoredPosition>, FolderError> {
        while self.frame.len() == 0 {
            let Some(frame) = self.file.next_frame()? else { return Ok(None) };
            self.frame = frame.into_iter();
        }
        let row = self.frame.next();
        let key = row.as_ref().map(key);
        if key < self.last {
            let found = "rows in another order".to_owned();
            return Err(self.file.wrong(found, "those that a dataset has".to_owned()));
        }
        self.last = key;
        Ok(row)
    }
}

/// The training rows of a phase. Rows with exact sums take the place of those that were rounded.
pub(in crate::dataset) struct ExactRows {
    training: FolderRows,
    sums: FolderRows,
    next_sum: Option<ScoredPosition>,
    /// The position whose exact sums are being returned.
    within: Option<Position>,
}

impl ExactRows {
    /// Returns the next row.
    pub(in crate::dataset) fn next(&mut self) -> Result<Option<ScoredPosition>, FolderError> {
        if self.next_sum.is_some_and(|sum| Some(sum.position()) == self.within) {
            return Ok(std::mem::replace(&mut self.next_sum, self.sums.next()?));
        }
        let row = self.training.next()?;
        let after = row.as_ref().map(key);
        match self.next_sum {
            Some(sum) if Some(key(&sum)) == after => {
                self.within = Some(sum.position());
                Ok(std::mem::replace(&mut self.next_sum, self.sums.next()?))
            }
            Some(sum) if after.is_none_or(|after| key(&sum) < after) => {
                let found = "sums of a position that training does not have".to_owned();
                Err(self.sums.file.wrong(found, "those of its positions".to_owned()))
            }
            _ => Ok(row),
        }
    }
}

/// The name of the reading in progress messages.
const READ: &str = "dataset (files read)";
