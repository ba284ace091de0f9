//! Finds repeated records by a key of each, with bounded memory. Keys that do not fit go into a
//! temporary file in partitions, which are then searched one by one.

use rayon::prelude::*;

use super::scratch::{self, NoTemporaryFile, Scratch};
use crate::memory::MemoryLimit;

/// The key of a record; equal records have equal keys.
pub(super) type Key = [u8; 16];

/// A key, and the number of the record that has it.
type Entry = (Key, u64);

/// The size of an entry in bytes, in memory and in the file.
const ENTRY_BYTES: usize = 24;

/// The keys of records, with the records' numbers.
pub(super) struct Keys {
    partitions: Vec<Partition>,
    /// The number of entries in memory.
    held: usize,
    /// The largest number of entries in memory.
    most_held: usize,
    scratch: Scratch,
}

/// The entries of one range of scattered keys.
#[derive(Clone, Default)]
struct Partition {
    held: Vec<Entry>,
    /// The places of the other entries in the file: an offset in bytes and a number of entries
    /// each.
    chunks: Vec<(u64, usize)>,
}

impl Keys {
    /// Creates an empty set of keys; about `expected` will be added.
    pub(super) fn new(limit: MemoryLimit, expected: u64) -> Self {
        // A quarter of the memory is for entries, whose vectors may have twice the capacity;
        // another quarter is for the partition that is searched.
        let share = (limit.bytes / 4).max(1);
        let partitions = expected.saturating_mul(ENTRY_BYTES as u64).div_ceil(share);
        let partitions = partitions.clamp(1, Self::MOST_PARTITIONS) as usize;
        let most_held = usize::try_from(share / ENTRY_BYTES as u64).unwrap_or(usize::MAX).max(1);
        Self {
            partitions: vec![Partition::default(); partitions],
            held: 0,
            most_held,
            scratch: Scratch::new(limit),
        }
    }

    /// The most partitions. With more, their pieces in the file would be too small to be read at
    /// once.
    const MOST_PARTITIONS: u64 = 1 << 12;

    /// Returns the notice before the work if a temporary file will be needed.
    pub(super) fn notice(limit: &MemoryLimit, records: u64) -> Option<String> {
        let bytes = records.saturating_mul(ENTRY_BYTES as u64);
        (bytes > limit.bytes / 4).then(|| scratch::notice(limit, bytes))
    }

    /// Adds the key of a record.
    pub(super) fn add(&mut self, key: Key, number: u64) -> Result<(), NoTemporaryFile> {
        let partition = u128::from(scattered(key)) * self.partitions.len() as u128;
        self.partitions[(partition >> 64) as usize].held.push((key, number));
        self.held += 1;
        if self.held < self.most_held {
            return Ok(());
        }
        self.spill()
    }

    /// Moves the entries in memory to the file.
    fn spill(&mut self) -> Result<(), NoTemporaryFile> {
        let mut bytes = vec![];
        let filled = self.partitions.iter_mut().filter(|partition| !partition.held.is_empty());
        for Partition { held, chunks } in filled {
            bytes.clear();
            for (key, number) in held.iter() {
                bytes.extend(key);
                bytes.extend(number.to_le_bytes());
            }
            chunks.push((self.scratch.append(&bytes)?, held.len()));
            held.clear();
        }
        self.held = 0;
        Ok(())
    }

    /// Returns the numbers of the records whose key a record with a lower number has. All numbers
    /// are below `end`.
    pub(super) fn repeated(self, end: u64) -> Result<Repeated, NoTemporaryFile> {
        let mut repeated = Repeated::none(end);
        self.look_at(|same| same.iter().skip(1).for_each(|&(_, number)| repeated.insert(number)))?;
        Ok(repeated)
    }

