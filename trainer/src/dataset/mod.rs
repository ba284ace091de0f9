//! What a fit is fitted to: positions split by game, merged up to symmetry, laid out by phase.

mod build;
mod choice;
mod folder;
mod held_out;
mod input;
mod label_counts;
mod lay_out;
mod layout;
mod memory;
mod rows_file;
mod runs;
mod split;
mod stored;
#[cfg(test)]
mod tests;

pub use build::{DatasetBuilder, DatasetError};
pub use choice::{DataChoice, DataChoiceError};
pub use folder::{DatasetFolder, FolderError, LayoutSettings};
pub use held_out::{NoTest, TrainedOn};
pub use input::Input;
pub(crate) use label_counts::LabelCounts;
pub use lay_out::LayoutInput;
pub use memory::{MemoryLimit, allowed_bytes};
pub use split::{Part, Share, ShareError, Split};

use othello_engine::board::{Phase, Position};
use othello_engine::record::ScoredPosition;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use stored::StoredRows;

/// Positions for training, validation and test, by phase.
///
/// Every position is the canonical one of its eight images and its player has a legal move. Rows
/// are sorted, so that the same inputs give the same dataset in whatever order and by however many
/// threads they are read; by a hash of the position, so that any stretch of them is a fair sample.
/// In training each position stands once: its label is the mean of its duplicates' labels, halves
/// of 1/256 disc rounded away from zero, and its weight their sum, at most 65,535/64 occurrences.
/// Positions that training has are not in the other two parts, where duplicates stay.
#[derive(Clone, Debug)]
pub struct Dataset {
    training: Vec<StoredRows>,
    validation: Vec<StoredRows>,
    test: Vec<StoredRows>,
    inputs: Vec<Input>,
    test_inputs: Vec<Input>,
    games: u64,
    /// The kinds of labels of each phase.
    labels: Vec<Vec<(String, u64)>>,
    dropped: u64,
    /// Of training positions whose row does not say what it was merged from, rows that do; by phase. Only of
    /// a dataset that is to be written.
    sums: Vec<StoredRows>,
}

impl Dataset {
    /// The positions of a phase to fit.
    pub fn training(&self, phase: Phase) -> &[ScoredPosition] {
        self.part(Part::Training, phase)
    }

    /// The positions of a phase that tell when to stop.
    pub fn validation(&self, phase: Phase) -> &[ScoredPosition] {
        self.part(Part::Validation, phase)
    }

    /// The positions of a phase that nothing but the report looks at.
    pub fn test(&self, phase: Phase) -> &[ScoredPosition] {
        self.part(Part::Test, phase)
    }

    /// The positions of a part and phase.
    pub fn part(&self, part: Part, phase: Phase) -> &[ScoredPosition] {
        let by_phase = match part {
            Part::Training => &self.training,
            Part::Validation => &self.validation,
            Part::Test => &self.test,
        };
        &by_phase[phase.index()]
    }

    /// How many positions a part has in all phases.
    pub fn len(&self, part: Part) -> usize {
        Phase::all().map(|phase| self.part(part, phase).len()).sum()
    }

    /// Whether there is no position at all.
    pub fn is_empty(&self) -> bool {
        Part::ALL.iter().all(|&part| self.len(part) == 0)
    }

    /// What the positions were read from, in the order given.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The files of which everything is for the test, in the order given.
    pub fn test_inputs(&self) -> &[Input] {
        &self.test_inputs
    }

    /// The number of games in training. A position that is from no game counts as one, an enumerated one
    /// not at all.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many training positions of a phase have labels of each kind, the most frequent first; duplicates
    /// are counted one by one.
    pub fn labels(&self, phase: Phase) -> Vec<(String, u64)> {
        self.labels.get(phase.index()).cloned().unwrap_or_default()
    }

    /// How many positions were left out because their player has no legal move.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Takes out, of all parts, the positions that are images of any of these; returns how many
    /// rows that were.
    pub fn remove(&mut self, positions: &[Position]) -> usize {
        let before: usize = Part::ALL.iter().map(|&part| self.len(part)).sum();
        let mut out: Vec<Position> = positions.par_iter().map(Position::canonical).collect();
        out.par_sort_unstable();
        for part in [&mut self.training, &mut self.validation, &mut self.test, &mut self.sums] {
            part.par_iter_mut().for_each(|rows| {
                rows.retain(|row| out.binary_search(&row.position()).is_err());
            });
        }
        before - Part::ALL.iter().map(|&part| self.len(part)).sum::<usize>()
    }

    /// The dataset without the positions that are images of any of these.
    #[must_use]
    pub fn without(mut self, positions: &[Position]) -> Self {
        self.remove(positions);
        self
    }

    /// SHA-256, in hexadecimal, of all rows: part by part and phase by phase, the number of rows
    /// (u64, little-endian) and the rows as they stand in a file.
    pub fn sha256(&self) -> String {
        let mut digest = Sha256::new();
        for part in Part::ALL {
            for phase in Phase::all() {
                let rows = self.part(part, phase);
                digest.update((rows.len() as u64).to_le_bytes());
                rows.iter().for_each(|row| digest.update(row.to_bytes()));
            }
        }
        hex::encode(digest.finalize())
    }
}
