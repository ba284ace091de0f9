//! Finds repeated records by their keys, with limited memory.

use crate::memory::{MemoryError, Sorter, Stored};

pub(super) type Key = [u8; 16];

/// A key, and the number of the record that has it.
pub(super) type Entry = (Key, u64);

impl Stored for Entry {
    const BYTES: u64 = 24;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.0);
        bytes.extend(self.1.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let key = *bytes.split_off(..16)?.first_chunk()?;
        let number = *bytes.split_off(..8)?.first_chunk()?;
        Some((key, u64::from_le_bytes(number)))
    }
}

impl Sorter<Entry> {
    /// Returns the records whose key an earlier record has. All record numbers must be below `end`.
    pub(super) fn repeated(self, end: u64) -> Result<Repeated, MemoryError> {
        let mut repeated = Repeated::none(end);
        self.each(|number, is_repeated| {
            if is_repeated {
                repeated.insert(number);
            }
        })?;
        Ok(repeated)
    }

    /// Returns, for each file, the number of records whose key no earlier record has. `first` has
    /// the number of the first record of each file.
    pub(super) fn distinct(self, first: &[u64]) -> Result<Vec<u64>, MemoryError> {
        let mut distinct = vec![0; first.len()];
        self.each(|number, is_repeated| {
            if !is_repeated {
                distinct[first.partition_point(|&first| first <= number) - 1] += 1;
            }
        })?;
        Ok(distinct)
    }

    /// Calls `take` with each record's number, and with true if an earlier record has its key.
    fn each(self, mut take: impl FnMut(u64, bool)) -> Result<(), MemoryError> {
        let mut last = None;
        for entry in self.sorted()? {
            let (key, number) = entry?;
            take(number, last.replace(key) == Some(key));
        }
        Ok(())
    }
}

/// A set of record numbers, one bit for each.
pub(super) struct Repeated(Vec<u64>);

impl Repeated {
    fn none(end: u64) -> Self {
        Self(vec![0; usize::try_from(end.div_ceil(64)).unwrap_or(usize::MAX)])
    }

    fn insert(&mut self, number: u64) {
        if let Some(bits) = self.0.get_mut((number / 64) as usize) {
            *bits |= 1 << (number % 64);
        }
    }

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
    use crate::memory::MemoryLimit;

    proptest! {
        /// With any memory limit, the repeats must be those that a set of all earlier keys finds.
        #[test]
        fn what_was_met_before_is_repeated_whatever_the_memory(
            count in 2_u64..3000,
            different in 1_u32..2000,
            bytes in prop_oneof![Just(1), 1_u64..200_000],
            seed in any::<u64>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let limit = MemoryLimit { bytes, folder: folder.path().to_owned() };
            let mut keys = Sorter::new(limit.clone());
            let mut others = Sorter::new(limit);
            let (mut random, mut seen, mut expected) = (Generator::new(seed), HashSet::new(), vec![]);
            for number in 0..count {
                let low = u128::from(random.below(different));
                let key = (low.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)).to_be_bytes();
                expected.push(!seen.insert(key));
                keys.push((key, number)).unwrap();
                others.push((key, number)).unwrap();
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
