use std::path::Path;
use std::vec;

use super::{FrameError, Game, PlacedPosition, Record, RecordError, ScoredPosition};
use crate::file::{Kind, Reader, Result, Section, SectionPlace, kind_of};
use crate::progress::Progress;

/// An iterator over the records of a file; dereferences to the file's [`Reader`]. Do not mix the
/// iterator or [`Self::pass_by`] with [`Self::next_frame`], which skips to the next whole frame.
#[derive(derive_more::Deref)]
pub struct RecordReader<R> {
    #[deref]
    reader: Reader,
    frame: vec::IntoIter<R>,
    number: u64,
    failed: bool,
}

/// The reader of a file of games. Each game is replayed by the rules while it is read.
pub type GameReader = RecordReader<Game>;

/// The reader of a file of scored positions or of openings.
pub type PositionReader = RecordReader<ScoredPosition>;

/// The reader of a file of scored positions with the numbers of their games.
pub type PlacedReader = RecordReader<PlacedPosition>;

/// The place in a file at which a frame of records begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FramePlace {
    section: SectionPlace,
    before: u64,
}

impl<R: Record> RecordReader<R> {
    /// Opens a file that contains records of the type `R`.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let kind = kind_of(path).ok().filter(|kind| R::KINDS.contains(kind));
        // Opening a file of another kind as the usual kind gives an error that names both kinds.
        Ok(Self::over(Reader::open(path, kind.unwrap_or(R::KINDS[0]))?))
    }

    /// Creates a reader of the records in an open file, without a check of the file's kind.
    pub fn over(reader: Reader) -> Self {
        Self { reader, frame: vec![].into_iter(), number: 0, failed: false }
    }

    /// Returns true if the positions come from an enumeration of openings, not from games: the
    /// file's kind is [`Kind::Openings`], or its provenance has `"enumerated": true`. Training on
    /// such a file uses none of its positions for validation.
    pub fn is_enumerated(&self) -> bool {
        let stated = self.provenance().get("enumerated").and_then(serde_json::Value::as_bool);
        self.reader.kind() == Kind::Openings || stated == Some(true)
    }

    /// Skips damaged bytes after an error, up to an undamaged frame. Returns false if none follows.
    pub fn resynchronize(&mut self) -> Result<bool, RecordError> {
        Ok(self.reader.resynchronize()?)
    }

    /// Returns the records of the next frame, if any.
    pub fn next_frame(&mut self) -> Result<Option<Vec<R>>, RecordError> {
        let section = self.next_records()?;
        section.map(|section| self.decode(&section.content)).transpose()
    }

    /// Passes the records of each remaining frame to `take`, and advances `progress` by the bytes
    /// read. Returns the SHA-256 of the file.
    pub fn each_frame<E: From<RecordError>>(
        &mut self,
        progress: &dyn Progress,
        mut take: impl FnMut(Vec<R>) -> Result<(), E>,
    ) -> Result<String, E> {
        let mut read = 0;
        while let Some(records) = self.next_frame()? {
            take(records)?;
            progress.advance(self.bytes_read() - read);
            read = self.bytes_read();
        }
        Ok(self.sha256().unwrap_or_default().to_owned())
    }

    /// Skips `records` records, or all if fewer remain. Returns the number of skipped records.
    /// Decodes only the frame in which it stops.
    pub fn pass_by(&mut self, records: u64) -> Result<u64, RecordError> {
        let mut passed = 0;
        while passed < records {
            if self.frame.next().is_some() {
                passed += 1;
                continue;
            }
            let Some(section) = self.next_records()? else { break };
            let count = self.records_in(&section)?;
            if count <= records - passed {
                self.number += count;
                passed += count;
            } else {
                self.frame = self.decode(&section.content)?.into_iter();
            }
        }
        Ok(passed)
    }

    /// Skips the next frame, if any, without decoding it. Returns the number of its records.
    pub fn pass_by_frame(&mut self) -> Result<Option<u64>, RecordError> {
        let section = self.next_records()?;
        let records = section.map(|section| self.records_in(&section)).transpose()?;
        self.number += records.unwrap_or(0);
        Ok(records)
    }

    /// Returns the place of the next frame.
    pub fn place(&self) -> FramePlace {
        FramePlace { section: self.reader.place(), before: self.number }
    }

    /// Continues at `place` in the same file. The checksum of the whole file is then not checked,
    /// because frames may be skipped or read twice.
    pub fn go_to(&mut self, place: FramePlace) -> Result<(), RecordError> {
        self.number = place.before;
        Ok(self.reader.go_to(place.section)?)
    }

    fn next_records(&mut self) -> Result<Option<Section>> {
        loop {
            match self.reader.next().transpose()? {
                Some(section) if section.name != R::PLURAL => {}
                section => return Ok(section),
            }
        }
    }

    fn records_in(&self, section: &Section) -> Result<u64, RecordError> {
        let count = R::count_in_frame(&section.content).and_then(|count| match count {
            // Nobody who wants records decodes a frame without any, so it is checked here.
            0 => R::decode_frame(&section.content).map(|_| 0),
            count => Ok(count),
        });
        count.map_err(|error| self.wrong(self.number, error))
    }

    fn decode(&mut self, content: &[u8]) -> Result<Vec<R>, RecordError> {
        let records = R::decode_frame(content).map_err(|error| self.wrong(self.number, error))?;
        self.number += records.len() as u64;
        Ok(records)
    }

    /// Adds path and record number to the error of a frame. `before` records precede this frame.
    fn wrong(&self, before: u64, error: FrameError) -> RecordError {
        let FrameError { index, reason: source } = error;
        let Some(index) = index else { return self.reader.meaningless(source.0).into() };
        let (path, number) = (self.reader.path().to_owned(), before + index as u64 + 1);
        RecordError::Record { path, kind: R::NAME, number, source }
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