    /// Returns for each file the number of records that do not repeat an earlier one. `first` are
    /// the numbers of the files' first records, ascending from 0.
    pub(super) fn distinct(self, first: &[u64]) -> Result<Vec<u64>, NoTemporaryFile> {
        let mut distinct = vec![0; first.len()];
        self.look_at(|same| {
            let number = same.first().map_or(0, |entry| entry.1);
            let file = first.partition_point(|&first| first <= number) - 1;
            distinct[file] += 1;
        })?;
        Ok(distinct)
    }

    /// Passes the entries of each key to `take`, in the order of their numbers.
    fn look_at(self, mut take: impl FnMut(&[Entry])) -> Result<(), NoTemporaryFile> {
        for Partition { held: mut entries, chunks } in self.partitions {
            let length: usize = chunks.iter().map(|chunk| chunk.1).sum();
            entries.reserve_exact(length);
            for (place, count) in chunks {
                let bytes = self.scratch.read(place, count * ENTRY_BYTES)?;
                entries.extend(bytes.as_chunks().0.iter().map(entry));
            }
            entries.par_sort_unstable();
            entries.chunk_by(|one, other| one.0 == other.0).for_each(&mut take);
        }
        Ok(())
    }
}

/// Returns a hash of a key. Keys may be positions, many of which begin with the same bytes.
fn scattered(key: Key) -> u64 {
    let [high, low] = [key.first_chunk::<8>(), key.last_chunk::<8>()]
        .map(|half| half.map_or(0, |half| u64::from_be_bytes(*half)));
    let mixed = (high ^ low.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

fn entry(bytes: &[u8; ENTRY_BYTES]) -> Entry {
    let (mut key, mut number) = ([0; 16], [0; 8]);
    key.copy_from_slice(&bytes[..16]);
    number.copy_from_slice(&bytes[16..]);
    (key, u64::from_le_bytes(number))
}

/// A set of record numbers, one bit for each possible number.
pub(super) struct Repeated(Vec<u64>);

impl Repeated {
    fn none(end: u64) -> Self {
        Self(vec![0; usize::try_from(end.div_ceil(64)).unwrap_or(usize::MAX)])
    }

    /// Returns the size of such a set in bytes.
    pub(super) fn bytes(end: u64) -> u64 {
        end.div_ceil(64).saturating_mul(8)
    }

    fn insert(&mut self, number: u64) {
        if let Some(bits) = self.0.get_mut((number / 64) as usize) {
            *bits |= 1 << (number % 64);
        }
    }

    /// Returns true if the set contains `number`.
    pub(super) fn contains(&self, number: u64) -> bool {
        self.0.get((number / 64) as usize).is_some_and(|bits| bits >> (number % 64) & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use othello_engine::random::Generator;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares with a set of the keys so far: few different keys, spread over the whole range,
        /// with any amount of memory.
        #[test]
        fn what_was_met_before_is_repeated_whatever_the_memory(
            count in 2_u64..3000,
            different in 1_u32..2000,
            bytes in prop_oneof![Just(1), 1_u64..200_000],
            seed in any::<u64>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let limit = MemoryLimit { bytes, folder: folder.path().to_owned() };
            let mut keys = Keys::new(limit.clone(), count);
            let mut others = Keys::new(limit, count * 9);
            let (mut random, mut seen, mut expected) = (Generator::new(seed), HashSet::new(), vec![]);
            for number in 0..count {
                let low = u128::from(random.below(different));
                let key = (low.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)).to_be_bytes();
                expected.push(!seen.insert(key));
                keys.add(key, number).unwrap();
                others.add(key, number).unwrap();
            }
            let halves = [0, count / 2];
            let distinct = others.distinct(&halves).unwrap();
            let repeated = keys.repeated(count).unwrap();
            let found: Vec<bool> = (0..count).map(|number| repeated.contains(number)).collect();
            let (first, second) = expected.split_at(count as usize / 2);
            let new = |expected: &[bool]| expected.iter().filter(|&&repeated| !repeated).count() as u64;
            prop_assert_eq!(distinct, [new(first), new(second)]);
            prop_assert_eq!(found, expected);
        }
    }
}
