//! Shards of games or of positions put together.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::progress::Progress;
use othello_engine::record::{
    DistinctGames, Game, Record, RecordError, RecordReader, RecordWriter, ScoredPosition, Shard,
};

use super::shards::ShardedCommand;
use super::{Content, MergeError, Merged};

/// A record whose shards can be put together.
pub(super) trait Mergeable: Record {
    /// Whether the record was not met before, where an undivided run drops those that were.
    fn is_new(&self, seen: &mut DistinctGames) -> bool;

    /// How many positions it stands for.
    fn positions(&self) -> u64;

    /// What a file of so many records is, of a run of so many.
    fn content(records: u64, of: u64) -> Content;
}

impl Mergeable for Game {
    fn is_new(&self, seen: &mut DistinctGames) -> bool {
        seen.insert(self.squares())
    }

    fn positions(&self) -> u64 {
        self.positions() as u64
    }

    fn content(games: u64, of: u64) -> Content {
        Content::Games { games, duplicates: of.saturating_sub(games) }
    }
}

impl Mergeable for ScoredPosition {
    fn is_new(&self, _: &mut DistinctGames) -> bool {
        true
    }

    fn positions(&self) -> u64 {
        1
    }

    fn content(_: u64, _: u64) -> Content {
        Content::Positions
    }
}

/// The shards of a run of `selfplay` or `relabel`.
pub(super) struct RecordShards<'a, R> {
    /// What the merged file is made from: the same as the file of an undivided run.
    provenance: &'a Provenance,
    /// How many records the run has, those that are dropped included.
    records: u64,
    /// The files, the first shard first.
    files: &'a [(Shard, PathBuf)],
    kind: PhantomData<R>,
}

impl<'a, R: Mergeable> RecordShards<'a, R> {
    pub(super) fn new(
        provenance: &'a Provenance,
        records: u64,
        files: &'a [(Shard, PathBuf)],
    ) -> Self {
        Self { provenance, records, files, kind: PhantomData }
    }

    /// Writes their records frame by frame. Frames that an earlier run wrote are compared.
    pub(super) fn merge(
        &self,
        out: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Merged, MergeError> {
        let (mut records, mut positions) = (0, 0);
        let mut count = |frame: &[R]| {
            records += frame.len() as u64;
            positions += frame.iter().map(R::positions).sum::<u64>();
        };
        let summary = match RecordWriter::<R>::begin(out, self.provenance, existing)? {
            Begin::Done(summary) => {
                progress.begin(FRAMES, self.frames(), self.frames());
                let mut reader = RecordReader::<R>::open(out)?;
                while let Some(frame) = reader.next_frame()? {
                    count(&frame);
                }
                summary
            }
            Begin::Writer(mut writer) => {
                progress.warn(writer.warning());
                let already = writer.resumed_frames() as u64;
                progress.begin_stoppable(FRAMES, already, self.frames());
                writer.compare_from_start();
                let (mut seen, mut written) = (DistinctGames::default(), 0);
                self.read(|mut frame| {
                    progress.check()?;
                    frame.retain(|record| !self.drops_duplicates() || record.is_new(&mut seen));
                    count(&frame);
                    writer.write_frame(&frame)?;
                    written += 1;
                    progress.advance(u64::from(written > already));
                    Ok(())
                })?;
                progress.warn(writer.end_comparison()?);
                writer.finish()?
            }
        };
        let content = R::content(records, self.records);
        Ok(Merged { shards: self.files.len() as u64, content, positions, summary })
    }

    /// How many frames all shards have together.
    fn frames(&self) -> u64 {
        self.records.div_ceil(R::PER_FRAME as u64)
    }

    /// Whether an undivided run drops games with the moves of earlier ones.
    fn drops_duplicates(&self) -> bool {
        ShardedCommand::of(self.provenance) == Some(ShardedCommand::Selfplay)
    }

    /// Hands the frames of all shards to `take`.
    fn read(
        &self,
        mut take: impl FnMut(Vec<R>) -> Result<(), RecordError>,
    ) -> Result<(), MergeError> {
        for &(shard, ref path) in self.files {
            let frames = shard.frames(self.frames());
            let (expected, mut found) = (frames.end - frames.start, 0);
            let mut reader = RecordReader::<R>::open(path)?;
            while let Some(frame) = reader.next_frame()? {
                found += 1;
                if found <= expected {
                    take(frame)?;
                }
            }
            if found != expected {
                return Err(MergeError::Frames { path: path.clone(), shard, found, expected });
            }
        }
        Ok(())
    }
}

/// How progress calls the work.
const FRAMES: &str = "merge (frames)";
