//! Legal moves by AVX2, and flips by AVX2 or AVX-512, in vectors of four 64-bit lanes. For moves,
//! one lane has rows, one columns, two diagonals. For flips, one vector has the four ascending rays
//! of a square, another its four descending rays.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi64,
    _mm256_extracti128_si256, _mm256_load_si256, _mm256_lzcnt_epi64, _mm256_maskz_and_epi64,
    _mm256_or_si256, _mm256_permute4x64_epi64, _mm256_set_epi64x, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi32, _mm256_sllv_epi64, _mm256_srlv_epi64,
    _mm256_sub_epi64, _mm256_test_epi64_mask, _mm256_xor_si256,
};

use super::portable::{RAYS, Rays};

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn moves(player: u64, opponent: u64) -> u64 {
    any_lane(move_lanes(all_lanes(player), all_lanes(opponent))) & !(player | opponent)
}

/// Returns the squares next to the ends of rows of `opponent`'s discs that begin at `player`'s.
#[inline]
#[target_feature(enable = "avx2")]
fn move_lanes(player: __m256i, opponent: __m256i) -> __m256i {
    const INNER_FILES: i64 = 0x7E7E_7E7E_7E7E_7E7E;
    let shift = _mm256_set_epi64x(7, 9, 8, 1);
    let twice = _mm256_add_epi64(shift, shift);
    let inner = _mm256_set_epi64x(INNER_FILES, INNER_FILES, -1, INNER_FILES);
    let other = _mm256_and_si256(opponent, inner);

    let mut up = _mm256_and_si256(other, _mm256_sllv_epi64(player, shift));
    let mut down = _mm256_and_si256(other, _mm256_srlv_epi64(player, shift));
    up = _mm256_or_si256(up, _mm256_and_si256(other, _mm256_sllv_epi64(up, shift)));
    down = _mm256_or_si256(down, _mm256_and_si256(other, _mm256_srlv_epi64(down, shift)));
    let pairs_up = _mm256_and_si256(other, _mm256_sllv_epi64(other, shift));
    let pairs_down = _mm256_srlv_epi64(pairs_up, shift);
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));
    up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, twice)));

    _mm256_or_si256(_mm256_sllv_epi64(up, shift), _mm256_srlv_epi64(down, shift))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn flips_avx2(player: u64, opponent: u64, square: usize) -> u64 {
    any_lane(flip_lanes_avx2(all_lanes(player), all_lanes(opponent), square))
}

/// Returns the discs on `player` and `opponent` after a move, and the opponent's replies to it.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn play_avx2(player: u64, opponent: u64, square: usize) -> ([u64; 2], u64) {
    let (player, opponent) = (all_lanes(player), all_lanes(opponent));
    let flips = flip_lanes_avx2(player, opponent, square);
    play(player, opponent, square, flips)
}

#[inline]
#[target_feature(enable = "avx2")]
fn flip_lanes_avx2(player: __m256i, opponent: __m256i, square: usize) -> __m256i {
    let (ascending, descending) = halves(&RAYS[square & 63]);
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

    _mm256_or_si256(up, down)
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

/// Makes a move whose flips are in the lanes of `flips`. They stay in vectors until the replies are
/// known, because moving them to other registers and back takes time.
#[inline]
#[target_feature(enable = "avx2")]
fn play(player: __m256i, opponent: __m256i, square: usize, flips: __m256i) -> ([u64; 2], u64) {
    let pairs = _mm256_or_si256(flips, _mm256_permute4x64_epi64::<0b01_00_11_10>(flips));
    let flips = _mm256_or_si256(pairs, _mm256_shuffle_epi32::<0b01_00_11_10>(pairs));
    let player = _mm256_xor_si256(_mm256_xor_si256(player, all_lanes(1 << (square & 63))), flips);
    let opponent = _mm256_xor_si256(opponent, flips);
    let replies = any_lane(move_lanes(opponent, player));
    let after = [player, opponent];
    let after = after.map(|lanes| _mm_cvtsi128_si64(_mm256_castsi256_si128(lanes)) as u64);
    (after, replies & !(after[0] | after[1]))
}

#[inline]
#[target_feature(enable = "avx2")]
fn all_lanes(bits: u64) -> __m256i {
    _mm256_set1_epi64x(bits as i64)
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
    any_lane(flip_lanes_avx512(all_lanes(player), all_lanes(opponent), square))
}

/// Returns the discs on `player` and `opponent` after a move, and the opponent's replies to it.
#[inline]
#[target_feature(enable = "avx512f,avx512cd,avx512vl")]
pub(super) fn play_avx512(player: u64, opponent: u64, square: usize) -> ([u64; 2], u64) {
    let (player, opponent) = (all_lanes(player), all_lanes(opponent));
    let flips = flip_lanes_avx512(player, opponent, square);
    play(player, opponent, square, flips)
}

#[inline]
#[target_feature(enable = "avx512f,avx512cd,avx512vl")]
fn flip_lanes_avx512(player: __m256i, opponent: __m256i, square: usize) -> __m256i {
    let (ascending, descending) = halves(&RAYS[square & 63]);
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

    _mm256_or_si256(up, down)
}
