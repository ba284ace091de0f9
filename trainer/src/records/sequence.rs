//! The records of several files as one sequence.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use othello_engine::file::{Provenance, check_output};
use othello_engine::progress::Progress;
use othello_engine::record::{Record, RecordError, RecordReader};

/// Files of games or of positions, read through once: how many they have, and their checksums.
pub struct Inputs<R> {
    paths: Vec<PathBuf>,
    checksums: Vec<String>,
    records: u64,
    enumerated: bool,
    kind: PhantomData<R>,
}

impl<R: Record> Inputs<R> {
    /// Counts the records of files.
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
        Ok(Self { paths: paths.to_vec(), checksums, records, enumerated, kind: PhantomData })
    }

    /// How many records the files have.
    pub fn len(&self) -> u64 {
        self.records
    }

    /// Whether the files have no record.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Whether each file holds all there is of a kind.
    pub(super) fn are_enumerated(&self) -> bool {
        self.enumerated
    }

    /// Refuses an output that one of these files is.
    pub(super) fn check_output(&self, output: &Path) -> Result<(), RecordError> {
        Ok(check_output(output, &self.paths)?)
    }

    /// What `command` makes of these records, as far as they decide it.
    pub(super) fn provenance(&self, command: &str) -> Provenance {
        Provenance::new(command).with("inputs", self.checksums.clone())
    }

    /// All records, one after the other.
    pub(super) fn all(&self) -> Records<R> {
        Records { paths: self.paths.iter().cloned().collect(), reader: None }
    }

    /// The records from number `first` on, counted from 0.
    pub(super) fn from(&self, first: u64) -> Result<Records<R>, RecordError> {
        let mut records = self.all();
        let mut left = first;
        while left > 0 && records.open_next()? {
            if let Some(reader) = &mut records.reader {
                left -= reader.pass_by(left)?;
            }
        }
        Ok(records)
    }
}

/// Records one after the other.
pub(super) struct Records<R: Record> {
    paths: VecDeque<PathBuf>,
    reader: Option<RecordReader<R>>,
}

impl<R: Record> Records<R> {
    /// Goes on with the next file; whether there is one.
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
