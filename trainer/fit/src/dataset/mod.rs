//! The dataset of a fit: positions split by game, merged up to symmetry, and sorted by phase.
//!
//! A position takes four steps, the same in memory and on the disk:
//!
//! | step | file | result |
//! |---|---|---|
//! | read | `source/records.rs`, `inputs.rs` | frames of records, one range of records at a time |
//! | label and place | `place.rs` | canonical image with label, weight and subset |
//! | sort | `sorted_run.rs` | the rows of a range of records by subset and phase |
//! | merge | `merge.rs` | a phase's rows: one per training position, which other subsets lack |
//!
//! [`Dataset::read_within`] holds the results of the last two steps in memory, or in temporary
//! files if they do not fit. [`DatasetFolder::make`] stores them as parts of a run, and packs them
//! into a folder. [`PositionStream`] ends after the second step. Of n duplicates with labels yᵢ and
//! weights ωᵢ training gets one row, with the label Σ ωᵢyᵢ / Σ ωᵢ and the weight Σ ωᵢ:
//!
//! ```
//! use othello_engine::board::{Phase, Position};
//! use othello_engine::record::{Label, ScoredPosition, Weight};
//! use othello_fit::dataset::{DatasetBuilder, Split, Subset};
//! use othello_fit::source::LabelRules;
//!
//! let label = |discs| Label::of_discs(discs).unwrap();
//! let row = |discs| ScoredPosition::new(Position::START, label(discs), Weight::ONE);
//! let mut builder = DatasetBuilder::new(LabelRules::default(), Split::none());
//! builder.add_positions(&[row(2.0), row(4.0)], 1.0, false);
//! let dataset = builder.finish();
//! assert_eq!(dataset.len(Subset::Training), 1);
//! assert_eq!(dataset.training(Phase::of(&Position::START).unwrap())[0].label(), label(3.0));
//! ```

mod build;
mod choice;
mod filter;
mod folder;
mod inputs;
mod merge;
mod place;
mod sorted_run;
mod split;
mod stored;
mod stream;
#[cfg(test)]
mod tests;

pub use build::DatasetBuilder;
pub use choice::DataChoice;
pub use filter::{Excluded, Filter};
pub use folder::{DatasetFolder, LayoutSettings};
pub use inputs::TrainedOn;
pub use place::Placed;
pub(crate) use sorted_run::LabelCounts;
pub use split::{Share, Split, Subset};
pub use stream::{PositionStream, StreamSettings};

use othello_engine::board::Phase;
use othello_engine::record::ScoredPosition;
use serde::{Deserialize, Serialize};

use stored::StoredRows;

/// Positions for training, validation and test, by phase.
///
/// Every position is the canonical one of its eight images, and its player has a legal move. Rows
/// are sorted by a hash of the position, so the dataset does not depend on the order of the inputs
/// and the number of threads, and any range of rows is a fair sample.
///
/// In training each position occurs once, with the mean of its duplicates' labels (halves of 1/256
/// disc rounded away from zero) and the sum of their weights, at most 65,535/64 occurrences. The
/// other two subsets keep duplicates, but omit positions that are also in training.
#[derive(Clone, Default, Debug)]
pub struct Dataset {
    phases: Vec<PhaseRows>,
    omitted: Vec<u64>,
    counts: Counts,
    /// The inputs of the dataset, in the order given.
    pub inputs: Vec<Input>,
    /// The inputs that are entirely in the test subset, in the order given.
    pub test_inputs: Vec<Input>,
}

/// An input of a dataset, as recorded in the provenance.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The SHA-256 of the input.
    pub sha256: String,
    /// The factor by which the weights of the input's positions were multiplied.
    pub weight: f64,
}

type PhaseRows = [StoredRows; Subset::ALL.len()];

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Counts {
    /// The number of training games. A position outside games counts as one game, or as none if its
    /// file is a complete enumeration.
    games: u64,
    /// The number of positions omitted because their player has no legal move.
    dropped: u64,
    /// True if at least one position got a label and passed the filter, even if its phase is not
    /// one of those to be read.
    is_labelled: bool,
    #[serde(default)]
    excluded: Excluded,
    /// For each phase, the kinds of labels of the training positions, the most frequent first, each
    /// with its number of positions, duplicates included.
    labels: Vec<Vec<(String, u64)>>,
}

impl Counts {
    /// Adds the counts of `other`. Leaves `labels` as it is: callers combine the counts of labels.
    fn add(&mut self, other: &Self) {
        self.games = self.games.saturating_add(other.games);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.is_labelled |= other.is_labelled;
        self.excluded.add(&other.excluded);
    }
}

impl Dataset {
    /// Returns the training positions of a phase.
    pub fn training(&self, phase: Phase) -> &[ScoredPosition] {
        self.subset(Subset::Training, phase)
    }

    /// Returns the validation positions of a phase, which select the best epoch of a fit.
    pub fn validation(&self, phase: Phase) -> &[ScoredPosition] {
        self.subset(Subset::Validation, phase)
    }

    /// Returns the test positions of a phase, which serve only to report errors.
    pub fn test(&self, phase: Phase) -> &[ScoredPosition] {
        self.subset(Subset::Test, phase)
    }

    /// Returns the positions of a subset and phase.
    pub fn subset(&self, subset: Subset, phase: Phase) -> &[ScoredPosition] {
        self.phases.get(phase.index()).map_or(&[], |rows| &rows[subset as usize])
    }

    /// Returns the number of test positions of a phase that were omitted because the training
    /// subset has the same position; 0 if the dataset was read from a folder.
    pub fn omitted(&self, phase: Phase) -> u64 {
        self.omitted.get(phase.index()).copied().unwrap_or_default()
    }

    /// Returns the number of positions of a subset in all phases.
    pub fn len(&self, subset: Subset) -> usize {
        Phase::all().map(|phase| self.subset(subset, phase).len()).sum()
    }

    /// Returns true if the dataset has no positions.
    pub fn is_empty(&self) -> bool {
        Subset::ALL.iter().all(|&subset| self.len(subset) == 0)
    }

    /// Returns the number of training games. A position outside games counts as one game, or as
    /// none if its file is a complete enumeration, such as of openings.
    pub fn games(&self) -> u64 {
        self.counts.games
    }

    /// Removes the positions of all phases except `phases`.
    pub fn keep(&mut self, phases: &[Phase]) {
        for phase in Phase::all().filter(|phase| !phases.contains(phase)) {
            if let Some(rows) = self.phases.get_mut(phase.index()) {
                *rows = PhaseRows::default();
            }
        }
    }

    /// Returns each kind of label of a phase's training positions with its number of positions,
    /// duplicates included, the most frequent kind first.
    pub fn labels(&self, phase: Phase) -> Vec<(String, u64)> {
        self.counts.labels.get(phase.index()).cloned().unwrap_or_default()
    }

    /// Returns the number of positions omitted because their player has no legal move.
    pub fn dropped(&self) -> u64 {
        self.counts.dropped
    }
}
