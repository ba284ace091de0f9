//! Shuffles all records of files: sorts them by a random number for each, drawn from the seed.
//!
//! Records that do not fit into memory go into a temporary file, in partitions by ranges of random
//! numbers, and each partition is sorted by itself. The order is the same.

use std::path::Path;

use othello_engine::file::Existing;
use othello_engine::progress::Progress;
use othello_engine::random::Generator;
use othello_engine::record::{FrameError, Record, RecordError};
use rayon::prelude::*;

use super::scratch::{NoTemporaryFile, RecordsError, Scratch, notice};
use super::select::{Output, Selected};
use super::sequence::Inputs;
use crate::memory::MemoryLimit;

/// The most bytes of a record in memory while it is sorted: a game with the values of its moves.
const BYTES_PER_RECORD: u64 = 400;
/// The most bytes of a record in the temporary file: a game with the values of its moves.
const BYTES_IN_FILE: u64 = 144;
/// The most partitions. With more, their pieces in the file would be too small to be read at once.
const MOST_PARTITIONS: u64 = 1 << 12;
/// The size of a random number in the temporary file, in bytes.
const KEY_BYTES: usize = 8;

/// Writes all records in a random order drawn from `seed`.
pub fn shuffle<R: Record>(
    limit: &MemoryLimit,
    inputs: &Inputs<R>,
    seed: u64,
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Selected, RecordsError> {
    inputs.check_output(out)?;
    let mut provenance = inputs.provenance("shuffle").with("seed", seed);
    if inputs.are_enumerated() {
        // The shuffled file is a complete enumeration, too.
        provenance = provenance.with("enumerated", true);
    }
    let mut output = Output::<R>::begin(out, &provenance, existing, progress)?;
    let all = inputs.len();
    let title = format!("shuffle ({} read)", R::PLURAL);
    progress.begin_stoppable(&title, if output.is_done() { all } else { 0 }, all);
    if output.is_done() {
        return Ok(output.finish(progress)?);
    }
    let mut partitions = Partitions::new(limit, all);
    if partitions.most_held < all {
        progress.message(&notice(limit, all.saturating_mul(BYTES_IN_FILE)));
    }
    for (number, record) in (0..).zip(inputs.all()) {
        progress.check().map_err(RecordError::from)?;
        partitions.add(Generator::split(seed, number).next_u64(), record?)?;
        progress.advance(1);
    }
    let Partitions { partitions, scratch, .. } = partitions;
    progress.begin_stoppable(&format!("shuffle ({} written)", R::PLURAL), 0, all);
    for partition in partitions {
        for record in partition.in_order(&scratch)? {
            progress.check().map_err(RecordError::from)?;
            output.push(record)?;
            progress.advance(1);
        }
    }
    Ok(output.finish(progress)?)
}

/// All records read so far, by their random numbers.
struct Partitions<R> {
    partitions: Vec<Partition<R>>,
    /// The number of records in memory.
    held: u64,
    /// The largest number of records in memory.
    most_held: u64,
    scratch: Scratch,
}

/// The records of one range of random numbers, in the order in which they were read.
struct Partition<R> {
    held: Vec<(u64, R)>,
    /// The chunks of earlier records in the file.
    chunks: Vec<Chunk>,
}

/// A chunk of records in the temporary file: their random numbers, followed by the bytes of a
/// frame.
struct Chunk {
    place: u64,
    records: usize,
    bytes: usize,
}

impl<R: Record> Partitions<R> {
    fn new(limit: &MemoryLimit, expected: u64) -> Self {
        let fitting = limit.bytes / BYTES_PER_RECORD;
        // A quarter of the memory is for held records and a quarter for one partition; vectors may
        // have twice the capacity.
        let (count, most_held) = match expected <= fitting {
            true => (1, u64::MAX),
            false => {
                let share = (fitting / 4).max(1);
                (expected.div_ceil(share).min(MOST_PARTITIONS), share)
            }
        };
        let empty = || Partition { held: vec![], chunks: vec![] };
        let partitions = (0..count).map(|_| empty()).collect();
        Self { partitions, held: 0, most_held, scratch: Scratch::new(limit.clone()) }
    }

    fn add(&mut self, key: u64, record: R) -> Result<(), NoTemporaryFile> {
        let partition = (u128::from(key) * self.partitions.len() as u128) >> 64;
        self.partitions[partition as usize].held.push((key, record));
        self.held += 1;
        if self.held < self.most_held {
            return Ok(());
        }
        self.spill()
    }

    /// Moves the records in memory to the file.
    fn spill(&mut self) -> Result<(), NoTemporaryFile> {
        // Sixteen partitions at a time, so that their bytes are few beside the records.
        for some in self.partitions.chunks_mut(16) {
            let packed: Vec<Vec<(usize, Vec<u8>)>> =
                some.par_iter_mut().map(Partition::pack).collect();
            for (partition, frames) in some.iter_mut().zip(packed) {
                for (records, frame) in frames {
                    let place = self.scratch.append(&frame)?;
                    partition.chunks.push(Chunk { place, records, bytes: frame.len() });
                }
            }
        }
        self.held = 0;
        Ok(())
    }
}

impl<R: Record> Partition<R> {
    /// Empties memory: returns the held records as chunks of bytes, each with its number of
    /// records.
    fn pack(&mut self) -> Vec<(usize, Vec<u8>)> {
        let mut held = std::mem::take(&mut self.held).into_iter();
        let mut frames = vec![];
        while held.len() > 0 {
            let (keys, records): (Vec<u64>, Vec<R>) = held.by_ref().take(R::PER_FRAME).unzip();
            let keys = keys.into_iter().flat_map(u64::to_le_bytes);
            frames.push((records.len(), keys.chain(R::encode_frame(&records)).collect()));
        }
        frames
    }

    /// Returns all records sorted by random number; equal numbers keep the order in which they were
    /// read.
    fn in_order(self, scratch: &Scratch) -> Result<impl Iterator<Item = R>, NoTemporaryFile> {
        let unpacked = self.chunks.par_iter().map(|chunk| {
            let bytes = scratch.read(chunk.place, chunk.bytes)?;
            unpack(&bytes, chunk.records).map_err(|_| scratch.changed())
        });
        let mut records: Vec<(u64, R)> = vec![];
        for some in unpacked.collect::<Result<Vec<_>, NoTemporaryFile>>()? {
            records.extend(some);
        }
        records.extend(self.held);
        records.par_sort_by_key(|&(key, _)| key);
        Ok(records.into_iter().map(|(_, record)| record))
    }
}

fn unpack<R: Record>(bytes: &[u8], records: usize) -> Result<Vec<(u64, R)>, FrameError> {
    let (keys, frame) = bytes.split_at(records * KEY_BYTES);
    let keys = keys.as_chunks().0.iter().map(|key| u64::from_le_bytes(*key));
    Ok(keys.zip(R::decode_frame(frame)?).collect())
}

#[cfg(test)]
mod tests {
    use othello_engine::progress::Silent;
    use othello_engine::record::Game;

    use super::*;
    use crate::records::testing::{Folder, inputs, random_game};

    /// With memory for all records at once, down to a few at a time.
    #[test]
    fn records_stand_by_their_random_numbers_whatever_the_memory() {
        let folder = Folder::new();
        let games: Vec<Game> = (0..1000).map(|number| random_game(number, 0, 12)).collect();
        let inputs = inputs::<Game>(&folder.write("all.games", &games));
        let shuffled = |held: u64, seed, name: &str| {
            let path = folder.path(name);
            let limit = MemoryLimit::beside(&path, held * BYTES_PER_RECORD);
            shuffle(&limit, &inputs, seed, &path, Existing::Keep, &Silent).unwrap()
        };
        let whole = shuffled(1000, 1, "whole");
        let order: Vec<Game> = folder.read("whole");
        let mut numbers: Vec<u64> = (0..1000).collect();
        numbers.sort_by_key(|&number| Generator::split(1, number).next_u64());
        assert!(order.iter().eq(numbers.iter().map(|&number| &games[number as usize])));
        for held in [999, 150, 4, 0] {
            assert_eq!(shuffled(held, 1, &format!("parts-{held}")), whole);
            assert_eq!(shuffled(held, 1, &format!("parts-{held}")), whole);
        }
        assert_ne!(shuffled(1000, 2, "other").summary.sha256, whole.summary.sha256);
        // A run that was killed after two frames.
        let bytes = folder.bytes("whole");
        std::fs::write(folder.path("killed.partial"), &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(shuffled(150, 1, "killed"), whole);
        assert_eq!(folder.bytes("killed"), bytes);
        // The failed run left nothing behind.
        assert!(!folder.path("whole.partial").exists());
        let nowhere = MemoryLimit { bytes: 1, folder: "/no/such/folder".into() };
        let path = folder.path("nowhere");
        let error = shuffle(&nowhere, &inputs, 1, &path, Existing::Keep, &Silent).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("/no/such/folder") && error.contains("--memory-mb"), "{error}");
    }
}
