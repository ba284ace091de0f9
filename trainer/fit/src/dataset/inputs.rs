//! The input files of a dataset, with games or positions and a weight for each file. They are read
//! in ranges of records. A test file with the same content as a training file is refused.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use othello_engine::board::PHASES;
use othello_engine::file::{FileError, sha256_of_file};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::{RecordError, RecordFolder, Weight};
use othello_engine::text::{Invalid, excerpt};

use super::place::Placer;
use super::sorted_run::{SortedRun, by_kind};
use super::{Counts, DatasetFolder, Excluded, Input, LayoutSettings};
use crate::memory::MemoryLimit;
use crate::source::records::{RecordRange, Records};
use crate::source::{DataError, Result};

/// A file or folder of records and the weight of its positions, written `PATH` or `PATH*WEIGHT`.
#[derive(Clone, PartialEq, Debug)]
pub struct DataChoice {
    /// The path of a record file, of a folder of record files, or of a dataset folder.
    pub path: PathBuf,
    /// The factor that multiplies the weights of all positions in `path`, above 0, at most 1,000.
    pub weight: f64,
}

impl DataChoice {
    /// Replaces each folder of record files by the files in it. Dataset folders stay as they are.
    pub fn files(named: &[Self]) -> Result<Vec<Self>, RecordError> {
        let mut files = vec![];
        for choice in named {
            let path = &choice.path;
            if path.is_dir() && !DatasetFolder::is_at(path) {
                let paths = RecordFolder::open(path).map_err(|error| neither(path, error))?.paths();
                files.extend(paths.into_iter().map(|path| Self { path, weight: choice.weight }));
            } else {
                files.push(choice.clone());
            }
        }
        Ok(files)
    }
}

fn neither(path: &Path, error: RecordError) -> RecordError {
    match error {
        RecordError::File(FileError::Refused { path: of, reason }) if of == path => {
            let again = "if a `dataset` command was interrupted, run it again";
            FileError::refused(path, format!("{reason}; {again}")).into()
        }
        error => error,
    }
}

impl FromStr for DataChoice {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let number = |tail: &str| tail.parse::<f64>().ok();
        let split = text.rsplit_once('*').and_then(|(path, tail)| Some((path, number(tail)?)));
        let (path, weight) = split.unwrap_or((text, 1.0));
        let wrong = |reason: String| Invalid(format!("`{}`: the weight {reason}", excerpt(text)));
        if !(weight > 0.0 && weight <= 1000.0) {
            return Err(wrong("after `*` must be above 0 and at most 1000".to_owned()));
        }
        Weight::check(weight).map_err(wrong)?;
        Ok(Self { path: path.into(), weight })
    }
}

impl fmt::Display for DataChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        // A weight of 1 is omitted, unless the end of the path could be read as a weight.
        if self.weight == 1.0 && path.parse() == Ok(Self { path: self.path.clone(), weight: 1.0 }) {
            return f.write_str(&path);
        }
        write!(f, "{path}*{}", self.weight)
    }
}

/// The number of records in one range: games, or positions. Reading a range takes a few seconds.
const RANGE: [u64; 2] = [1 << 16, 1 << 21];

/// The bytes of memory for a position: twice its size, since a growing vector doubles its capacity.
const BYTES_PER_POSITION: u64 = 40;

/// The bytes of memory for the blocks of records that are read from one range at the same time.
const BYTES_OF_FRAMES: u64 = 8 << 20;

pub(super) struct Inputs<'a> {
    settings: &'a LayoutSettings,
    wanted: &'a [bool],
    pub(super) ranges: Vec<(RecordRange, Placer<'a>)>,
    pub(super) data: Vec<Input>,
    pub(super) test: Vec<Input>,
}

impl<'a> Inputs<'a> {
    pub(super) fn open(
        data: &[DataChoice],
        test: &[DataChoice],
        settings: &'a LayoutSettings,
        wanted: &'a [bool],
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut trained = TrainedOn::default();
        if !test.is_empty() {
            data.iter().for_each(|choice| trained.add_file(&choice.path));
        }
        trained.check(test.iter().map(|choice| choice.path.as_path()))?;
        let mut inputs = Self { settings, wanted, ranges: vec![], data: vec![], test: vec![] };
        let add = |choice| inputs.add(choice, false, progress);
        inputs.data = data.iter().map(add).collect::<Result<_>>()?;
        let add = |choice| inputs.add(choice, true, progress);
        inputs.test = test.iter().map(add).collect::<Result<_>>()?;
        Ok(inputs)
    }

