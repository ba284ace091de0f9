//! The writer of record files.

use std::path::Path;

use super::{Game, PackedFrame, Record, RecordError, RecordReader, ScoredPosition};
use crate::file::{Begin, Existing, FileError, Kind, Provenance, Summary, Writer};

/// A writer of records in their order, one frame at a time.
pub struct RecordWriter<R> {
    writer: Writer,
    pending: Vec<R>,
    /// The number of records of each frame that the file already held.
    resumed: Vec<u64>,
    warning: Option<String>,
}

/// The writer of a file of games.
pub type GameWriter = RecordWriter<Game>;

/// The writer of a file of scored positions or of openings.
pub type PositionWriter = RecordWriter<ScoredPosition>;

impl<R: Record> RecordWriter<R> {
    /// Begins a file of the usual kind, or continues it after its last whole frame.
    pub fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        Self::begin_kind(path, R::KINDS[0], provenance, existing)
    }

    fn begin_kind(
        path: &Path,
        kind: Kind,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        let mut writer = match Writer::begin(path, kind, provenance, existing)? {
            Begin::Done(summary) => return Ok(Begin::Done(summary)),
            Begin::Writer(writer) => writer,
        };
        let mut resumed = vec![];
        for section in writer.reread()?.take(writer.resumed().len()) {
            let section = section?;
            if section.name != R::PLURAL {
                break;
            }
            resumed.push(R::count_in_frame(&section.content));
        }
        let torn = writer.warning();
        let other = writer.keep(resumed.len(), &format!("holds no {}", R::PLURAL))?;
        let warning = other.or(torn);
        Ok(Begin::Writer(Self { writer, pending: vec![], resumed, warning }))
    }

    /// Returns the number of records that the file already held.
    pub fn resumed_records(&self) -> u64 {
        self.resumed.iter().sum()
    }

    /// Returns the number of frames that the file already held.
    pub fn resumed_frames(&self) -> usize {
        self.resumed.len()
    }

    /// Returns the checksum, in hexadecimal, of the content of the first `frames` frames that the
    /// file already held; `None` if it held fewer, and for 0.
    pub fn resumed_sha256(&self, frames: usize) -> Option<&str> {
        Some(&self.writer.resumed().get(frames.checked_sub(1)?)?.sha256)
    }

    /// Returns the checksum, in hexadecimal, of the content of all frames so far.
    pub fn content_sha256(&self) -> String {
        self.writer.content_sha256()
    }

    /// Reads the records that the file already held once more.
    pub fn reread(&self) -> Result<RecordReader<R>, RecordError> {
        Ok(RecordReader::new(self.writer.reread()?, self.writer.resumed().len()))
    }

    /// Returns a message for the user about anything that was dropped when the file was resumed.
    pub fn warning(&self) -> Option<String> {
        self.warning.clone()
    }

    /// Checks the frames that the file already held. `fits` gets each frame with its number,
    /// counted from 0. The first frame that does not fit is dropped with all after it; the result
    /// is then a message for the user.
    pub fn keep_while(
        &mut self,
        mut fits: impl FnMut(usize, &[R]) -> Result<bool, RecordError>,
    ) -> Result<Option<String>, RecordError> {
        let mut there = self.reread()?;
        for frame in 0..self.resumed_frames() {
            let fits = match there.next_frame() {
                Ok(Some(records)) => fits(frame, &records)?,
                Err(error @ RecordError::File(FileError::Io { .. })) => return Err(error),
                // The frame's checksum is right, but its bytes are not records.
                Ok(None) | Err(_) => false,
            };
            if !fits {
                return self.keep_frames(frame);
            }
        }
        Ok(None)
    }

    /// Keeps the first `frames` frames that the file already held. Returns a message for the user
    /// if others are dropped.
    pub fn keep_frames(&mut self, frames: usize) -> Result<Option<String>, RecordError> {
        self.resumed.truncate(frames);
        Ok(self.writer.keep(frames, &format!("does not have the {} of this run", R::PLURAL))?)
    }

    /// Prepares for writing all records again from the first: frames that the file already holds
    /// are compared with them, and replaced from the first difference on.
    pub fn compare_from_start(&mut self) {
        self.writer.compare_from_start();
    }

    /// Adds a record; writes a frame for every [`Record::PER_FRAME`] records.
    pub fn push(&mut self, record: R) -> Result<(), RecordError> {
        self.pending.push(record);
        if self.pending.len() == R::PER_FRAME { self.write_pending() } else { Ok(()) }
    }

    /// Writes records as a frame of their own, after the records that were pushed. This is for
    /// files whose frames have a meaning, such as a range of seeds. A frame may be empty and has at
    /// most 65,536 games.
    pub fn write_frame(&mut self, records: &[R]) -> Result<(), RecordError> {
        self.write_pending()?;
        Ok(self.writer.section(R::PLURAL, &R::encode_frame(records))?)
    }

    /// Writes a frame of another file unchanged, after the records that were pushed.
    pub fn write_packed_frame(&mut self, frame: &PackedFrame) -> Result<(), RecordError> {
        self.write_pending()?;
        Ok(self.writer.packed_section(&frame.section, &frame.packed)?)
    }

    /// Ends the comparison that [`Self::compare_from_start`] began, after writing the pending
    /// records. Returns a message for the user if the file held something else, which is dropped.
    pub fn end_comparison(&mut self) -> Result<Option<String>, RecordError> {
        self.write_pending()?;
        Ok(self.writer.end_comparison()?)
    }

    /// Writes the pending records and completes the file.
    pub fn finish(mut self) -> Result<Summary, RecordError> {
        self.write_pending()?;
        Ok(self.writer.finish()?)
    }

    fn write_pending(&mut self) -> Result<(), RecordError> {
        if !self.pending.is_empty() {
            self.writer.section(R::PLURAL, &R::encode_frame(&self.pending))?;
            self.pending.clear();
        }
        Ok(())
    }
}

impl PositionWriter {
    /// Begins a file of openings: all positions up to some ply, which are never split into training
    /// and test.
    pub fn begin_openings(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        Self::begin_kind(path, Kind::Openings, provenance, existing)
    }
}

impl<R> AsRef<Writer> for RecordWriter<R> {
    fn as_ref(&self) -> &Writer {
        &self.writer
    }
}
