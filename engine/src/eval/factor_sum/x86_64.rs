//! The sum of factor vectors with AVX2 and with AVX-512. An AVX2 instruction adds 16 elements of a
//! vector, or 8 for vectors of 8. An AVX-512 instruction adds 32, so only vectors of 32, 64 or 128
//! elements use AVX-512.

use std::arch::x86_64::*;

use super::Places;
use crate::eval::layout::MARGIN;

const MAX_REGISTERS_AVX2: usize = 8;

/// # Safety
/// For each number m in `middles` and `scalars` of `places`, `vectors` must have the elements m to
/// m + 2 · `MARGIN` − 1. The function reads `vectors[m + x + MARGIN]` for a lane with the middle m
/// and the index x (−`MARGIN` ≤ x < `MARGIN`), and `vectors[m + MARGIN]` for a scalar m.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sum_avx2<const DIMENSIONS: usize>(
    vectors: &[[i8; DIMENSIONS]],
    places: Places<'_>,
) -> [i16; DIMENSIONS] {
    // SAFETY: the caller guarantees that `vectors` contains every vector that is read. Each load
    // reads 8 or 16 bytes inside one vector.
    unsafe {
        let first = vectors.as_ptr().add(MARGIN);
        let mut sums = [_mm256_setzero_si256(); MAX_REGISTERS_AVX2];
        let mut add = |vector: *const [i8; DIMENSIONS]| {
            for (number, sum) in sums.iter_mut().take(DIMENSIONS.div_ceil(16)).enumerate() {
                let part = vector.cast::<i8>().add(16 * number);
                let part = if DIMENSIONS < 16 {
                    _mm_loadl_epi64(part.cast())
                } else {
                    _mm_loadu_si128(part.cast())
                };
                *sum = _mm256_add_epi16(*sum, _mm256_cvtepi8_epi16(part));
            }
        };
        for place in places.lanes() {
            add(first.offset(place as isize));
        }
        for &place in places.scalars {
            add(first.add(place as usize));
        }
        let mut stored = [0i16; 16 * MAX_REGISTERS_AVX2];
        for (number, sum) in sums.into_iter().enumerate() {
            _mm256_storeu_si256(stored.as_mut_ptr().add(16 * number).cast::<__m256i>(), sum);
        }
        std::array::from_fn(|dimension| stored[dimension])
    }
}

pub(super) const WIDTH: usize = 32;

const MAX_REGISTERS_AVX512: usize = 4;

/// # Safety
/// As for [`sum_avx2`]; also, `DIMENSIONS` must be a multiple of [`WIDTH`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn sum_avx512<const DIMENSIONS: usize>(
    vectors: &[[i8; DIMENSIONS]],
    places: Places<'_>,
) -> [i16; DIMENSIONS] {
    // SAFETY: the caller guarantees that `vectors` contains every vector that is read, and that the
    // size of a vector is a multiple of 32 bytes.
    unsafe {
        let first = vectors.as_ptr().add(MARGIN);
        let mut sums = [_mm512_setzero_si512(); MAX_REGISTERS_AVX512];
        let mut add = |vector: *const [i8; DIMENSIONS]| {
            for (number, sum) in sums.iter_mut().take(DIMENSIONS / WIDTH).enumerate() {
                let part = _mm256_loadu_si256(vector.cast::<i8>().add(WIDTH * number).cast());
                *sum = _mm512_add_epi16(*sum, _mm512_cvtepi8_epi16(part));
            }
        };
        for place in places.lanes() {
            add(first.offset(place as isize));
        }
        for &place in places.scalars {
            add(first.add(place as usize));
        }
        let mut stored = [0i16; WIDTH * MAX_REGISTERS_AVX512];
        for (number, sum) in sums.into_iter().enumerate() {
            _mm512_storeu_si512(stored.as_mut_ptr().add(WIDTH * number).cast::<__m512i>(), sum);
        }
        std::array::from_fn(|dimension| stored[dimension])
    }
}
