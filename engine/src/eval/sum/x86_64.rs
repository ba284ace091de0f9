//! The sum of weights with AVX2 and with AVX-512. Each gather instruction reads the weights of 8 or
//! 16 lanes.

use std::arch::x86_64::*;

use super::Aligned;
use crate::pattern::{Indices, LANES};

/// # Safety
/// For each lane, the four bytes that a gather reads at `start.offset(place)` must be inside the
/// allocation of `start`. Here, `place` is the lane's element of `middles` plus that of `indices`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sum_avx2(start: *const i16, middles: &Aligned, indices: &Indices) -> i32 {
    // SAFETY: eight lanes remain at each iteration, and the arrays are aligned. The caller
    // guarantees that the gathers read inside the allocation.
    unsafe {
        let mut total = _mm256_setzero_si256();
        for lane in (0..LANES).step_by(8) {
            let middle = _mm256_load_si256(middles.0.as_ptr().add(lane).cast());
            let index = _mm_load_si128(indices.0.as_ptr().add(lane).cast());
            let place = _mm256_add_epi32(middle, _mm256_cvtepi16_epi32(index));
            let pairs = _mm256_i32gather_epi32::<2>(start.cast(), place);
            let weights = _mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(pairs));
            total = _mm256_add_epi32(total, weights);
        }
        let upper = _mm256_extracti128_si256::<1>(total);
        let half = _mm_add_epi32(_mm256_castsi256_si128(total), upper);
        let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b00_00_11_10>(half));
        _mm_cvtsi128_si32(_mm_add_epi32(quarter, _mm_shuffle_epi32::<0b01>(quarter)))
    }
}

/// # Safety
/// As for [`sum_avx2`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn sum_avx512(start: *const i16, middles: &Aligned, indices: &Indices) -> i32 {
    // SAFETY: sixteen lanes remain at each iteration, and the arrays are aligned. The caller
    // guarantees that the gathers read inside the allocation.
    unsafe {
        let mut total = _mm512_setzero_si512();
        for lane in (0..LANES).step_by(16) {
            let middle = _mm512_load_si512(middles.0.as_ptr().add(lane).cast());
            let index = _mm256_load_si256(indices.0.as_ptr().add(lane).cast());
            let place = _mm512_add_epi32(middle, _mm512_cvtepi16_epi32(index));
            let pairs = _mm512_i32gather_epi32::<2>(place, start.cast());
            let weights = _mm512_srai_epi32::<16>(_mm512_slli_epi32::<16>(pairs));
            total = _mm512_add_epi32(total, weights);
        }
        _mm512_reduce_add_epi32(total)
    }
}
