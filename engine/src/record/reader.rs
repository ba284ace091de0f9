//! Files of records, read one after the other.

use std::path::Path;
use std::vec;

use super::{FrameError, Game, Record, RecordError, ScoredPosition};
use crate::file::{FileError, Kind, Provenance, Reader, Section, kind_of};

/// Reads the records of a file, each of them checked.
pub struct RecordReader<R> {
    reader: Reader,
    frames_left: usize,
    frame: vec::IntoIter<R>,
    number: u64,
    failed: bool,
}

/// A frame of records as it stands in a file, for who hands it on to another one.
pub struct PackedFrame {
    pub(super) section: Section,
    pub(super) packed: Vec<u8>,
    /// How many records are before it.
    before: u64,
    records: u64,
}

impl PackedFrame {
    /// How many records the frame says it has.
    pub fn records(&self) -> u64 {
        self.records
    }
}

/// Reads a file of games, each replayed by the rules.
pub type GameReader = RecordReader<Game>;

/// Reads a file of scored positions or of openings.
pub type PositionReader = RecordReader<ScoredPosition>;

impl<R: Record> RecordReader<R> {
    /// Opens a file of such records.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let kind = kind_of(path).ok().filter(|kind| R::KINDS.contains(kind));
        // A file of another kind is refused by name.
        Ok(Self::new(Reader::open(path, kind.unwrap_or(R::KINDS[0]))?, usize::MAX))
    }

    pub(super) fn new(reader: Reader, frames_left: usize) -> Self {
        Self { reader, frames_left, frame: vec![].into_iter(), number: 0, failed: false }
    }

    /// What the records were made from.
    pub fn provenance(&self) -> &Provenance {
        self.reader.provenance()
    }

    /// Whether these are all records of some kind, which leaves nothing to hold out: openings,
    /// and records whose provenance says `"enumerated": true`.
    pub fn is_enumerated(&self) -> bool {
        let stated = self.provenance().get("enumerated").and_then(serde_json::Value::as_bool);
        self.reader.kind() == Kind::Openings || stated == Some(true)
    }

    /// The size of the file, to tell how far reading it is.
    pub fn bytes(&self) -> u64 {
        self.reader.bytes()
    }

    /// How much of it has been read.
    pub fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    /// The checksum of the content, once the iterator has come to its end without an error.
    pub fn sha256(&self) -> Option<&str> {
        self.reader.sha256()
    }

    /// After an error: goes on with the next whole frame behind what is damaged; false where there
    /// is none. There is no checksum of the whole then.
    pub fn resynchronize(&mut self) -> Result<bool, RecordError> {
        Ok(self.reader.resynchronize()?)
    }

    /// The records of the next frame; `None` at the end of the file. An alternative to reading
    /// them one by one, not to be mixed with it.
    pub fn next_frame(&mut self) -> Result<Option<Vec<R>>, RecordError> {
        let section = self.next_records()?;
        section.map(|section| self.decode(&section.content)).transpose()
    }

    /// Passes by this many records, or those that are left where there are fewer; returns how many.
    /// Whole frames are not looked into. Not to be mixed with [`Self::next_frame`].
    pub fn pass_by(&mut self, records: u64) -> Result<u64, RecordError> {
        let mut passed = 0;
        while passed < records {
            if self.frame.next().is_some() {
                passed += 1;
                continue;
            }
            let Some(section) = self.next_records()? else { break };
            let count = R::count_in_frame(&section.content);
            if count <= records - passed {
                self.number += count;
                passed += count;
            } else {
                self.frame = self.decode(&section.content)?.into_iter();
            }
        }
        Ok(passed)
    }

    /// Passes by the next frame; how many records it says it has, and `None` at the end of the
    /// file. Not to be mixed with reading records one by one.
    pub fn pass_by_frame(&mut self) -> Result<Option<u64>, RecordError> {
        let records = self.next_records()?.map(|section| R::count_in_frame(&section.content));
        self.number += records.unwrap_or(0);
        Ok(records)
    }

    /// The next frame, not looked into; `None` at the end of the file. Not to be mixed with reading records one
    /// by one.
    pub fn next_packed_frame(&mut self) -> Result<Option<PackedFrame>, RecordError> {
        let Some(section) = self.next_records()? else { return Ok(None) };
        let (packed, before) = (self.reader.packed().to_vec(), self.number);
        let records = R::count_in_frame(&section.content);
        self.number += records;
        Ok(Some(PackedFrame { section, packed, before, records }))
    }

    /// The records of a frame that was read last, each of them checked.
    pub fn unpack(&self, frame: &PackedFrame) -> Result<Vec<R>, RecordError> {
        let records = R::decode_frame(&frame.section.content);
        records.map_err(|error| self.wrong(frame.before, error))
    }

    /// The next section that is a frame.
    fn next_records(&mut self) -> Result<Option<Section>, FileError> {
        while self.frames_left > 0 {
            self.frames_left -= 1;
            let Some(section) = self.reader.next().transpose()? else { return Ok(None) };
            if section.name == R::PLURAL {
                return Ok(Some(section));
            }
        }
        Ok(None)
    }

    fn decode(&mut self, content: &[u8]) -> Result<Vec<R>, RecordError> {
        let records = R::decode_frame(content).map_err(|error| self.wrong(self.number, error))?;
        self.number += records.len() as u64;
        Ok(records)
    }

    /// The error for the frame read last, which so many records are before.
    fn wrong(&self, before: u64, error: FrameError) -> RecordError {
        let path = || self.reader.path().to_owned();
        let number = |index: usize| before + index as u64 + 1;
        match error {
            FrameError::Shape(reason) => self.reader.meaningless(reason).into(),
            FrameError::Game(index, source) => {
                RecordError::Game { path: path(), number: number(index), source }
            }
            FrameError::Position(index, source) => {
                RecordError::Position { path: path(), number: number(index), source }
            }
        }
    }
}

impl<R: Record> Iterator for RecordReader<R> {
    type Item = Result<R, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            if let Some(record) = self.frame.next() {
                return Some(Ok(record));
            }
            match self.next_frame() {
                Ok(Some(records)) => self.frame = records.into_iter(),
                Ok(None) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
