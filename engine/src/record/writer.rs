//! Files of records, written one after the other.

use std::path::Path;

use super::{Game, PackedFrame, Record, RecordError, RecordReader, ScoredPosition};
use crate::file::{Begin, Existing, FileError, Kind, Provenance, Summary, Writer};

/// Writes records in their order, a frame at a time.
pub struct RecordWriter<R> {
    writer: Writer,
    pending: Vec<R>,
    /// How many records each frame has that the file already held.
    resumed: Vec<u64>,
    warning: Option<String>,
}

/// Writes a file of games.
pub type GameWriter = RecordWriter<Game>;

/// Writes a file of scored positions or of openings.
pub type PositionWriter = RecordWriter<ScoredPosition>;

impl<R: Record> RecordWriter<R> {
    /// Begins a file of the usual kind, or goes on with it after its last whole frame.
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

    /// How many records the file already held.
    pub fn resumed_records(&self) -> u64 {
        self.resumed.iter().sum()
    }

    /// How many frames the file already held.
    pub fn resumed_frames(&self) -> usize {
        self.resumed.len()
    }

    /// The checksum, in hexadecimal, of the content of so many of the frames that the file already
    /// held; `None` where there are fewer, or none is asked for.
    pub fn resumed_sha256(&self, frames: usize) -> Option<&str> {
        Some(&self.writer.resumed().get(frames.checked_sub(1)?)?.sha256)
    }

    /// The checksum, in hexadecimal, of the content of all frames so far.
    pub fn content_sha256(&self) -> String {
        self.writer.content_sha256()
    }

    /// The records that the file already held, read again.
    pub fn reread(&self) -> Result<RecordReader<R>, RecordError> {
        Ok(RecordReader::new(self.writer.reread()?, self.writer.resumed().len()))
    }

    /// What resuming dropped, for the user to know.
    pub fn warning(&self) -> Option<String> {
        self.warning.clone()
    }

    /// Checks what the file already held against what is to be there: `fits` is given each frame
    /// with its number, counted from 0. The first that does not fit, and those after it, are
    /// dropped; how that shows, for the user to know.
    pub fn keep_while(
        &mut self,
        mut fits: impl FnMut(usize, &[R]) -> Result<bool, RecordError>,
    ) -> Result<Option<String>, RecordError> {
        let mut there = self.reread()?;
        for frame in 0..self.resumed_frames() {
            let fits = match there.next_frame() {
                Ok(Some(records)) => fits(frame, &records)?,
                Err(error @ RecordError::File(FileError::Io { .. })) => return Err(error),
                // Right checksums, and no meaning.
                Ok(None) | Err(_) => false,
            };
            if !fits {
                return self.keep_frames(frame);
            }
        }
        Ok(None)
    }

    /// Keeps so many of the frames that the file already held.
    pub fn keep_frames(&mut self, frames: usize) -> Result<Option<String>, RecordError> {
        self.resumed.truncate(frames);
        Ok(self.writer.keep(frames, &format!("does not have the {} of this run", R::PLURAL))?)
    }

    /// Says that all records are written from the first one on, those too that the file already
    /// holds: they are compared, frame by frame, and written anew from the first difference on.
    pub fn compare_from_start(&mut self) {
        self.writer.compare_from_start();
    }

    /// Adds a record; every [`Record::PER_FRAME`] of them are written.
    pub fn push(&mut self, record: R) -> Result<(), RecordError> {
        self.pending.push(record);
        if self.pending.len() == R::PER_FRAME { self.write_pending() } else { Ok(()) }
    }

    /// Writes records as a frame of their own, after those that were pushed. For a writer whose
    /// frames stand for something, such as a range of seeds: the frame may be empty, and has 65,536
    /// games at most.
    pub fn write_frame(&mut self, records: &[R]) -> Result<(), RecordError> {
        self.write_pending()?;
        Ok(self.writer.section(R::PLURAL, &R::encode_frame(records))?)
    }

    /// Writes a frame of another file as it stands there, after the records that were pushed.
    pub fn write_packed_frame(&mut self, frame: &PackedFrame) -> Result<(), RecordError> {
        self.write_pending()?;
        Ok(self.writer.packed_section(&frame.section, &frame.packed)?)
    }

    /// Writes what is left, after [`Self::compare_from_start`]. What was dropped of what the file
    /// already held, for the user to know.
    pub fn end_comparison(&mut self) -> Result<Option<String>, RecordError> {
        self.write_pending()?;
        Ok(self.writer.end_comparison()?)
    }

    /// Writes what is left and completes the file.
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
    /// Begins a file of openings: all positions up to some ply, never split into training and
    /// test.
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
