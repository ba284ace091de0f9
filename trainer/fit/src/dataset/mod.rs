//! The dataset of a fit: positions split by game, merged up to symmetry, and sorted by phase.
//!
//! A position goes through four steps, whether the dataset is in memory or on the disk:
//!
//! | step | file | result |
//! |---|---|---|
//! | read | `source/records.rs`, `inputs.rs` | blocks of records, one range of records at a time |
//! | label and place | `place.rs` | a row: symmetric image with label, weight and subset |
//! | sort | `sorted_run.rs` | the rows of a range of records by subset and phase |
//! | merge | `merge.rs` | a phase's rows: training positions once, and in no other subset |
//!
//! [`Dataset::read_within`] holds the results of the last two steps in memory, or in temporary
//! files if they do not fit. [`DatasetFolder::make`] stores the results as parts of a resumable run
//! and packs the merged rows into a folder. [`PositionStream`] ends after the second step. In
//! training, n duplicates (labels yᵢ, weights ωᵢ) become a row of label Σ ωᵢyᵢ / Σ ωᵢ, weight Σ ωᵢ:
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

mod filter;
mod folder;
mod inputs;
mod merge;
mod place;
mod sorted_run;
mod split;
mod stream;
#[cfg(test)]
mod tests;

pub use filter::{Excluded, Filter, Played};
pub use folder::DatasetFolder;
pub use inputs::{DataChoice, TrainedOn};
pub use place::{LayoutSettings, Placed};
pub(crate) use sorted_run::LabelCounts;
pub use split::{Share, Split, Subset};
pub use stream::{PositionStream, StreamSettings};

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use othello_engine::board::{PHASES, Phase};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{Game, ROW_BYTES, ScoredPosition};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::memory::MemoryLimit;
use crate::source::records::RecordRange;
use crate::source::{LabelRules, Result};
use inputs::{Inputs, counts, no_usable_positions};
use merge::{Source, merge};
use place::Placer;
use sorted_run::{RowSink, RunBuilder, SortedRun, StoredRows};

/// Positions for training, validation and test, by phase. They are sorted by a hash: any range of
/// them is a random sample, and the order of the inputs has no effect.
///
/// Every position is the canonical one of its eight symmetric images, and its player has a legal
/// move. In training, duplicates become one position. Its label is the weighted mean of their
/// labels, rounded to 1/256 disc, halves away from zero. Its weight is the sum of their weights, at
/// most 65,535/64 occurrences. Validation and test keep duplicates, but omit positions that are
/// also in training.
#[derive(Clone, Default, Debug)]
pub struct Dataset {
    phases: Vec<PhaseRows>,
    omitted: Vec<u64>,
    counts: Counts,
    /// The input files whose positions were split into the three subsets, in the order given.
    pub inputs: Vec<Input>,
    /// The input files of the test subset alone, in the order given.
    pub test_inputs: Vec<Input>,
}

/// An input file of a dataset, as recorded in the provenance.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The SHA-256 of the file.
    pub sha256: String,
    /// The factor by which the weights of the file's positions were multiplied.
    pub weight: f64,
}

type PhaseRows = [StoredRows; Subset::ALL.len()];

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Counts {
    games: u64,
    dropped: u64,
    /// True if any position got a label and passed the filter, even one whose phase is not wanted.
    is_labelled: bool,
    #[serde(default)]
    excluded: Excluded,
    /// For each phase, the kinds of training labels and how often each occurs, the most frequent
    /// first.
    labels: Vec<Vec<(String, u64)>>,
}

impl Counts {
    /// Adds the counts of `other`, except `labels`: [`counts`] adds these for all sorted runs.
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

    /// Returns the number of a phase's test positions omitted because they are also in training.
    /// Returns 0 if [`DatasetFolder`] made or read the dataset, since a folder lacks this number.
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
    /// none if its file is a complete enumeration, such as all openings.
    pub fn games(&self) -> u64 {
        self.counts.games
    }

    /// Removes the positions of all phases except `phases`.
    pub fn keep(&mut self, phases: &[Phase]) {
        let all = Phase::all().zip(&mut self.phases);
        let others = all.filter(|(phase, _)| !phases.contains(phase));
        others.for_each(|(_, rows)| *rows = PhaseRows::default());
    }

    /// Returns the kinds of a phase's training labels and how often each occurs before duplicates
    /// are merged, the most frequent first.
    pub fn labels(&self, phase: Phase) -> Vec<(String, u64)> {
        self.counts.labels.get(phase.index()).cloned().unwrap_or_default()
    }

    /// Returns the number of positions omitted because their player has no legal move.
    pub fn dropped(&self) -> u64 {
        self.counts.dropped
    }

    /// Reads files of games, positions and openings. Splits `data` into the three subsets. Puts
    /// `test` into the test subset, except positions that are also in training.
    pub fn read(
        data: &[DataChoice],
        test: &[DataChoice],
        settings: &LayoutSettings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Self::read_within(None, Phase::all().collect(), data, test, settings, progress)
    }

    /// Reads files like [`Self::read`], but only the positions of the given phases. Positions for
    /// which `limit` leaves too little memory go to temporary files; `None` means no limit.
    pub fn read_within(
        limit: Option<MemoryLimit>,
        phases: Vec<Phase>,
        data: &[DataChoice],
        test: &[DataChoice],
        settings: &LayoutSettings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let wanted = Phase::all().map(|phase| phases.contains(&phase)).collect::<Vec<_>>();
        let inputs = Inputs::open(data, test, settings, &wanted, progress)?;
        let limit = limit.unwrap_or_else(MemoryLimit::none);
        let runs = read_runs(&inputs, &limit, progress)?;
        let counts = counts(&runs);
        progress.warn(counts.excluded.notice());
        let merged = Self::merge(runs, &limit, progress)?;
        if merged.is_empty() && !counts.is_labelled {
            return Err(no_usable_positions(data, settings, &counts.excluded));
        }
        Ok(Self { counts, inputs: inputs.data, test_inputs: inputs.test, ..merged })
    }

