//! Flips in AVX-512, by the portable algorithm: one vector for ascending rays, one for descending.

use std::arch::x86_64::{
    _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_lzcnt_epi64,
    _mm256_maskz_and_epi64, _mm256_or_si256, _mm256_set1_epi64x, _mm256_setzero_si256,
    _mm256_srlv_epi64, _mm256_sub_epi64, _mm256_test_epi64_mask,
};

use super::avx2::{any_lane, halves};
use super::portable::RAYS;

#[inline]
#[target_feature(enable = "avx512f,avx512cd,avx512vl")]
pub(super) fn flips(player: u64, opponent: u64, square: usize) -> u64 {
    let rays = &RAYS[square & 63];
    let (ascending, descending) = halves(rays);
    let player = _mm256_set1_epi64x(player as i64);
    let opponent = _mm256_set1_epi64x(opponent as i64);
    let zero = _mm256_setzero_si256();

    // Finds the lowest square of the ray without an opponent's disc, and the squares before it.
    let stops = _mm256_andnot_si256(opponent, ascending);
    let end = _mm256_and_si256(stops, _mm256_sub_epi64(zero, stops));
    let closed = _mm256_test_epi64_mask(end, player);
    let before = _mm256_add_epi64(end, _mm256_set1_epi64x(-1));
    let up = _mm256_maskz_and_epi64(closed, before, ascending);

    // Finds the highest square of the ray without an opponent's disc, and the squares after it.
    let stops = _mm256_andnot_si256(opponent, descending);
    let top = _mm256_set1_epi64x(i64::MIN);
    let end = _mm256_and_si256(_mm256_srlv_epi64(top, _mm256_lzcnt_epi64(stops)), player);
    let after = _mm256_sub_epi64(zero, _mm256_add_epi64(end, end));
    let down = _mm256_and_si256(after, descending);

    any_lane(_mm256_or_si256(up, down))
}
