//! Reads positions into a dataset.

use std::path::PathBuf;

use othello_engine::board::Phase;
use othello_engine::progress::Progress;
use othello_engine::record::{
    Game, GameReader, PositionReader, ROW_BYTES, RecordError, ScoredPosition,
};

use super::destination::{Destination, placed_games, placed_positions};
use super::folder::{DatasetFolder, Failure, FolderError};
use super::held_out::{Input, NoTest, TrainedOn};
use super::label_counts::LabelCounts;
use super::layout::{self, ByPhase};
use super::runs::{Merged, Runs};
use super::stored::StoredRows;
use super::{DataChoice, Dataset, Part, Split};
use crate::memory::{MemoryLimit, NoRoom};
use crate::source::records::Records;
use crate::source::{LabelRules, Labelled, SourceError};

/// The number of frames of games that are labelled in parallel.
const FRAMES_AT_ONCE: usize = 32;

/// The most memory that one of these frames takes meanwhile, in bytes.
const BYTES_PER_FRAME: u64 = 1 << 20;

/// Errors of building a dataset.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A dataset that was laid out before cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// There is no room for the temporary file.
    #[error(transparent)]
    Temporary(#[from] NoRoom),
    /// Training has the test data, too.
    #[error(transparent)]
    NoTest(#[from] NoTest),
    /// There is nothing to learn from.
    #[error("no position has a label in {}; look at the label rules{remedy}", names(paths))]
    Empty {
        /// The files.
        paths: Vec<PathBuf>,
        /// The remedy, which says where missing labels come from.
        remedy: &'static str,
    },
}

fn names(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl From<RecordError> for DatasetError {
    fn from(error: RecordError) -> Self {
        Self::Source(error.into())
    }
}

/// Collects positions, and lays them out when all are read.
pub struct DatasetBuilder {
    rules: LabelRules,
    split: Split,
    /// The phases whose positions are kept.
    phases: Vec<Phase>,
    parts: [ByPhase; 3],
    limit: Option<MemoryLimit>,
    runs: Option<Runs>,
    /// The laid-out datasets that are merged with the rows at the end.
    folders: Vec<DatasetFolder>,
    /// True if the dataset keeps exact sums.
    keeps_sums: bool,
    /// The size of all files, and of those read so far, in bytes.
    bytes: [u64; 2],
    inputs: Vec<Input>,
    test_inputs: Vec<Input>,
    games: u64,
    /// True if a position had a label, of whatever phase.
    is_labelled: bool,
    labels: LabelCounts,
    dropped: u64,
}

impl Dataset {
    /// Reads files of games, positions and openings. `data` is split; all of `test` goes to the
    /// test part, except what training also has.
    pub fn read(
        data: &[DataChoice],
        test: &[DataChoice],
        rules: &LabelRules,
        split: Split,
        progress: &dyn Progress,
    ) -> Result<Self, DatasetError> {
        let phases = Phase::all().collect();
        Self::read_within(None, phases, data, test, rules, split, progress)
    }

    /// Reads the positions of some phases like [`Self::read`], within a limit on memory. Rows that
    /// do not fit go through temporary files, and the result is mapped from one. The other phases
    /// have no positions in the result.
    pub fn read_within(
        limit: Option<MemoryLimit>,
        phases: Vec<Phase>,
        data: &[DataChoice],
        test: &[DataChoice],
        rules: &LabelRules,
        split: Split,
        progress: &dyn Progress,
    ) -> Result<Self, DatasetError> {
        if !test.is_empty() {
            let mut trained = TrainedOn::default();
            data.iter().for_each(|choice| trained.add_file(&choice.path));
            trained.check(test.iter().map(|choice| choice.path.as_path()))?;
        }
        let mut builder = DatasetBuilder::new(rules.clone(), split);
        builder.limit = limit;
        builder.phases = phases;
        builder.expect(data.iter().chain(test));
        for choice in data {
            builder.read_file(choice, Destination::Split(split), progress)?;
        }
        for choice in test {
            builder.read_file(choice, Destination::Test, progress)?;
        }
        builder.finish_filled(progress, || data.iter().map(|choice| choice.path.clone()).collect())
    }
}

impl DatasetBuilder {
    /// Creates an empty builder.
    pub fn new(rules: LabelRules, split: Split) -> Self {
        Self {
            labels: LabelCounts::new(rules.clone()),
            rules,
            split,
            phases: Phase::all().collect(),
            parts: no_rows(),
            limit: None,
            runs: None,
            folders: vec![],
            keeps_sums: false,
            bytes: [0, 0],
            inputs: vec![],
            test_inputs: vec![],
            games: 0,
            is_labelled: false,
            dropped: 0,
        }
    }

    /// Sets a limit on the memory of rows.
    #[cfg(test)]
    pub(super) fn within(self, limit: MemoryLimit) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Prepares the builder for a dataset that will be written to a folder.
    pub(super) fn into_laid_out(self, limit: MemoryLimit) -> Self {
        Self { limit: Some(limit), keeps_sums: true, ..self }
    }

    /// Announces the files that will be read, so that progress knows the remaining work.
    pub(super) fn expect<'a>(&mut self, files: impl Iterator<Item = &'a DataChoice>) {
        self.bytes[0] = files.filter_map(|file| Some(file.path.metadata().ok()?.len())).sum();
    }

    /// Adds a dataset that was laid out with the same settings.
    pub(super) fn add_folder(&mut self, folder: DatasetFolder) {
        let (data, test) = folder.inputs();
        self.inputs.extend_from_slice(data);
        self.test_inputs.extend_from_slice(test);
        self.games = self.games.saturating_add(folder.games());
        self.dropped = self.dropped.saturating_add(folder.dropped());
        for phase in Phase::all() {
            self.labels.add_kinds(phase, folder.labels(phase));
        }
        self.folders.push(folder);
    }

    /// Adds the labelled positions of games. All positions of a game go to the same part.
    pub fn add_games(&mut self, games: &[Game], weight: f64) {
        self.add_games_to(Destination::Split(self.split), games, weight);
    }

    fn add_games_to(&mut self, destination: Destination, games: &[Game], weight: f64) {
        let image = |row| self.image(row);
        for (part, rows) in placed_games(destination, games, &self.rules, weight, image) {
            self.games += u64::from(part == Part::Training);
            self.is_labelled = true;
            rows.into_iter().for_each(|row| self.push(part, row));
        }
    }

    /// Adds positions that belong to no game; enumerated ones all go to training. Positions whose
    /// player has no legal move are counted and left out.
    pub fn add_positions(&mut self, rows: &[ScoredPosition], weight: f64, enumerated: bool) {
        self.add_positions_to(Destination::Split(self.split), rows, weight, enumerated);
    }

    fn add_positions_to(
        &mut self,
        destination: Destination,
        rows: &[ScoredPosition],
        weight: f64,
        enumerated: bool,
    ) {
        let image = |row| self.image(row);
        for placed in placed_positions(destination, rows, weight, enumerated, image) {
            match placed {
                Some((Some(part), row)) => {
                    self.games += u64::from(part == Part::Training && !enumerated);
                    self.is_labelled = true;
                    if let Some(row) = row {
                        self.push(part, Labelled { row, rule: None });
                    }
                }
                Some((None, _)) => {}
                None => self.dropped += 1,
            }
        }
    }

    /// Sorts the rows, merges duplicates in training, and removes training positions from the other
    /// parts.
    pub fn finish(mut self) -> Dataset {
        let parts = std::mem::replace(&mut self.parts, no_rows());
        let [mut training, mut validation, mut test] = parts;
        let sums = layout::sort_and_merge(&mut training);
        let sums = if self.keeps_sums { sums } else { vec![] };
        layout::sort_and_exclude(&mut validation, &training);
        layout::sort_and_exclude(&mut test, &training);
        let stored = |rows: ByPhase| rows.into_iter().map(StoredRows::from).collect();
        let parts = [training, validation, test].map(stored);
        self.into_dataset(Merged { parts, sums: stored(sums) })
    }

    /// Finishes like [`Self::finish`], including the runs on disk and the folders.
    pub(super) fn finish_within(
        mut self,
        progress: &dyn Progress,
    ) -> Result<Dataset, DatasetError> {
        if self.runs.is_none() && self.folders.is_empty() {
            return Ok(self.finish());
        }
        self.push_run()?;
        let (Some(runs), Some(limit)) = (self.runs.take(), self.limit.clone()) else {
            return Ok(self.finish());
        };
        let of_folders = self.folders.iter().map(DatasetFolder::rows_in_all);
        let rows = of_folders.fold(runs.rows(), u64::saturating_add);
        progress.message(&format!(
            "merging {rows} rows takes a temporary file of {} MB at most in {}",
            megabytes(rows),
            limit.folder.display()
        ));
        let merged = runs.merge(&self.folders, self.keeps_sums, progress);
        let merged = merged.map_err(|failure| match failure {
            Failure::Folder(error) => DatasetError::from(error),
            Failure::Temporary(source) => limit.no_room(source).into(),
        })?;
        Ok(self.into_dataset(merged))
    }

    /// Finishes a dataset and refuses an empty one; `names` lists the inputs for the message.
    pub(super) fn finish_filled(
        self,
        progress: &dyn Progress,
        names: impl FnOnce() -> Vec<PathBuf>,
    ) -> Result<Dataset, DatasetError> {
        let (remedy, is_labelled) = (self.rules.remedy(), self.is_labelled);
        let dataset = self.finish_within(progress)?;
        if dataset.is_empty() && !is_labelled {
            return Err(DatasetError::Empty { paths: names(), remedy });
        }
        Ok(dataset)
    }

    fn into_dataset(self, merged: Merged) -> Dataset {
        let Self { inputs, test_inputs, games, labels, dropped, .. } = self;
        let Merged { parts: [training, validation, test], sums } = merged;
        let labels = labels.by_phase();
        Dataset { training, validation, test, inputs, test_inputs, games, labels, dropped, sums }
    }

    /// Writes the rows in memory to a run if they are too many to stay. `read` is the number of
    /// bytes read of the current file.
    fn limit_memory(&mut self, read: u64, progress: &dyn Progress) -> Result<(), DatasetError> {
        let Some(limit) = &self.limit else { return Ok(()) };
        let rows: usize = self.parts.iter().flatten().map(Vec::len).sum();
        // A growing vector takes up to three times the size of its content, and half of the limit
        // is for everything else.
        if ((rows * size_of::<ScoredPosition>()) as u64) < limit.bytes / 6 {
            return Ok(());
        }
        if self.runs.is_none() {
            let [all, before] = self.bytes;
            let ratio = all as f64 / (before + read).max(1) as f64;
            let expected = (rows as f64 * ratio.max(1.0)) as u64;
            progress.message(&format!(
                "the positions, about {:.1} million, do not fit into memory; temporary files of about {} MB \
                 go into {}, and of {} MB more when they are merged",
                expected as f64 / 1e6,
                megabytes(expected),
                limit.folder.display(),
                megabytes(expected),
            ));
        }
        self.push_run()
    }

    /// Writes the rows in memory to a run.
    pub(super) fn push_run(&mut self) -> Result<(), DatasetError> {
        let Some(limit) = self.limit.clone() else { return Ok(()) };
        let pushed = match &mut self.runs {
            Some(runs) => runs.push(&mut self.parts),
            None => Runs::new(limit.clone())
                .and_then(|runs| self.runs.insert(runs).push(&mut self.parts)),
        };
        pushed.map_err(|source| limit.no_room(source).into())
    }

    /// Returns the canonical image of a row whose phase is kept.
    fn image(&self, row: ScoredPosition) -> Option<ScoredPosition> {
        let phase = Phase::of(&row.position())?;
        self.phases.contains(&phase).then(|| row.canonical())
    }

    fn push(&mut self, part: Part, found: Labelled) {
        if part == Part::Training {
            self.labels.add(&found);
        }
        layout::push(&mut self.parts[part as usize], found.row);
    }

    /// Reads a file of records.
    pub(super) fn read_file(
        &mut self,
        choice: &DataChoice,
        to: Destination,
        progress: &dyn Progress,
    ) -> Result<(), DatasetError> {
        let mut records = Records::open(&choice.path)?;
        progress.begin_file(&choice.path, records.bytes());
        match &mut records {
            Records::Games(reader) => self.read_games(reader, to, choice.weight, progress)?,
            Records::Positions(reader) => {
                self.read_positions(reader, to, choice.weight, progress)?;
            }
        }
        self.bytes[1] += records.bytes();
        let sha256 = records.sha256().unwrap_or_default().to_owned();
        let inputs = match to {
            Destination::Split(_) => &mut self.inputs,
            Destination::Test => &mut self.test_inputs,
        };
        inputs.push(Input { sha256, weight: choice.weight });
        Ok(())
    }

    fn read_games(
        &mut self,
        reader: &mut GameReader,
        to: Destination,
        weight: f64,
        progress: &dyn Progress,
    ) -> Result<(), DatasetError> {
        let frames = |limit: &MemoryLimit| (limit.bytes / 4 / BYTES_PER_FRAME).max(1);
        let frames_at_once =
            self.limit.as_ref().map_or(u64::MAX, frames).min(FRAMES_AT_ONCE as u64);
        let mut read = 0;
        loop {
            let mut games = vec![];
            for _ in 0..frames_at_once {
                games.extend(reader.next_frame()?.unwrap_or_default());
            }
            self.add_games_to(to, &games, weight);
            self.limit_memory(reader.bytes_read(), progress)?;
            progress.advance(reader.bytes_read() - read);
            read = reader.bytes_read();
            if reader.sha256().is_some() {
                return Ok(());
            }
        }
    }

    fn read_positions(
        &mut self,
        reader: &mut PositionReader,
        to: Destination,
        weight: f64,
        progress: &dyn Progress,
    ) -> Result<(), DatasetError> {
        let (enumerated, mut read) = (reader.is_enumerated(), 0);
        while let Some(rows) = reader.next_frame()? {
            self.add_positions_to(to, &rows, weight, enumerated);
            self.limit_memory(reader.bytes_read(), progress)?;
            progress.advance(reader.bytes_read() - read);
            read = reader.bytes_read();
        }
        Ok(())
    }
}

/// Returns the size of `rows` rows in a temporary file, in units of 2²⁰ bytes.
fn megabytes(rows: u64) -> u64 {
    rows.saturating_mul(ROW_BYTES as u64).div_ceil(1 << 20)
}

fn no_rows() -> [ByPhase; 3] {
    [layout::empty(), layout::empty(), layout::empty()]
}
