//! Computes parameter indices by byte shuffles of AVX-512BW: a vector has a lane for each instance.

use std::arch::x86_64::{
    __m512i as Register, _mm512_add_epi8 as add8, _mm512_add_epi16 as add16,
    _mm512_add_epi32 as add32, _mm512_max_epu8 as max8, _mm512_min_epu8 as min8,
    _mm512_mullo_epi16 as multiply16, _mm512_set1_epi16 as splat16, _mm512_setzero_si512 as zero,
    _mm512_shuffle_epi8 as shuffle, _mm512_srli_epi16 as shift_right16,
    _mm512_unpackhi_epi8 as unpack_high8, _mm512_unpackhi_epi16 as unpack_high16,
    _mm512_unpacklo_epi8 as unpack_low8, _mm512_unpacklo_epi16 as unpack_low16, *,
};

use bytemuck::cast;
use othello_engine::board::Position;

use super::byte_shuffles::{QUARTERS, byte_shuffles};
use super::places::{DIGITS, NOWHERE, NUMBERS, Places};
use super::{InstructionSet, Row};
use crate::model::class::Lane;

byte_shuffles!(Avx512Bw, "avx512f,avx512bw", 1);

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn quarters(position: &Position) -> [Register; QUARTERS] {
    let digits = board_digits(position);
    [
        _mm512_shuffle_i32x4::<0b00_00_00_00>(digits, digits),
        _mm512_shuffle_i32x4::<0b01_01_01_01>(digits, digits),
        _mm512_shuffle_i32x4::<0b10_10_10_10>(digits, digits),
        _mm512_shuffle_i32x4::<0b11_11_11_11>(digits, digits),
    ]
}

/// Returns the digit of each square: 0 empty, 1 player, 2 opponent.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn board_digits(position: &Position) -> Register {
    let player = _mm512_maskz_set1_epi8(position.player(), 1);
    _mm512_mask_mov_epi8(player, position.opponent(), _mm512_set1_epi8(2))
}
