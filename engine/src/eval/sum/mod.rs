//! The sum of the weights of a position's pattern instances. Each of 64 SIMD lanes has at most one
//! instance; a lane without an instance adds 0. The type parameter `I: Instructions` selects the
//! instruction set.
//!
//! Weights have 16 bits, to save space in the cache. A gather instruction reads 32 bits from the
//! place of a weight; the upper 16 bits, which belong to the next weight, are discarded.

#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::layout::MARGIN;
use crate::pattern::{Indices, LANES};
#[cfg(target_arch = "x86_64")]
use crate::simd::InstructionSet;
use crate::simd::Instructions;

/// Returns the sum of the weights `tables[start + middle + index]` of all lanes (pattern
/// instances). `tables[start..end]` has the weights of a phase. In it, a lane's middle is the place
/// of configuration 0 (empty squares); its signed index is the position's configuration.
///
/// # Panics
/// If fewer than [`MARGIN`] weights come before `start` or after `end`, or if a middle is not below
/// `end - start`. The margins ensure that no `start + middle + index` is outside `tables`.
#[inline(always)]
pub(super) fn sum<I: Instructions>(
    _: I,
    tables: &[i16],
    start: usize,
    end: usize,
    middles: &Middles,
    indices: &Indices,
) -> i32 {
    assert!(MARGIN <= start && start <= end && end + MARGIN <= tables.len());
    assert!((middles.greatest as usize) < end - start);
    match I::SET {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a token exists only if the processor has the instructions. An index is in
        // −32,768..=32,767: added to a middle, it stays within the margins, and so do the two bytes
        // after the last weight.
        InstructionSet::Avx512 => unsafe {
            x86_64::sum_avx512(tables.as_ptr().add(start), &middles.of, indices)
        },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a token exists only if the processor has AVX2; reads stay within the margins.
        InstructionSet::Avx2 => unsafe {
            x86_64::sum_avx2(tables.as_ptr().add(start), &middles.of, indices)
        },
        _ => portable(tables, start, &middles.of, indices),
    }
}

#[inline]
fn portable(tables: &[i16], start: usize, middles: &Aligned, indices: &Indices) -> i32 {
    let weight = |(&middle, &index): (&u32, &i16)| {
        let around = &tables[start + middle as usize - MARGIN..][..2 * MARGIN];
        i32::from(around[MARGIN.wrapping_add_signed(index.into())])
    };
    middles.0.iter().zip(&indices.0).map(weight).sum()
}

/// For each lane (pattern instance), the index of configuration 0 (all empty) in a phase's weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Middles {
    pub(super) of: Aligned,
    pub(super) greatest: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Aligned(pub(super) [u32; LANES]);

impl Middles {
    pub(super) fn new(of: [u32; LANES]) -> Self {
        Self { of: Aligned(of), greatest: of.into_iter().fold(0, u32::max) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::random::Generator;
    use crate::simd::AnyInstructions;
    use crate::with_instructions;

    pub(in crate::eval) fn lanes(random: &mut Generator, size: usize) -> (Middles, Indices) {
        let middles = Middles::new(std::array::from_fn(|_| random.below(size as u32)));
        let indices = std::array::from_fn(|_| match random.below(8) {
            0 => i16::MIN,
            1 => i16::MAX,
            _ => random.next_u64() as i16,
        });
        (middles, Indices(indices))
    }

    #[test]
    fn all_instruction_sets_agree_on_any_index() {
        let mut random = Generator::new(4);
        let size = 10_000;
        let tables: Vec<i16> =
            (0..2 * MARGIN + 3 * size).map(|_| random.next_u64() as i16).collect();
        for phase in 0..3 {
            let start = MARGIN + phase * size;
            for _ in 0..5_000 {
                let (middles, indices) = lanes(&mut random, size);
                let weight = |(&middle, &index): (&u32, &i16)| {
                    let place = (start + middle as usize).wrapping_add_signed(index.into());
                    i32::from(tables[place])
                };
                let expected: i32 = middles.of.0.iter().zip(&indices.0).map(weight).sum();
                for any in AnyInstructions::available() {
                    let found = with_instructions!(any, |set| {
                        sum(set, &tables, start, start + size, &middles, &indices)
                    });
                    assert_eq!(found, expected, "{any:?}");
                }
            }
        }
    }
}
