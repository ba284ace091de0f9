//! The dataset of a fit: positions split by game, merged up to symmetry, and laid out by phase.

mod build;
mod choice;
mod columns;
mod destination;
mod folder;
mod held_out;
mod label_counts;
mod lay_out;
mod layout;
mod rows_file;
mod runs;
mod split;
mod stored;
mod stream;
#[cfg(test)]
mod tests;

pub use build::{DatasetBuilder, DatasetError};
pub use choice::{DataChoice, DataChoiceError};
pub use columns::Columns;
pub use folder::{DatasetFolder, FolderError, LayoutSettings};
pub use held_out::{Input, NoTest, TrainedOn};
pub(crate) use label_counts::LabelCounts;
pub use lay_out::LayoutInput;
pub use split::{Part, Share, ShareError, Split};
pub use stream::{Placed, PositionStream, StreamSettings};

use othello_engine::board::Phase;
use othello_engine::record::ScoredPosition;
use sha2::{Digest as _, Sha256};

use stored::StoredRows;

/// Positions for training, validation and test, by phase.
///
/// Every position is the canonical one of its eight images, and its player has a legal move. Rows
/// are sorted, so the same inputs give the same dataset in any order and with any number of
/// threads. They are sorted by a hash of the position, so any stretch of them is a fair sample.
///
/// In training each position occurs once. Its label is the mean of its duplicates' labels, halves
/// of 1/256 disc rounded away from zero; its weight is their sum, at most 65,535/64 occurrences.
/// The other two parts keep duplicates, but no position that training has.
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
    /// By phase, the exact sums of training positions whose merged row had to be rounded. Only a
    /// dataset that will be written to a folder has them.
    sums: Vec<StoredRows>,
}

impl Dataset {
    /// Returns the training positions of a phase.
    pub fn training(&self, phase: Phase) -> &[ScoredPosition] {
        self.part(Part::Training, phase)
    }

    /// Returns the validation positions of a phase, which decide when a fit stops.
    pub fn validation(&self, phase: Phase) -> &[ScoredPosition] {
        self.part(Part::Validation, phase)
    }

    /// Returns the test positions of a phase, which only the report uses.
    pub fn test(&self, phase: Phase) -> &[ScoredPosition] {
        self.part(Part::Test, phase)
    }

    /// Returns the positions of a part and phase.
    pub fn part(&self, part: Part, phase: Phase) -> &[ScoredPosition] {
        let by_phase = match part {
            Part::Training => &self.training,
            Part::Validation => &self.validation,
            Part::Test => &self.test,
        };
        &by_phase[phase.index()]
    }

    /// Returns the number of positions of a part in all phases.
    pub fn len(&self, part: Part) -> usize {
        Phase::all().map(|phase| self.part(part, phase).len()).sum()
    }

    /// Returns true if the dataset has no positions.
    pub fn is_empty(&self) -> bool {
        Part::ALL.iter().all(|&part| self.len(part) == 0)
    }

    /// Returns the inputs of the dataset, in the order given.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Returns the inputs that belong to the test part as a whole, in the order given.
    pub fn test_inputs(&self) -> &[Input] {
        &self.test_inputs
    }

    /// Returns the number of games in training. A position outside a game counts as one game, an
    /// enumerated position as none.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the number of training positions of a phase by kind of label, the most frequent
    /// first. Duplicates count separately.
    pub fn labels(&self, phase: Phase) -> Vec<(String, u64)> {
        self.labels.get(phase.index()).cloned().unwrap_or_default()
    }

    /// Returns the number of positions left out because their player has no legal move.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the SHA-256 of all rows in hexadecimal. For each part and phase it covers the number
    /// of rows (u64, little-endian) and the rows as a file holds them.
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
