//! Merges shards of games or of positions.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::progress::Progress;
use othello_engine::record::{
    Game, PackedFrame, Record, RecordError, RecordReader, RecordWriter, ScoredPosition, Shard,
    key_of_moves,
};
use rayon::prelude::*;

use super::{Content, MergeError, Merged};
use crate::memory::MemoryLimit;
use crate::records::repeated::{Key, Keys, Repeated};
use crate::shards::no_shard;

/// A record whose shards can be merged.
pub(super) trait Mergeable: Record {
    /// Returns the key by which an undivided run recognises and drops repeated records; `None` if
    /// it drops none.
    fn key(&self) -> Option<Key>;

    /// Returns the number of positions that the record contributes.
    fn positions(&self) -> u64;

    /// Describes a file of `records` records from a run of `of` records.
    fn content(records: u64, of: u64) -> Content;
}

impl Mergeable for Game {
    fn key(&self) -> Option<Key> {
        Some(key_of_moves(self.squares()))
    }

    fn positions(&self) -> u64 {
        self.positions() as u64
    }

    fn content(games: u64, of: u64) -> Content {
        Content::Games { games, duplicates: of.saturating_sub(games) }
    }
}

impl Mergeable for ScoredPosition {
    fn key(&self) -> Option<Key> {
        None
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
    /// The provenance of the merged file: that of the file of an undivided run.
    provenance: &'a Provenance,
    /// The number of records of the run, including those that are dropped.
    records: u64,
    /// The files in the order of their shards.
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

    /// Writes the records of all shards frame by frame. Compares the frames that an earlier run
    /// wrote.
    pub(super) fn merge(
        &self,
        out: &Path,
        limit: &MemoryLimit,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Merged, MergeError> {
        let (counted, summary) = match RecordWriter::<R>::begin(out, self.provenance, existing)? {
            Begin::Done(summary) => {
                progress.begin(FRAMES, self.frames(), self.frames());
                let (mut reader, mut counted) = (RecordReader::<R>::open(out)?, Counted::default());
                while let Some(frame) = reader.next_frame()? {
                    counted.add(&frame);
                }
                (counted, summary)
            }
            Begin::Writer(mut writer) => {
                progress.warn(writer.warning());
                let counted = match self.drops_duplicates() {
                    false => self.write(&mut writer, None, progress)?,
                    true => {
                        let repeated = self.repeated(limit, progress)?;
                        self.write(&mut writer, Some(&repeated), progress)?
                    }
                };
                progress.warn(writer.end_comparison()?);
                (counted, writer.finish()?)
            }
        };
        let Counted { records, positions } = counted;
        let content = R::content(records, self.records);
        Ok(Merged { shards: self.files.len() as u64, content, positions, summary })
    }

    /// Returns the number of frames of all shards together.
    fn frames(&self) -> u64 {
        self.records.div_ceil(R::PER_FRAME as u64)
    }

    /// Returns true if an undivided run drops games with the moves of earlier ones.
    fn drops_duplicates(&self) -> bool {
        self.provenance.get("command").is_some_and(|command| command == "selfplay")
    }

    /// Finds the records whose key an earlier record has. Numbers count every frame of the run as
    /// full.
    fn repeated(
        &self,
        limit: &MemoryLimit,
        progress: &dyn Progress,
    ) -> Result<Duplicates, MergeError> {
        let end = self.frames().saturating_mul(R::PER_FRAME as u64);
        let least = Repeated::bytes(end).saturating_mul(2);
        if least > limit.bytes {
            return Err(MergeError::Memory {
                records: self.records,
                needed: least.div_ceil(1 << 20),
            });
        }
        let limit = MemoryLimit { bytes: limit.bytes - least / 2, ..limit.clone() };
        if let Some(line) = Keys::notice(&limit, self.records) {
            progress.message(&line);
        }
        progress.begin_stoppable(KEYS, 0, self.frames());
        let keys = Mutex::new((Keys::new(limit.clone()), Counted::default()));
        let read = |&(shard, ref path): &(Shard, PathBuf)| {
            self.read(shard, path, |frame, number, reader| {
                progress.check().map_err(RecordError::from)?;
                let records = reader.unpack(&frame)?;
                let own: Vec<Option<Key>> = records.iter().map(R::key).collect();
                let (keys, counted) = &mut *keys.lock().unwrap_or_else(PoisonError::into_inner);
                counted.add(&records);
                for (number, key) in (number..).zip(own) {
                    key.map_or(Ok(()), |key| keys.add(key, number))?;
                }
                progress.advance(1);
                Ok(())
            })
        };
        self.files.par_iter().try_for_each(read)?;
        let (keys, counted) = keys.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Duplicates { repeated: keys.repeated(end)?, counted })
    }

    /// Writes the frames without the repeated records.
    fn write(
        &self,
        writer: &mut RecordWriter<R>,
        found: Option<&Duplicates>,
        progress: &dyn Progress,
    ) -> Result<Counted, MergeError> {
        let already = writer.resumed_frames() as u64;
        progress.begin_stoppable(FRAMES, already, self.frames());
        writer.compare_from_start();
        let mut counted = found.map_or(Counted::default(), |found| found.counted);
        let mut written = 0;
        for &(shard, ref path) in self.files {
            self.read(shard, path, |frame, number, reader| {
                progress.check().map_err(RecordError::from)?;
                let is_repeated =
                    |number| found.is_some_and(|found| found.repeated.contains(number));
                if !(number..number.saturating_add(frame.records())).any(is_repeated) {
                    // Where records may be dropped, all were already counted by the search for
                    // duplicates.
                    if found.is_none() {
                        counted.add(&reader.unpack(&frame)?);
                    }
                    writer.write_packed_frame(&frame)?;
                } else {
                    let numbered = (number..).zip(reader.unpack(&frame)?);
                    let (dropped, kept): (Vec<_>, Vec<_>) =
                        numbered.partition(|&(number, _)| is_repeated(number));
                    counted.subtract(&records_of(dropped));
                    writer.write_frame(&records_of(kept))?;
                }
                written += 1;
                progress.advance(u64::from(written > already));
                Ok(())
            })?;
        }
        Ok(counted)
    }

    /// Passes on the frames of a shard, each with the number of its first record.
    fn read(
        &self,
        shard: Shard,
        path: &Path,
        mut take: impl FnMut(PackedFrame, u64, &RecordReader<R>) -> Result<(), MergeError>,
    ) -> Result<(), MergeError> {
        let frames = shard.frames(self.frames());
        let (expected, mut found) = (frames.end - frames.start, 0);
        let mut reader = RecordReader::<R>::open(path)?;
        while let Some(frame) = reader.next_packed_frame()? {
            let number = (frames.start + found).saturating_mul(R::PER_FRAME as u64);
            found += 1;
            if frame.records() > R::PER_FRAME as u64 {
                let reason = format!(
                    "frame {found} has {} records, more than a run writes",
                    frame.records()
                );
                return Err(no_shard(path, reason).into());
            }
            if found <= expected {
                take(frame, number, &reader)?;
            }
        }
        if found != expected {
            return Err(MergeError::Frames { path: path.to_owned(), shard, found, expected });
        }
        Ok(())
    }
}

/// The number of records, and of their positions.
#[derive(Clone, Copy, Default)]
struct Counted {
    records: u64,
    positions: u64,
}

impl Counted {
    fn add<R: Mergeable>(&mut self, records: &[R]) {
        self.records += records.len() as u64;
        self.positions += records.iter().map(R::positions).sum::<u64>();
    }

    fn subtract<R: Mergeable>(&mut self, records: &[R]) {
        self.records -= records.len() as u64;
        self.positions -= records.iter().map(R::positions).sum::<u64>();
    }
}

fn records_of<R>(numbered: Vec<(u64, R)>) -> Vec<R> {
    numbered.into_iter().map(|(_, record)| record).collect()
}

/// The result of the search for repeated records.
struct Duplicates {
    repeated: Repeated,
    /// All records, including the repeated ones.
    counted: Counted,
}

/// The name of the search for duplicates in progress messages.
const KEYS: &str = "duplicates (frames)";

/// The name of the writing in progress messages.
const FRAMES: &str = "merge (frames)";
