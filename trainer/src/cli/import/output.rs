//! The file that an import writes, and how far it had come when it was killed.

use std::path::Path;

use othello_engine::file::{Begin, Checkpoint, Existing, Provenance};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, ScoredPosition};
use serde::{Deserialize, Serialize};

use super::Summary;
use crate::records::record::Record;

/// What can be imported.
pub(super) trait Imported: Record {
    /// Counts it.
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

/// How far an import has come.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct Place {
    /// Entries of all inputs, taken or rejected.
    pub(super) entries: u64,
    /// The bytes that they take.
    pub(super) bytes: u64,
    /// Records taken.
    pub(super) records: u64,
    /// What they amount to.
    pub(super) summary: Summary,
}

/// The output, unless it is complete, and beside it the place in the inputs after each frame.
pub(super) struct Output<T: Imported> {
    writer: Option<(Checkpoint, T::Writer)>,
    /// The checksum of an output that is complete.
    sha256: String,
    resumed: u64,
    /// Where to go on: what is before it is in the output.
    pub(super) place: Place,
}

impl<T: Imported> Output<T> {
    pub(super) fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> anyhow::Result<Self> {
        let writer = match T::begin(path, provenance, existing)? {
            Begin::Writer(writer) => writer,
            Begin::Done(done) => {
                let (sha256, place) = (done.sha256, Place::default());
                return Ok(Self { writer: None, sha256, resumed: u64::MAX, place });
            }
        };
        progress.warn(T::warning(&writer));
        let (checkpoint, places) = Checkpoint::open(path, provenance, existing)?;
        progress.warn(checkpoint.warning());
        let resumed = T::resumed(&writer);
        // A place that cannot be read costs reading some of the inputs again.
        let places =
            places.iter().filter_map(|place| serde_json::from_slice::<Place>(&place.content).ok());
        let place = places.rev().find(|place| place.records <= resumed).unwrap_or_default();
        let writer = Some((checkpoint, writer));
        Ok(Self { writer, sha256: String::new(), resumed, place })
    }

    /// Takes the next entry of the inputs: a record, or one that was rejected.
    pub(super) fn take(&mut self, entry: Option<T>, bytes: u64) -> anyhow::Result<()> {
        self.place.entries += 1;
        self.place.bytes += bytes;
        let Some(record) = entry else {
            self.place.summary.rejected += 1;
            return Ok(());
        };
        record.count(&mut self.place.summary);
        self.place.records += 1;
        let Some((checkpoint, writer)) = &mut self.writer else { return Ok(()) };
        if self.place.records > self.resumed {
            record.push(writer)?;
            if self.place.records.is_multiple_of(T::PER_FRAME as u64) {
                checkpoint.record("place", &serde_json::to_vec(&self.place)?)?;
            }
        }
        Ok(())
    }

    /// Completes the output of what `sources` held.
    pub(super) fn finish(self, sources: &str) -> anyhow::Result<Summary> {
        if self.place.records == 0 {
            anyhow::bail!("no {} in {sources}; nothing is written", T::NAME);
        }
        let mut summary = self.place.summary;
        summary.sha256 = match self.writer {
            None => self.sha256,
            Some((checkpoint, writer)) => {
                let sha256 = T::finish(writer)?.sha256;
                checkpoint.remove()?;
                sha256
            }
        };
        Ok(summary)
    }
}
