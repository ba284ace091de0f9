//! The file that an import writes, and how far it had come when it was killed.

use std::path::Path;

use othello_engine::file::{Begin, Checkpoint, Existing, Provenance, Summary as FileSummary};
use othello_engine::progress::Progress;
use othello_engine::record::{
    GAMES_PER_FRAME, Game, GameWriter, POSITIONS_PER_FRAME, PositionWriter, RecordError,
    ScoredPosition,
};
use serde::{Deserialize, Serialize};

use super::Summary;

/// What can be imported: it has files of its own kind.
pub(super) trait Record: Sized {
    /// What it is called.
    const NAME: &str;
    /// How many of them a frame holds.
    const PER_FRAME: usize;
    type Writer;

    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self::Writer>, RecordError>;
    fn resumed(writer: &Self::Writer) -> u64;
    fn warning(writer: &Self::Writer) -> Option<String>;
    fn push(self, writer: &mut Self::Writer) -> Result<(), RecordError>;
    fn finish(writer: Self::Writer) -> Result<FileSummary, RecordError>;

    /// Counts it.
    fn count(&self, summary: &mut Summary);
}

impl Record for Game {
    const NAME: &str = "game";
    const PER_FRAME: usize = GAMES_PER_FRAME;
    type Writer = GameWriter;

    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<GameWriter>, RecordError> {
        GameWriter::begin(path, provenance, existing)
    }

    fn resumed(writer: &GameWriter) -> u64 {
        writer.resumed_games()
    }

    fn warning(writer: &GameWriter) -> Option<String> {
        writer.warning()
    }

    fn push(self, writer: &mut GameWriter) -> Result<(), RecordError> {
        writer.push(self)
    }

    fn finish(writer: GameWriter) -> Result<FileSummary, RecordError> {
        writer.finish()
    }

    fn count(&self, summary: &mut Summary) {
        summary.games += 1;
        summary.positions += self.positions() as u64;
        summary.incomplete += u64::from(self.black_score().is_none());
    }
}

impl Record for ScoredPosition {
    const NAME: &str = "position";
    const PER_FRAME: usize = POSITIONS_PER_FRAME;
    type Writer = PositionWriter;

    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<PositionWriter>, RecordError> {
        PositionWriter::begin(path, provenance, existing)
    }

    fn resumed(writer: &PositionWriter) -> u64 {
        writer.resumed_positions()
    }

    fn warning(writer: &PositionWriter) -> Option<String> {
        writer.warning()
    }

    fn push(self, writer: &mut PositionWriter) -> Result<(), RecordError> {
        writer.push(self)
    }

    fn finish(writer: PositionWriter) -> Result<FileSummary, RecordError> {
        writer.finish()
    }

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
pub(super) struct Output<T: Record> {
    writer: Option<(Checkpoint, T::Writer)>,
    /// The checksum of an output that is complete.
    sha256: String,
    resumed: u64,
    /// Where to go on: what is before it is in the output.
    pub(super) place: Place,
}

impl<T: Record> Output<T> {
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
        let place = places.filter(|place| place.records <= resumed).last().unwrap_or_default();
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

    /// Completes the output.
    pub(super) fn finish(self) -> anyhow::Result<Summary> {
        if self.place.records == 0 {
            anyhow::bail!("no {} in these files; nothing is written", T::NAME);
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
