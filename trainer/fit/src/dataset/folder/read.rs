//! Reads a dataset from a folder.

use othello_engine::board::{PHASES, Phase};
use othello_engine::file::FileError;
use othello_engine::progress::Progress;
use othello_engine::record::{PositionReader, ScoredPosition};
use rayon::prelude::*;

use super::{DatasetFolder, DatasetProvenance, FileEntry, file_name};
use crate::dataset::stored::RowSink;
use crate::dataset::{Dataset, PhaseRows, Subset};
use crate::memory::MemoryLimit;
use crate::source::Result;

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
            let path = self.path.join(file_name(subset, phase));
            let FileEntry { positions: expected, sha256 } = self.entry(subset, phase);
            let wrong = |found: String, expected: String| -> Result<()> {
                let reason = format!(
                    "it has {found}; expected {expected} by dataset.json; make the dataset again \
                     with `dataset`"
                );
                Err(FileError::refused(&path, reason).into())
            };
            let count = |positions: u64| format!("{positions} positions");
            let (mut file, mut rows) = (PositionReader::open(&path)?, RowSink::new(limit));
            let mut positions = 0;
            while let Some(frame) = file.next_frame()? {
                progress.check()?;
                positions += frame.len() as u64;
                if positions > *expected {
                    wrong(count(positions), count(*expected))?;
                }
                if frame.iter().any(|row| Phase::of(&row.position()) != Some(phase)) {
                    let found = "a position of another phase".to_owned();
                    wrong(found, format!("positions of phase {phase}"))?;
                }
                frame.into_iter().try_for_each(|row| rows.push(row))?;
            }
            if positions != *expected {
                wrong(count(positions), count(*expected))?;
            }
            let sum = |sha256: &str| format!("the sha256 {sha256}");
            match file.sha256().unwrap_or_default() {
                found if found == sha256 => {}
                found => wrong(sum(found), sum(sha256))?,
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
}

const READ: &str = "dataset (files read)";
