//! The sum of the weights of a position's 64 lanes: one file for each instruction set, chosen here
//! at compile time.
//!
//! Tables hold 16-bit weights, which take half the cache of 32-bit ones. A gather reads 32 bits;
//! the upper half is the next weight and is shifted out.

#[cfg(all(target_feature = "avx2", not(target_feature = "avx512bw")))]
mod avx2;
#[cfg(target_feature = "avx512bw")]
mod avx512;
#[cfg_attr(target_feature = "avx2", allow(dead_code, reason = "compared with in tests"))]
mod portable;

use super::layout::MARGIN;
use crate::pattern::{Indices, LANES};

/// Returns the sum over all lanes of `tables[start + middle + index]`.
///
/// # Panics
/// If a lane could read outside `tables` with some index: [`MARGIN`] weights must come before
/// `start`, and [`MARGIN`] after `end`.
#[inline]
pub(super) fn sum(
    tables: &[i16],
    start: usize,
    end: usize,
    middles: &Middles,
    indices: &Indices,
) -> i32 {
    assert!(MARGIN <= start && start <= end && end + MARGIN <= tables.len());
    assert!((middles.greatest as usize) < end - start);
    #[cfg(all(target_feature = "avx2", not(target_feature = "avx512bw")))]
    // SAFETY: an index is in −32,768..=32,767: with the middle added, it stays within the margins,
    // and so do the two bytes after the last weight.
    return unsafe { avx2::sum(tables.as_ptr().add(start), &middles.of, indices) };
    #[cfg(target_feature = "avx512bw")]
    // SAFETY: as above.
    return unsafe { avx512::sum(tables.as_ptr().add(start), &middles.of, indices) };
    #[cfg(not(target_feature = "avx2"))]
    portable::sum(tables, start, &middles.of, indices)
}

/// The place of the configuration 0 of each lane's pattern in the table of a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Middles {
    of: Aligned,
    greatest: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Aligned([u32; LANES]);

impl Middles {
    /// Wraps the middles of all lanes.
    pub(super) fn new(of: [u32; LANES]) -> Self {
        Self { of: Aligned(of), greatest: of.into_iter().fold(0, u32::max) }
    }

    /// Returns the middle of each lane.
    #[inline]
    pub(super) fn of(&self) -> &[u32; LANES] {
        &self.of.0
    }

    /// Returns the greatest middle, which bounds the places of unchecked reads.
    #[cfg(target_feature = "avx2")]
    #[inline]
    pub(super) fn greatest(&self) -> u32 {
        self.greatest
    }
}

#[cfg(test)]
#[allow(unused_qualifications, reason = "`portable` may be what was chosen, or not")]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn all_instruction_sets_agree_on_any_index() {
        let mut random = Generator::new(4);
        let size = 10_000;
        let tables: Vec<i16> =
            (0..2 * MARGIN + 3 * size).map(|_| random.next_u64() as i16).collect();
        for phase in 0..3 {
            let start = MARGIN + phase * size;
            for _ in 0..5_000 {
                let middles = std::array::from_fn(|_| random.below(size as u32));
                let middles = Middles::new(middles);
                let indices = Indices(std::array::from_fn(|_| match random.below(8) {
                    0 => i16::MIN,
                    1 => i16::MAX,
                    _ => random.next_u64() as i16,
                }));
                let expected: i32 = (0..LANES)
                    .map(|lane| {
                        let place = (start + middles.of.0[lane] as usize)
                            .wrapping_add_signed(indices.0[lane].into());
                        i32::from(tables[place])
                    })
                    .sum();
                assert_eq!(sum(&tables, start, start + size, &middles, &indices), expected);
                assert_eq!(portable::sum(&tables, start, &middles.of, &indices), expected);
            }
        }
    }
}
