//! Reads several record files as one sequence, writes the stored parts of a run (the work of a long
//! command) to its output file, and finds records with equal keys in limited memory.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use othello_engine::file::{FileError, Provenance, Section, Summary, check_output};
use othello_engine::progress::Progress;
use othello_engine::record::{Record, RecordError, RecordReader, RecordWriter};
use othello_engine::run::Run;

use crate::memory::{MemoryError, Sorter, Stored};
use crate::source::Result;

/// Files of games or of positions, with their checksums and the number of their records.
pub struct Inputs<R: Record> {
    paths: Vec<PathBuf>,
    pub(crate) checksums: Vec<String>,
    records: u64,
    pub(super) enumerated: bool,
    next: Mutex<(u64, Records<R>)>,
}

impl<R: Record> Inputs<R> {
    /// Reads the files for their checksums, and counts their records.
    pub fn count(paths: &[PathBuf], progress: &dyn Progress) -> Result<Self, RecordError> {
        let (mut checksums, mut records, mut enumerated) = (vec![], 0, true);
        for path in paths {
            let mut reader = RecordReader::<R>::open(path)?;
            progress.begin("inputs (bytes)", 0, reader.bytes());
            let mut before = 0;
            while let Some(frame) = reader.pass_by_frame()? {
                records += frame;
                progress.advance(reader.bytes_read() - before);
                before = reader.bytes_read();
            }
            checksums.push(reader.sha256().unwrap_or_default().to_owned());
            enumerated &= reader.is_enumerated();
        }
        let next = Mutex::new((0, Records::of(paths)));
        Ok(Self { paths: paths.to_vec(), checksums, records, enumerated, next })
    }

    /// Returns the number of records in the files.
    pub fn len(&self) -> u64 {
        self.records
    }

    /// Returns true if the files have no records.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    pub(super) fn check_output(&self, output: &Path) -> Result<(), RecordError> {
        Ok(check_output(output, &self.paths)?)
    }

    pub(super) fn provenance(&self, command: &str) -> Provenance {
        Provenance::new(command).with("inputs", self.checksums.clone())
    }

    pub(crate) fn all(&self) -> Records<R> {
        Records::of(&self.paths)
    }

    /// Returns the records with the indices `numbers`, counted from 0 through all files. Calls with
    /// ascending ranges read the files only once.
    pub(crate) fn take(&self, numbers: Range<u64>) -> Result<Vec<R>, RecordError> {
        let (next, records) = &mut *self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if numbers.start < *next {
            (*next, *records) = (0, self.all());
        }
        records.pass_by(numbers.start - *next)?;
        *next = numbers.end;
        let count = (numbers.end - numbers.start) as usize;
        let taken = records.by_ref().take(count).collect::<Result<Vec<R>, _>>()?;
        if taken.len() == count {
            return Ok(taken);
        }
        let reason = "the files have fewer records than before; run the same command again";
        Err(FileError::refused(&self.first_path(), reason).into())
    }

    pub(super) fn each(
        &self,
        progress: &dyn Progress,
        mut take: impl FnMut(u64, R) -> Result<()>,
    ) -> Result<()> {
        for (number, record) in (0..).zip(self.all()) {
            progress.check()?;
            take(number, record?)?;
            progress.advance(1);
        }
        Ok(())
    }

    pub(super) fn first_path(&self) -> PathBuf {
        self.paths.first().cloned().unwrap_or_default()
    }
}

pub(crate) struct Records<R: Record> {
    paths: VecDeque<PathBuf>,
    reader: Option<RecordReader<R>>,
}

impl<R: Record> Records<R> {
    fn of(paths: &[PathBuf]) -> Self {
        Self { paths: paths.iter().cloned().collect(), reader: None }
    }

    fn pass_by(&mut self, mut records: u64) -> Result<(), RecordError> {
        while records > 0 && (self.reader.is_some() || self.open_next()?) {
            if let Some(mut reader) = self.reader.take() {
                records -= reader.pass_by(records)?;
                self.reader = (records == 0).then_some(reader);
            }
        }
        Ok(())
    }

    fn open_next(&mut self) -> Result<bool, RecordError> {
        self.reader = self.paths.pop_front().map(|path| RecordReader::open(&path)).transpose()?;
        Ok(self.reader.is_some())
    }
}

