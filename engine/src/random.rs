//! Random draws: one named generator, and our own mapping from its bits to ranges, so that the
//! same seed gives the same games on every machine and with every version of every library.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random draws from xoshiro256++ (Blackman and Vigna).
#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The `index`-th of the independent streams that split off a seed, as for one game of many.
    pub fn split(seed: u64, index: u64) -> Self {
        let mut first = Self::new(seed);
        Self::new(first.next_u64() ^ Self::new(index).next_u64().rotate_left(32))
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..bound`, all equally likely to within 2⁻³²; 0 for an empty range. One draw:
    /// the high half of the product of 64 random bits and the bound.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u32
    }

    /// Puts a slice into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let bound = u32::try_from(end + 1).unwrap_or(u32::MAX);
            items.swap(end, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut stream = Generator::new(1);
        assert_eq!(stream.next_u64(), 14_971_601_782_005_023_387);
        let draws: Vec<u32> = (0..8).map(|_| stream.below(60)).collect();
        assert_eq!(draws, GOLDEN_DRAWS);
        assert_eq!(Generator::split(7, 3).next_u64(), GOLDEN_SPLIT);
    }

    const GOLDEN_DRAWS: [u32; 8] = [44, 6, 44, 11, 35, 59, 31, 5];
    const GOLDEN_SPLIT: u64 = 6_150_933_660_122_519_280;

    #[test]
    fn draws_cover_the_range_evenly() {
        let mut stream = Generator::new(9);
        let mut counts = [0u32; 7];
        (0..70_000).for_each(|_| counts[stream.below(7) as usize] += 1);
        assert!(counts.iter().all(|&n| (9_600..10_400).contains(&n)), "{counts:?}");
        assert_eq!(stream.below(0), 0);
    }
}
