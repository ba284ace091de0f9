//! Legal moves in AVX2, and flips in AVX2 or AVX-512, with vectors of four 64-bit lanes. For moves,
//! one lane has rows, one columns, two diagonals. For flips, each lane has one of the eight rays.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_load_si256, _mm256_lzcnt_epi64, _mm256_maskz_and_epi64,
    _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_setzero_si256,
    _mm256_sllv_epi64, _mm256_srlv_epi64, _mm256_sub_epi64, _mm256_test_epi64_mask,
};

use super::portable::{RAYS, Rays};

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn moves(player: u64, opponent: u64) -> u64 {
    const INNER_FILES: i64 = 0x7E7E_7E7E_7E7E_7E7E;
    let shift = _mm256_set_epi64x(7, 9, 8, 1);
    let twice = _mm256_add_epi64(shift, shift);
    let mover = _mm256_set1_epi64x(player as i64);
    let inner = _mm256_set_epi64x(INNER_FILES, INNER_FILES, -1, INNER_FILES);
    let other = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), inner);

    let mut up = _mm256_and_si256(other, _mm256_sllv_epi64(mover, shift));
    let mut down = _mm256_and_si256(other, _mm256_srlv_epi64(mover, shift));
    up = _mm256_or_si256(up, _mm256_and_si256(other, _mm256_sllv_epi64(up, shift)));
    down = _mm256_or_si256(down, _mm256_and_si256(other, _mm256_srlv_epi64(down, shift)));
    let pairs_up = _mm256_and_si256(other, _mm256_sllv_epi64(other, shift));
    let pairs_down = _mm256_srlv_epi64(pairs_up, shift);
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));

    let beyond = _mm256_or_si256(_mm256_sllv_epi64(up, shift), _mm256_srlv_epi64(down, shift));
    any_lane(beyond) & !(player | opponent)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn flips_avx2(player: u64, opponent: u64, square: usize) -> u64 {
    let rays = &RAYS[square & 63];
    let (ascending, descending) = halves(rays);
    let player = _mm256_set1_epi64x(player as i64);
    let opponent = _mm256_set1_epi64x(opponent as i64);
    let zero = _mm256_setzero_si256();

    // Finds the lowest square of the ray without an opponent's disc, and the squares before it.
    let stops = _mm256_andnot_si256(opponent, ascending);
    let end = _mm256_and_si256(stops, _mm256_sub_epi64(zero, stops));
    let open = _mm256_cmpeq_epi64(_mm256_and_si256(end, player), zero);
    let before = _mm256_add_epi64(end, _mm256_set1_epi64x(-1));
    let up = _mm256_andnot_si256(open, _mm256_and_si256(before, ascending));

    // Finds the highest of `stops`: it is not in `below`, the squares lower than some stop.
    let step = _mm256_set_epi64x(9, 8, 7, 1);
    let stops = _mm256_andnot_si256(opponent, descending);
    let mut below = _mm256_srlv_epi64(stops, step);
    below = _mm256_or_si256(below, _mm256_srlv_epi64(below, step));
    let two = _mm256_add_epi64(step, step);
    below = _mm256_or_si256(below, _mm256_srlv_epi64(below, two));
    below = _mm256_or_si256(below, _mm256_srlv_epi64(below, _mm256_add_epi64(two, two)));
    let end = _mm256_and_si256(_mm256_andnot_si256(below, stops), player);
    let after = _mm256_sub_epi64(zero, _mm256_add_epi64(end, end));
    let down = _mm256_and_si256(after, descending);

    any_lane(_mm256_or_si256(up, down))
}

#[inline]
#[target_feature(enable = "avx2")]
fn halves(rays: &Rays) -> (__m256i, __m256i) {
    // SAFETY: each half of `Rays` is an array of four 64-bit words, aligned to 32 bytes.
    unsafe {
        let load = |half: &[u64; 4]| _mm256_load_si256(half.as_ptr().cast());
        (load(&rays.ascending), load(&rays.descending))
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn any_lane(lanes: __m256i) -> u64 {
    let pair = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    _mm_cvtsi128_si64(_mm_or_si128(pair, _mm_unpackhi_epi64(pair, pair))) as u64
}

#[inline]
#[target_feature(enable = "avx512f,avx512cd,avx512vl")]
pub(super) fn flips_avx512(player: u64, opponent: u64, square: usize) -> u64 {
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

    let stops = _mm256_andnot_si256(opponent, descending);
    let top = _mm256_set1_epi64x(i64::MIN);
    let end = _mm256_and_si256(_mm256_srlv_epi64(top, _mm256_lzcnt_epi64(stops)), player);
    let after = _mm256_sub_epi64(zero, _mm256_add_epi64(end, end));
    let down = _mm256_and_si256(after, descending);

    any_lane(_mm256_or_si256(up, down))
}