    fn merge(runs: Vec<SortedRun>, limit: &MemoryLimit, progress: &dyn Progress) -> Result<Self> {
        let mut all = runs.iter().flat_map(|run| run.rows.iter().flatten());
        let limit = all.any(StoredRows::is_mapped).then_some(limit);
        let mut phases = vec![vec![]; PHASES];
        for run in runs {
            for (subset, by_phase) in Subset::ALL.into_iter().zip(run.rows) {
                let filled = phases.iter_mut().zip(by_phase).filter(|(_, rows)| !rows.is_empty());
                filled.for_each(|(phase, rows)| phase.push((subset, rows)));
            }
        }
        progress.begin_stoppable("merge (phases)", 0, PHASES as u64);
        let merged = |rows: Vec<(Subset, StoredRows)>| -> Result<(PhaseRows, u64)> {
            progress.check()?;
            let sources: Vec<_> = rows.iter().map(|(subset, rows)| (*subset, &**rows)).collect();
            let merged = merged_rows(&sources, limit)?;
            progress.advance(1);
            Ok(merged)
        };
        let phases = phases.into_par_iter().map(merged).collect::<Result<Vec<_>, _>>()?;
        let (phases, omitted) = phases.into_iter().unzip();
        Ok(Self { phases, omitted, ..Self::default() })
    }
}

/// Reads each range of records (a part of an input file), and returns its sorted positions. These
/// use at most half of the memory that reading does not need; further positions go to temporary
/// files.
fn read_runs(
    inputs: &Inputs<'_>,
    limit: &MemoryLimit,
    progress: &dyn Progress,
) -> Result<Vec<SortedRun>> {
    let (at_once, left) = inputs.at_once(limit)?;
    let all = inputs.ranges.iter().map(|(range, _)| range.records).sum();
    progress.begin_stoppable("dataset (records)", 0, all);
    let (held, was_told) = (AtomicU64::new(0), AtomicBool::new(false));
    let read = |(range, placer): &(RecordRange, Placer<'_>)| -> Result<SortedRun> {
        let run = SortedRun::read(range, placer, progress, |records| progress.advance(records))?;
        let bytes = run.bytes();
        if held.fetch_add(bytes, Ordering::Relaxed) + bytes <= left / 2 {
            return Ok(run);
        }
        held.fetch_sub(bytes, Ordering::Relaxed);
        if !was_told.swap(true, Ordering::Relaxed) {
            progress.message(&format!(
                "the positions do not fit into memory: they go to temporary files of at most {} MB \
                 in {}, and to as many again when these are merged",
                inputs.most_positions().saturating_mul(ROW_BYTES as u64).div_ceil(1 << 20),
                limit.folder.display(),
            ));
        }
        Ok(run.into_temporary(limit)?)
    };
    let mut runs = vec![];
    for ranges in inputs.ranges.chunks(at_once) {
        runs.extend(ranges.par_iter().map(read).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(runs)
}

/// Returns the merged rows of a phase, and the number of test rows that were omitted because their
/// positions are also in training.
fn merged_rows(sources: &[Source<'_>], limit: Option<&MemoryLimit>) -> Result<(PhaseRows, u64)> {
    let rows = |of| -> usize {
        sources.iter().filter(|(subset, _)| *subset == of).map(|(_, rows)| rows.len()).sum()
    };
    let mut sinks = Subset::ALL.map(|subset| RowSink::new(limit, rows(subset)));
    merge(sources, |subset, row| sinks[subset as usize].push(row))?;
    let [training, validation, test] = sinks.map(RowSink::finish);
    let merged = [training?, validation?, test?];
    let omitted = rows(Subset::Test) - merged[Subset::Test as usize].len();
    Ok((merged, omitted as u64))
}

/// Collects records in memory for a [`Dataset`].
pub struct DatasetBuilder {
    settings: LayoutSettings,
    run: RunBuilder,
}

impl DatasetBuilder {
    /// Creates an empty builder.
    pub fn new(rules: LabelRules, split: Split) -> Self {
        Self { run: RunBuilder::new(rules.clone()), settings: LayoutSettings::new(rules, split) }
    }

    /// Adds the labelled positions of games, their weights multiplied by `weight`.
    pub fn add_games(&mut self, games: &[Game], weight: f64) {
        let placed = self.placer(weight, false).place_games(games);
        self.run.add(placed);
    }

    /// Adds positions outside games, their weights multiplied by `weight`. The split chooses the
    /// subset of each. But if `enumerated` (a complete set, such as all openings), all are for
    /// training. Positions without a legal move are counted and omitted.
    pub fn add_positions(&mut self, rows: &[ScoredPosition], weight: f64, enumerated: bool) {
        let placed = self.placer(weight, enumerated).place_positions(rows);
        self.run.add(placed);
    }

    fn placer(&self, weight: f64, is_enumerated: bool) -> Placer<'_> {
        let (settings, wanted) = (&self.settings, &[true; PHASES]);
        Placer { settings, is_test: false, weight, is_enumerated, wanted, is_canonical: true }
    }

    /// Returns the dataset of all added positions, merged and sorted.
    pub fn finish(self) -> Dataset {
        let run = self.run.sort();
        let counts = run.counts.clone();
        let merged = Dataset::merge(vec![run], &MemoryLimit::none(), &Silent);
        Dataset { counts, ..merged.expect("rows in memory need no file") }
    }
}
