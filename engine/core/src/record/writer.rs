use std::path::Path;

use rayon::prelude::*;

use super::{Game, Record, RecordError, ScoredPosition};
use crate::file::{Begin, Existing, Provenance, Section, Summary, Writer};

const FRAMES_AT_ONCE: usize = 32;

/// A writer of a record file. It collects records into frames, and writes the frames in order.
pub struct RecordWriter<R> {
    writer: Writer,
    pending: Vec<R>,
}

/// The writer of a file of games.
pub type GameWriter = RecordWriter<Game>;

/// The writer of a file of scored positions or of openings.
pub type PositionWriter = RecordWriter<ScoredPosition>;

impl<R: Record> RecordWriter<R> {
    /// Begins a file of records of the type `R`. Returns [`Begin::Done`] if `existing` is
    /// [`Existing::Keep`] and the file is already complete with this provenance.
    pub fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self>, RecordError> {
        Ok(match Writer::begin(path, R::KINDS[0], provenance, existing)? {
            Begin::Done(summary) => Begin::Done(summary),
            Begin::Writer(writer) => Begin::Writer(Self::over(writer)),
        })
    }

    /// Creates a writer that writes records to the open file of `writer`, such as a run's output.
    pub fn over(writer: Writer) -> Self {
        Self { writer, pending: vec![] }
    }

    /// Adds a record. Compresses and writes 32 frames at a time, on all threads.
    pub fn push(&mut self, record: R) -> Result<(), RecordError> {
        self.pending.push(record);
        let is_enough = self.pending.len() >= FRAMES_AT_ONCE * R::PER_FRAME;
        if is_enough { self.write_pending() } else { Ok(()) }
    }

    /// Writes the pending records, then each element of `frames` as one frame, even if it is empty.
    /// A frame of games has at most 65,536 games.
    pub fn write_frames(&mut self, frames: &[Vec<R>]) -> Result<(), RecordError> {
        self.write_pending()?;
        let section = |records: &Vec<R>| R::section(records);
        Ok(self.writer.sections(frames.par_iter().map(section).collect::<Vec<_>>())?)
    }

    /// Writes the pending records and completes the file.
    pub fn finish(mut self) -> Result<Summary, RecordError> {
        self.write_pending()?;
        Ok(self.writer.finish()?)
    }

    fn write_pending(&mut self) -> Result<(), RecordError> {
        let frames: Vec<Section> = self.pending.par_chunks(R::PER_FRAME).map(R::section).collect();
        self.pending.clear();
        Ok(self.writer.sections(frames)?)
    }
}

impl<R: Record> Begin<RecordWriter<R>> {
    /// Adds a record. Does nothing if the file is already complete.
    pub fn push(&mut self, record: R) -> Result<(), RecordError> {
        match self {
            Self::Done(_) => Ok(()),
            Self::Writer(writer) => writer.push(record),
        }
    }

    /// Completes the file, unless it is already complete. Returns its summary.
    pub fn finish(self) -> Result<Summary, RecordError> {
        match self {
            Self::Done(summary) => Ok(summary),
            Self::Writer(writer) => writer.finish(),
        }
    }
}