impl<R: Record> Iterator for Records<R> {
    type Item = Result<R, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.reader.as_mut().and_then(Iterator::next) {
                return Some(record);
            }
            match self.open_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Returns the number of records in a stored part of a run; `None` if it has anything but records.
pub(super) fn records_in<R: Record>(part: &[Section]) -> Option<u64> {
    let records = |section: &Section| R::decode_frame(&section.content).ok();
    part.iter().map(|section| Some(records(section)?.len() as u64)).sum()
}

/// The result of a finished run or of a shard: the number of records, and the written file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The number of records.
    pub records: u64,
    /// The size and checksum of the written file; `None` for a shard, which writes no file.
    pub summary: Option<Summary>,
}

/// Writes the records of all stored parts of a run, in order, to the run's output file.
pub fn pack<R: Record>(run: &Run, progress: &dyn Progress) -> Result<Written, RecordError> {
    progress.begin_stoppable("pack (parts)", 0, run.plan.stages[0].parts());
    let mut writer = RecordWriter::<R>::over(run.writer()?);
    let mut records = 0;
    for part in run.parts(0) {
        progress.check()?;
        for record in RecordReader::<R>::over(part?) {
            writer.push(record?)?;
            records += 1;
        }
        progress.advance(1);
    }
    Ok(Written { records, summary: Some(writer.finish()?) })
}

pub(super) type Key = [u8; 16];
pub(super) type Entry = (Key, u64);

impl Stored for Entry {
    const BYTES: u64 = 24;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.0);
        bytes.extend(self.1.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let key = *bytes.split_off(..16)?.first_chunk()?;
        let number = *bytes.split_off(..8)?.first_chunk()?;
        Some((key, u64::from_le_bytes(number)))
    }
}

impl Sorter<Entry> {
    /// Returns a function that takes the index of a record (below `end`), and returns true if an
    /// earlier record has the same key.
    pub(super) fn repeated(self, end: u64) -> Result<impl Fn(u64) -> bool, MemoryError> {
        let mut bits = vec![0; usize::try_from(end.div_ceil(64)).unwrap_or(usize::MAX)];
        self.each(|number, is_repeated| {
            if let Some(word) = bits.get_mut((number / 64) as usize) {
                *word |= u64::from(is_repeated) << (number % 64);
            }
        })?;
        Ok(move |number| {
            bits.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 != 0)
        })
    }

    /// Returns, for each file, the number of records whose key does not occur earlier in any file.
    /// `first` has the index of the first record of each file.
    pub(super) fn distinct(self, first: &[u64]) -> Result<Vec<u64>, MemoryError> {
        let mut distinct = vec![0; first.len()];
        self.each(|number, is_repeated| {
            if !is_repeated {
                distinct[first.partition_point(|&first| first <= number) - 1] += 1;
            }
        })?;
        Ok(distinct)
    }

    fn each(self, mut take: impl FnMut(u64, bool)) -> Result<(), MemoryError> {
        let mut last = None;
        for entry in self.sorted()? {
            let (key, number) = entry?;
            take(number, last.replace(key) == Some(key));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use othello_engine::random::Generator;
    use proptest::prelude::*;

    use super::*;
    use crate::memory::MemoryLimit;

    proptest! {
        #[test]
        fn what_was_met_before_is_repeated_whatever_the_memory(
            count in 2_u64..3000,
            different in 1_u32..2000,
            bytes in prop_oneof![Just(1), 1_u64..200_000],
            seed in any::<u64>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let limit = MemoryLimit { bytes, folder: folder.path().to_owned() };
            let mut keys = Sorter::new(limit.clone());
            let mut others = Sorter::new(limit);
            let (mut random, mut seen, mut expected) = (Generator::new(seed), HashSet::new(), vec![]);
            for number in 0..count {
                let low = u128::from(random.below(different));
                let key = (low.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)).to_be_bytes();
                expected.push(!seen.insert(key));
                keys.push((key, number)).unwrap();
                others.push((key, number)).unwrap();
            }
            let halves = [0, count / 2];
            let distinct = others.distinct(&halves).unwrap();
            let repeated = keys.repeated(count).unwrap();
            let found: Vec<bool> = (0..count).map(repeated).collect();
            let (first, second) = expected.split_at(count as usize / 2);
            let new = |expected: &[bool]| expected.iter().filter(|&&repeated| !repeated).count() as u64;
            prop_assert_eq!(distinct, [new(first), new(second)]);
            prop_assert_eq!(found, expected);
        }
    }
}
