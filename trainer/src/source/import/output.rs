//! The file that an import writes, and its checkpoint.

use std::path::Path;

use othello_engine::file::{Begin, Checkpoint, Existing, Provenance};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, Record, RecordWriter, ScoredPosition};
use serde::{Deserialize, Serialize};

use super::Summary;
use crate::source::SourceError;

/// A record that can be imported.
pub trait Imported: Record {
    /// Counts the record in the summary.
    fn count(&self, summary: &mut Summary);
}

impl Imported for Game {
    fn count(&self, summary: &mut Summary) {
        summary.games += 1;
        summary.positions += self.positions() as u64;
        summary.incomplete += u64::from(self.black_score().is_none());
    }
}

impl Imported for ScoredPosition {
    fn count(&self, summary: &mut Summary) {
        summary.positions += 1;
    }
}

/// A place between two entries of the inputs: the progress of an import.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct Place {
    /// The number of entries before it, accepted or refused.
    pub(super) entries: u64,
    /// The size of these entries in bytes.
    pub(super) bytes: u64,
    /// The number of records accepted from them.
    pub(super) records: u64,
    /// The summary of these records.
    pub(super) summary: Summary,
    /// The checksum of the output's content up to the place. It tells whether the output's frames
    /// belong to this place.
    pub(super) content: String,
}

/// The most entries, more than any input has; counts up to this cannot overflow.
const MOST_ENTRIES: u64 = 1 << 48;

impl Place {
    /// Returns the number of whole frames of the records.
    fn frames<T: Record>(&self) -> usize {
        (self.records / T::PER_FRAME as u64) as usize
    }

    /// Returns true if the output begins with the frames of this place and the inputs of this
    /// number of bytes are large enough for it.
    fn is_after<T: Record>(&self, output: &RecordWriter<T>, bytes: u64) -> bool {
        let Summary { games, positions, rejected, incomplete, .. } = self.summary;
        let counts = [games, rejected, incomplete, self.records];
        self.bytes <= bytes
            && self.entries <= MOST_ENTRIES
            && counts.iter().all(|&count| count <= self.entries)
            && positions <= 60 * self.entries
            && self.records.is_multiple_of(T::PER_FRAME as u64)
            && output.resumed_sha256(self.frames::<T>()) == Some(self.content.as_str())
    }
}

/// The output, unless it is complete already. Its checkpoint stores the place in the inputs after
/// each frame.
pub(super) struct Output<T: Imported> {
    writer: Option<(Checkpoint, RecordWriter<T>)>,
    /// The checksum of a complete output.
    sha256: String,
    /// The place to continue from; all entries before it are in the output.
    pub(super) place: Place,
}

impl<T: Imported> Output<T> {
    /// Begins the output of an import of inputs with this number of bytes.
    pub(super) fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
        bytes: u64,
        progress: &dyn Progress,
    ) -> Result<Self, SourceError> {
        let mut writer = match RecordWriter::<T>::begin(path, provenance, existing)? {
            Begin::Writer(writer) => writer,
            Begin::Done(done) => {
                // The inputs are read once more, to report their content.
                let place = Place { bytes, ..Place::default() };
                return Ok(Self { writer: None, sha256: done.sha256, place });
            }
        };
        progress.warn(writer.warning());
        let (checkpoint, places) = Checkpoint::open(path, provenance, existing)?;
        progress.warn(checkpoint.warning());
        // A place that cannot be read costs only reading some of the inputs again.
        let places =
            places.iter().filter_map(|place| serde_json::from_slice::<Place>(&place.content).ok());
        let fits = |place: &Place| place.is_after(&writer, bytes);
        let place = places.rev().find(fits).unwrap_or_default();
        // Frames after the place are foreign, or are about to be written again.
        progress.warn(writer.keep_frames(place.frames::<T>())?);
        let writer = Some((checkpoint, writer));
        Ok(Self { writer, sha256: String::new(), place })
    }

    /// Takes the next entry of the inputs: a record, or a refused one.
    pub(super) fn take(&mut self, entry: Option<T>, bytes: u64) -> Result<(), SourceError> {
        self.place.entries += 1;
        self.place.bytes += bytes;
        let Some(record) = entry else {
            self.place.summary.rejected += 1;
            return Ok(());
        };
        record.count(&mut self.place.summary);
        self.place.records += 1;
        let Some((checkpoint, writer)) = &mut self.writer else { return Ok(()) };
        writer.push(record)?;
        if self.place.records.is_multiple_of(T::PER_FRAME as u64) {
            self.place.content = writer.content_sha256();
            // A place is a plain record of numbers and texts.
            let place = serde_json::to_vec(&self.place).unwrap_or_default();
            checkpoint.record("place", &place)?;
        }
        Ok(())
    }

    /// Completes the output; `sources` names the inputs.
    pub(super) fn finish(self, sources: &str) -> Result<Summary, SourceError> {
        if self.place.records == 0 {
            return Err(SourceError::nothing(T::NAME, sources));
        }
        let mut summary = self.place.summary;
        summary.sha256 = match self.writer {
            None => self.sha256,
            Some((checkpoint, writer)) => {
                let sha256 = writer.finish()?.sha256;
                checkpoint.remove()?;
                sha256
            }
        };
        Ok(summary)
    }
}
