//! Shards of positions put together.

use std::path::{Path, PathBuf};

use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::progress::Progress;
use othello_engine::record::{
    POSITIONS_PER_FRAME, PositionReader, PositionWriter, RecordError, ScoredPosition, Shard,
};

use super::{Content, MergeError, Merged};

/// The shards of a run of `relabel`.
pub(super) struct PositionShards<'a> {
    /// What the merged file is made from: the same as the file of an undivided run.
    pub(super) provenance: &'a Provenance,
    /// How many positions the run has.
    pub(super) positions: u64,
    /// The files, the first shard first.
    pub(super) files: &'a [(Shard, PathBuf)],
}

impl PositionShards<'_> {
    /// Writes their positions frame by frame.
    pub(super) fn merge(
        &self,
        out: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Merged, MergeError> {
        let summary = match PositionWriter::begin(out, self.provenance, existing)? {
            Begin::Done(summary) => summary,
            Begin::Writer(mut writer) => {
                progress.warn(writer.warning());
                let mut already = writer.resumed_positions();
                progress.begin_stoppable("merge (positions)", already, self.positions);
                self.read(|rows| {
                    progress.check()?;
                    let skipped = already.min(rows.len() as u64);
                    already -= skipped;
                    let new = &rows[skipped as usize..];
                    progress.advance(new.len() as u64);
                    new.iter().try_for_each(|&row| writer.push(row))
                })?;
                writer.finish()?
            }
        };
        let shards = self.files.len() as u64;
        Ok(Merged { shards, content: Content::Positions, positions: self.positions, summary })
    }

    /// Hands the frames of all shards to `take`.
    fn read(
        &self,
        mut take: impl FnMut(Vec<ScoredPosition>) -> Result<(), RecordError>,
    ) -> Result<(), MergeError> {
        for &(shard, ref path) in self.files {
            let frames = shard.frames(self.positions.div_ceil(POSITIONS_PER_FRAME as u64));
            let (expected, mut found) = (frames.end - frames.start, 0);
            let mut reader = PositionReader::open(path)?;
            while let Some(rows) = reader.next_frame()? {
                found += 1;
                if found <= expected {
                    take(rows)?;
                }
            }
            if found != expected {
                return Err(MergeError::Frames { path: path.clone(), shard, found, expected });
            }
        }
        Ok(())
    }
}
