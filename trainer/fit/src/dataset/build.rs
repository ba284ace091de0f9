//! Reads a dataset into memory, or into temporary files if it does not fit.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use othello_engine::board::{PHASES, Phase};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{Game, ROW_BYTES, ScoredPosition};
use rayon::prelude::*;

use super::inputs::{Inputs, counts, nothing};
use super::merge::merge;
use super::place::Placer;
use super::sorted_run::{RunBuilder, SortedRun};
use super::stored::{RowSink, StoredRows};
use super::{DataChoice, Dataset, LayoutSettings, PhaseRows, Split, Subset};
use crate::memory::MemoryLimit;
use crate::source::records::RecordRange;
use crate::source::{LabelRules, Result};

impl Dataset {
    /// Reads files of games, positions and openings. `data` is split into the three subsets; `test`
    /// goes to the test subset, except positions that are also in training.
    pub fn read(
        data: &[DataChoice],
        test: &[DataChoice],
        settings: &LayoutSettings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        Self::read_within(None, Phase::all().collect(), data, test, settings, progress)
    }

    /// Reads the given phases like [`Self::read`]; the dataset has no positions of other phases.
    /// Rows that do not fit into `limit` are mapped from temporary files; `None` means no limit.
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
        let (is_labelled, excluded) = (counts.is_labelled, counts.excluded.clone());
        let mut dataset = Self::merge(runs, &limit, progress)?;
        dataset.counts = counts;
        (dataset.inputs, dataset.test_inputs) = (inputs.data, inputs.test);
        match dataset.is_empty() && !is_labelled {
            true => Err(nothing(data, settings, &excluded)),
            false => Ok(dataset),
        }
    }

    pub(super) fn merge(
        runs: Vec<SortedRun>,
        limit: &MemoryLimit,
        progress: &dyn Progress,
    ) -> Result<Self> {
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
            let merged = merged_rows(&rows, limit)?;
            progress.advance(1);
            let tests = rows.iter().filter(|(subset, _)| *subset == Subset::Test);
            let tests: usize = tests.map(|(_, rows)| rows.len()).sum();
            let omitted = tests - merged[Subset::Test as usize].len();
            Ok((merged, omitted as u64))
        };
        let phases = phases.into_par_iter().map(merged).collect::<Result<Vec<_>, _>>()?;
        let (phases, omitted) = phases.into_iter().unzip();
        Ok(Self { phases, omitted, ..Self::default() })
    }
}

/// Reads each range of records into a sorted run. A run goes to a temporary file if the runs in
/// memory would otherwise exceed half of the memory within the limit that reading does not need.
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

/// Returns the merged rows of a phase, in temporary files if there is a memory limit.
fn merged_rows(rows: &[(Subset, StoredRows)], limit: Option<&MemoryLimit>) -> Result<PhaseRows> {
    let mut sinks = [(); Subset::ALL.len()].map(|()| RowSink::new(limit));
    let sources: Vec<_> = rows.iter().map(|(subset, rows)| (*subset, &**rows)).collect();
    merge(&sources, |subset, row| sinks[subset as usize].push(row))?;
    let [training, validation, test] = sinks.map(RowSink::finish);
    Ok([training?, validation?, test?])
}

/// Collects records in memory for a [`Dataset`].
pub struct DatasetBuilder {
    settings: LayoutSettings,
    pub(super) run: RunBuilder,
}

impl DatasetBuilder {
    /// Creates an empty builder.
    pub fn new(rules: LabelRules, split: Split) -> Self {
        Self { run: RunBuilder::new(rules.clone()), settings: LayoutSettings::new(rules, split) }
    }

    /// Labels the positions of games, multiplies the weight of each position by `weight`, and adds
    /// the positions to the dataset.
    pub fn add_games(&mut self, games: &[Game], weight: f64) {
        let placed = self.placer(weight, false).place_games(games);
        self.run.add(placed);
    }

    /// Adds positions outside games, their weights multiplied by `weight`. If they are `enumerated`
    /// (complete, such as all openings), all go to training; otherwise, the split decides.
    /// Positions without a legal move are counted and omitted.
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
