//! Stable discs by AVX2 vectors and the portable algorithm: a lane for each direction of lines.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm256_add_epi64, _mm256_and_si256, _mm256_castsi256_si128,
    _mm256_load_si256, _mm256_or_si256, _mm256_permute4x64_epi64, _mm256_set_epi64x,
    _mm256_set1_epi64x, _mm256_shuffle_epi32, _mm256_sllv_epi64, _mm256_srlv_epi64,
    _mm256_testz_si256, _mm256_xor_si256,
};

use super::LINES;

#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Lanes([u64; 4]);

/// The squares from which 2^k steps leave the board: `OUT[k][0]` for steps to higher square
/// numbers, `OUT[k][1]` for lower ones. The four lanes are for rows, columns and both diagonals.
static OUT: [[Lanes; 2]; 3] = {
    let mut out = [[Lanes([0; 4]); 2]; 3];
    let mut line = 0;
    while line < 4 {
        let (shift, mut up, mut down) = LINES[line];
        let mut round = 0;
        while round < 3 {
            out[round][0].0[line] = up;
            out[round][1].0[line] = down;
            up |= up >> (shift << round);
            down |= down << (shift << round);
            round += 1;
        }
        line += 1;
    }
    out
};

/// The same vectors as in [`stable_avx2`]: with AVX-512, the compiler joins logical instructions.
#[target_feature(enable = "avx2,avx512f,avx512vl")]
pub(super) fn stable_avx512(player: u64, opponent: u64) -> u64 {
    stable_avx2(player, opponent)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn stable_avx2(player: u64, opponent: u64) -> u64 {
    let [one, eight, seven, nine] = LINES.map(|(shift, ..)| i64::from(shift));
    let neighbour = _mm256_set_epi64x(nine, seven, eight, one);
    let occupied = _mm256_set1_epi64x((player | opponent) as i64);
    let (mut up, mut down, mut step) = (occupied, occupied, neighbour);
    for [out_up, out_down] in &OUT {
        let above = _mm256_or_si256(load(out_up), _mm256_srlv_epi64(up, step));
        let below = _mm256_or_si256(load(out_down), _mm256_sllv_epi64(down, step));
        up = _mm256_and_si256(up, above);
        down = _mm256_and_si256(down, below);
        step = _mm256_add_epi64(step, step);
    }
    let ends = _mm256_or_si256(load(&OUT[0][0]), load(&OUT[0][1]));
    let safe = _mm256_or_si256(_mm256_and_si256(up, down), ends);
    let player = _mm256_set1_epi64x(player as i64);
    let grown = |stable| {
        let up = _mm256_sllv_epi64(stable, neighbour);
        let beside = _mm256_or_si256(up, _mm256_srlv_epi64(stable, neighbour));
        _mm256_and_si256(player, all_lanes(_mm256_or_si256(safe, beside)))
    };
    let mut stable = _mm256_and_si256(player, all_lanes(safe));
    // Mostly, four rounds suffice. A check after each round is slower: its branch is unpredictable.
    loop {
        let before = grown(grown(grown(stable)));
        stable = grown(before);
        let more = _mm256_xor_si256(stable, before);
        if _mm256_testz_si256(more, more) != 0 {
            return _mm_cvtsi128_si64(_mm256_castsi256_si128(stable)) as u64;
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &Lanes) -> __m256i {
    // SAFETY: `Lanes` has the size of the vector, 32 bytes, and its alignment.
    unsafe { _mm256_load_si256((&raw const *lanes).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn all_lanes(lanes: __m256i) -> __m256i {
    let pairs = _mm256_and_si256(lanes, _mm256_permute4x64_epi64::<0b01_00_11_10>(lanes));
    _mm256_and_si256(pairs, _mm256_shuffle_epi32::<0b01_00_11_10>(pairs))
}
