//! Computes parameter indices by AVX2. Two vectors together have a byte for each pattern instance.

use std::arch::x86_64::{
    __m256i as Register, _mm256_add_epi8 as add8, _mm256_add_epi16 as add16,
    _mm256_add_epi32 as add32, _mm256_max_epu8 as max8, _mm256_min_epu8 as min8,
    _mm256_mullo_epi16 as multiply16, _mm256_set1_epi16 as splat16, _mm256_setzero_si256 as zero,
    _mm256_shuffle_epi8 as shuffle, _mm256_srli_epi16 as shift_right16,
    _mm256_unpackhi_epi8 as unpack_high8, _mm256_unpackhi_epi16 as unpack_high16,
    _mm256_unpacklo_epi8 as unpack_low8, _mm256_unpacklo_epi16 as unpack_low16, *,
};

use bytemuck::cast;
use othello_engine::board::Position;

use super::byte_shuffles::{QUARTERS, byte_shuffles};
use super::places::{DIGITS, NOWHERE, NUMBERS, Places};
use super::{InstructionSet, Row};
use crate::model::class::Lane;

byte_shuffles!(Avx2, "avx2", 2);

/// Returns a vector for each quarter (two ranks) of the board. Each half of a vector (16 bytes) has
/// the contents of all 16 squares of the quarter: 0 empty, 1 player, 2 opponent.
#[inline]
#[target_feature(enable = "avx2")]
fn quarters(position: &Position) -> [__m256i; QUARTERS] {
    let ranks = [0x0101_0101_0101_0101_u64, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303];
    let half = |bits: u64, spread: [u64; 4]| {
        let files = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi64x(bits as i64), cast(spread));
        _mm256_cmpeq_epi8(_mm256_and_si256(bytes, files), files)
    };
    let digits = |spread: [u64; 4]| {
        let player = half(position.player(), spread);
        let opponent = half(position.opponent(), spread);
        let taken = _mm256_add_epi8(player, _mm256_add_epi8(opponent, opponent));
        _mm256_sub_epi8(_mm256_setzero_si256(), taken)
    };
    let low = digits([0, ranks[0], ranks[1], ranks[2]]);
    let high = digits([0, ranks[0], ranks[1], ranks[2]].map(|r| r + 0x0404_0404_0404_0404));
    [
        _mm256_permute2x128_si256::<0x00>(low, low),
        _mm256_permute2x128_si256::<0x11>(low, low),
        _mm256_permute2x128_si256::<0x00>(high, high),
        _mm256_permute2x128_si256::<0x11>(high, high),
    ]
}
