//! Reading a dataset from a folder.

use std::io;

use othello_engine::board::{PHASES, Phase};
use othello_engine::progress::Progress;
use othello_engine::record::{PositionReader, ScoredPosition};
use rayon::prelude::*;

use super::{DatasetFolder, FolderError, Made, Manifest, file_name};
use crate::dataset::runs::{Output, Stretch, map};
use crate::dataset::stored::StoredRows;
use crate::dataset::{Dataset, MemoryLimit, Part};

impl DatasetFolder {
    /// Reads some of the phases, with no more than so much memory: what does not fit is mapped from a
    /// temporary file. The other phases have no positions then.
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
            Failure::Temporary(source) => {
                let (folder, megabytes) = (limit.folder.clone(), limit.bytes >> 20);
                FolderError::Temporary { folder, megabytes, source }
            }
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

    /// Hands the frames of a file to `take`, each row in its phase, and checks that they are those of the
    /// manifest.
    fn read_part<E: From<FolderError>>(
        &self,
        part: Part,
        phase: Phase,
        progress: &dyn Progress,
        mut take: impl FnMut(Vec<ScoredPosition>) -> Result<(), E>,
    ) -> Result<(), E> {
        let expected = self.entry(part, phase);
        let path = self.path.join(file_name(part, phase));
        let wrong = |found: String, expected: String| FolderError::Content {
            path: path.clone(),
            found,
            expected,
        };
        let mut reader = PositionReader::open(&path).map_err(FolderError::from)?;
        let mut positions = 0;
        while let Some(frame) = reader.next_frame().map_err(FolderError::from)? {
            progress.check().map_err(FolderError::from)?;
            positions += frame.len() as u64;
            if positions > expected.positions {
                break;
            }
            if frame.iter().any(|row| Phase::of(&row.position()) != Some(phase)) {
                let found = "a position of another phase".to_owned();
                return Err(wrong(found, format!("positions of phase {phase}")).into());
            }
            take(frame)?;
        }
        if positions != expected.positions {
            let count = |positions: u64| format!("{positions} positions");
            return Err(wrong(count(positions), count(expected.positions)).into());
        }
        let sha256 = reader.sha256().unwrap_or_default();
        if sha256 != expected.sha256 {
            let sum = |sha256: &str| format!("the sha256 {sha256}");
            return Err(wrong(sum(sha256), sum(&expected.sha256)).into());
        }
        progress.advance(1);
        Ok(())
    }
}

/// What ends the reading into a temporary file.
enum Failure {
    Folder(FolderError),
    Temporary(io::Error),
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        Self::Folder(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Temporary(error)
    }
}

/// How progress calls the reading.
const READ: &str = "dataset (files read)";
