//! Computes parameter indices by byte shuffles of AVX-512BW, or by byte permutes of AVX-512VBMI: a
//! vector has a byte for each pattern instance, and a permute reads one square of each instance.

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

/// Returns a byte for each square of the board: 0 empty, 1 player, 2 opponent.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn board_digits(position: &Position) -> Register {
    let player = _mm512_maskz_set1_epi8(position.player(), 1);
    _mm512_mask_mov_epi8(player, position.opponent(), _mm512_set1_epi8(2))
}

/// The byte permutations for computing parameter indices with AVX-512VBMI. A vector has a byte for
/// each pattern instance. `digits[n][d]` fills it with the contents of one square of the instance:
/// digit d (0: lowest) of its base-3 number n (see `places.rs`).
#[derive(Clone, Debug)]
pub(super) struct Permutes {
    digits: [Vec<Permute>; NUMBERS],
    fold: Fold,
}

#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Permute {
    squares: Bytes,
    lanes: u64,
}

impl Permutes {
    pub(super) fn new(lanes: &[Lane]) -> Option<Self> {
        if !InstructionSet::Avx512Vbmi.is_available() {
            return None;
        }
        let places = Places::new(lanes, 4);
        let permute = |squares: &Bytes| {
            let lanes = squares.iter().enumerate().filter(|&(_, &square)| square != NOWHERE);
            Permute { squares: *squares, lanes: lanes.map(|(lane, _)| 1 << lane).sum() }
        };
        let digits = |digits: &Vec<Bytes>| digits.iter().map(permute).collect();
        Some(Self { digits: places.squares.each_ref().map(digits), fold: Fold::new(&places, 0) })
    }

    pub(super) fn write(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        // SAFETY: `new` checked that the processor has the instructions.
        unsafe { self.write_rows(positions, rows) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn write_rows(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        for (position, row) in positions.zip(rows) {
            let mut board = board_digits(&position);
            let mut numbers = [_mm512_setzero_si512(); NUMBERS];
            for digit in 0..DIGITS {
                for (number, permutes) in numbers.iter_mut().zip(&self.digits) {
                    if let Some(Permute { squares, lanes }) = permutes.get(digit) {
                        let taken = _mm512_maskz_permutexvar_epi8(*lanes, cast(*squares), board);
                        *number = _mm512_add_epi8(*number, taken);
                    }
                }
                board = tripled(board);
            }
            let (parameters, _) = row.0.as_chunks_mut();
            self.fold.write(numbers, &mut parameters[0]);
        }
    }
}