    fn add(&mut self, data: &DataChoice, is_test: bool, progress: &dyn Progress) -> Result<Input> {
        let DataChoice { path, weight } = data;
        if DatasetFolder::is_at(path) {
            return Err(no_records(path));
        }
        let wrong = |Invalid(reason)| FileError::refused(path, reason);
        self.settings.labels.check_times(*weight).map_err(wrong)?;
        let mut records = Records::open(path)?;
        progress.begin_file(path, records.bytes());
        let ranges = records.ranges(path, RANGE, progress)?;
        let is_enumerated = records.is_enumerated();
        let &mut Self { settings, wanted, .. } = self;
        let (weight, is_canonical) = (*weight, true);
        self.ranges.extend(ranges.into_iter().map(|range| {
            (range, Placer { settings, is_test, weight, is_enumerated, wanted, is_canonical })
        }));
        let sha256 = records.sha256().unwrap_or_default().to_owned();
        Ok(Input { sha256, weight })
    }

    pub(super) fn most_positions(&self) -> u64 {
        self.ranges.iter().map(|(range, _)| range.most_positions).sum()
    }

    /// Returns the number of record ranges to read at once (1 or 2), and the bytes of memory that
    /// `limit` leaves for other uses meanwhile.
    pub(super) fn at_once(&self, limit: &MemoryLimit) -> Result<(usize, u64)> {
        let positions = self.ranges.iter().map(|(range, _)| range.most_positions);
        let bytes = positions.max().unwrap_or(0).saturating_mul(BYTES_PER_POSITION);
        let each = bytes.saturating_add(bytes.min(BYTES_OF_FRAMES));
        let at_once = limit.at_once(each, self.ranges.len().clamp(1, 2))?;
        Ok((at_once, limit.bytes - at_once as u64 * each))
    }
}

pub(super) fn counts(runs: &[SortedRun]) -> Counts {
    let mut all = Counts::default();
    runs.iter().for_each(|run| all.add(&run.counts));
    let of_phase = |phase: usize| runs.iter().filter_map(move |run| run.counts.labels.get(phase));
    all.labels = (0..PHASES).map(|phase| by_kind(of_phase(phase).flatten().cloned())).collect();
    all
}

pub(super) fn no_records(folder: &Path) -> DataError {
    let reason = "a dataset has positions but no games; name the records that it was made from";
    FileError::refused(folder, reason).into()
}

pub(super) fn no_usable_positions(
    data: &[DataChoice],
    settings: &LayoutSettings,
    excluded: &Excluded,
) -> DataError {
    let LayoutSettings { labels, filter, .. } = settings;
    let paths = data.iter().map(|choice| choice.path.display().to_string());
    let paths = paths.collect::<Vec<_>>().join(", ");
    if excluded.total() > 0 {
        return excluded.all_of(&paths, filter);
    }
    let reason = format!("no position in {paths} has a label by the rules `{labels}`");
    DataError::NoPosition(reason + labels.remedy())
}

/// The SHA-256 of each training file, with the error text for a test file of the same content.
#[derive(Default)]
pub struct TrainedOn(Vec<(String, String)>);

impl TrainedOn {
    /// Adds a training file. Skips an unreadable file, since reading its records will fail anyway.
    pub fn add_file(&mut self, path: &Path) {
        let clause = format!("{} has the same content and is training data", path.display());
        self.0.extend(sha256_of_file(path, &Silent).ok().map(|sha256| (sha256, clause)));
    }

    /// Adds the files to which the initial weights were fitted: these are training files as well.
    pub fn add_initial(&mut self, inputs: &[Input]) {
        let clause = "the initial weights were fitted to it";
        self.0.extend(inputs.iter().map(|input| (input.sha256.clone(), clause.to_owned())));
    }

    /// Returns the checksums of the training files.
    pub fn checksums(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(sha256, _)| sha256.as_str())
    }

    /// Returns an error if a test file has the same content as a training file.
    pub fn check<'a>(&self, tests: impl IntoIterator<Item = &'a Path>) -> Result<(), FileError> {
        for test in tests {
            let Ok(sha256) = sha256_of_file(test, &Silent) else { continue };
            if let Some((_, trained)) = self.0.iter().find(|(known, _)| *known == sha256) {
                let reason =
                    format!("cannot be the test: {trained}; name games that are not training data");
                return Err(FileError::refused(test, reason));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_follows_a_star() {
        let choice = |text: &str| text.parse::<DataChoice>().map(|c| (c.path, c.weight));
        assert_eq!(choice("a.games"), Ok(("a.games".into(), 1.0)));
        assert_eq!(choice("a*b.games*0.5"), Ok(("a*b.games".into(), 0.5)));
        assert_eq!(choice("a*b.games"), Ok(("a*b.games".into(), 1.0)));
        assert!(["a*0", "a*-1", "a*NaN", "a*1e9"].iter().all(|text| choice(text).is_err()));
        // A regression: these weights, which are no multiples of 1/64, were replaced by 1/64.
        for lost in ["a*0.001", "a*0.02", "a*1e-300", "a*0.1"] {
            let refused = choice(lost).unwrap_err().to_string();
            assert!(refused.contains(&format!("`{lost}`: the weight ")), "{refused}");
            assert!(refused.contains("is not close to a multiple of 1/64"), "{refused}");
        }
        for text in ["a.games", "a.games*0.5", "a*0.5*1"] {
            assert_eq!(text.parse::<DataChoice>().unwrap().to_string(), text);
        }
    }
}
