//! The sum of a position's factor vectors, and the sum's contribution to the value. The type
//! parameter `I: Instructions` selects the instruction set.

#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::layout::{CacheLine, MARGIN};
use super::steps_of_sum;
use super::sum::Middles;
use crate::pattern::{Indices, LANES};
#[cfg(target_arch = "x86_64")]
use crate::simd::InstructionSet;
use crate::simd::Instructions;

/// The indices of a position's factor vectors in a table. Index 0 means the table's element
/// `MARGIN`. An index of a pattern instance is the sum of its elements in `middles` and `indices`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<'a> {
    pub(super) middles: &'a Middles,
    pub(super) indices: &'a Indices,
    pub(super) scalars: &'a [u32],
}

impl Places<'_> {
    /// Returns, for each lane (pattern instance), the index of its factor vector.
    #[inline]
    pub(super) fn lanes(&self) -> [i32; LANES] {
        let (middles, indices) = (&self.middles.of.0, &self.indices.0);
        std::array::from_fn(|lane| middles[lane].cast_signed() + i32::from(indices[lane]))
    }
}

/// Returns the contribution of the factor vectors at `places` to a value, in steps of 1/32 disc.
#[inline(always)]
pub(super) fn steps<I: Instructions>(
    set: I,
    dimensions: usize,
    vectors: &[CacheLine],
    places: Places<'_>,
) -> i32 {
    match dimensions {
        8 => steps_of::<I, 8>(set, vectors, places),
        16 => steps_of::<I, 16>(set, vectors, places),
        32 => steps_of::<I, 32>(set, vectors, places),
        64 => steps_of::<I, 64>(set, vectors, places),
        _ => steps_of::<I, 128>(set, vectors, places),
    }
}

#[inline(always)]
fn steps_of<I: Instructions, const DIMENSIONS: usize>(
    set: I,
    vectors: &[CacheLine],
    places: Places<'_>,
) -> i32 {
    let (vectors, _) = bytemuck::cast_slice::<CacheLine, i8>(vectors).as_chunks();
    steps_of_sum(&sum::<I, DIMENSIONS>(set, vectors, places))
}

/// Returns the sum of the factor vectors at `places`, where an index i means `vectors[MARGIN + i]`.
///
/// # Panics
/// If `vectors` has fewer than m + 2 · `MARGIN` elements, where m is the greatest number in the
/// `middles` and `scalars` of `places`.
#[inline(always)]
fn sum<I: Instructions, const DIMENSIONS: usize>(
    _: I,
    vectors: &[[i8; DIMENSIONS]],
    places: Places<'_>,
) -> [i16; DIMENSIONS] {
    match I::SET {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 | InstructionSet::Avx2 => {
            let scalars = places.scalars.iter();
            let greatest = scalars.fold(places.middles.greatest, |a, &b| a.max(b)) as usize;
            assert!(greatest + 2 * MARGIN <= vectors.len());
            let wide = I::SET == InstructionSet::Avx512 && DIMENSIONS.is_multiple_of(x86_64::WIDTH);
            // SAFETY: a token of AVX2 or AVX-512 exists only if the processor has AVX2, and a token
            // of AVX-512 only if the processor has AVX-512. An index is in −32,768..=32,767: added
            // to a middle, it stays within the margins.
            unsafe {
                if wide {
                    x86_64::sum_avx512(vectors, places)
                } else {
                    x86_64::sum_avx2(vectors, places)
                }
            }
        }
        _ => portable(vectors, places),
    }
}

#[inline]
fn portable<const DIMENSIONS: usize>(
    vectors: &[[i8; DIMENSIONS]],
    places: Places<'_>,
) -> [i16; DIMENSIONS] {
    let mut sum = [0i16; DIMENSIONS];
    let mut add = |place: usize| {
        let vector = &vectors[MARGIN.wrapping_add(place)];
        sum = std::array::from_fn(|dimension| sum[dimension] + i16::from(vector[dimension]));
    };
    places.lanes().into_iter().for_each(|place| add(place as usize));
    places.scalars.iter().for_each(|&place| add(place as usize));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::sum;
    use crate::random::Generator;
    use crate::simd::AnyInstructions;
    use crate::with_instructions;

    fn agree<const DIMENSIONS: usize>() {
        let mut random = Generator::new(DIMENSIONS as u64);
        let size = 500;
        let vectors: Vec<[i8; DIMENSIONS]> = (0..size + 2 * MARGIN)
            .map(|_| std::array::from_fn(|_| random.next_u64() as i8))
            .collect();
        for _ in 0..500 {
            let (middles, indices) = sum::tests::lanes(&mut random, size);
            let count = random.below(12);
            let scalars: Vec<u32> = (0..count).map(|_| random.below(size as u32)).collect();
            let places = Places { middles: &middles, indices: &indices, scalars: &scalars };
            let mut expected = [0i16; DIMENSIONS];
            let lanes = middles.of.0.iter().zip(&indices.0).map(|(&m, &i)| m as i32 + i32::from(i));
            for place in lanes.chain(scalars.iter().map(|&place| place as i32)) {
                let vector = vectors[(MARGIN as i32 + place) as usize];
                expected.iter_mut().zip(vector).for_each(|(sum, f)| *sum += i16::from(f));
            }
            for any in AnyInstructions::available() {
                let found = with_instructions!(any, |set| sum(set, &vectors, places));
                assert_eq!(found, expected, "{any:?}");
            }
        }
    }

    #[test]
    fn all_instruction_sets_agree_on_any_index() {
        agree::<8>();
        agree::<16>();
        agree::<32>();
        agree::<64>();
        agree::<128>();
    }
}
