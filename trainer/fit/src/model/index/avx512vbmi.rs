//! Computes classes by byte permutes of AVX-512VBMI: each permute reads, for each of the 64 pattern
//! instances (lanes), one square of the instance.

use std::arch::x86_64::*;

use bytemuck::cast;
use othello_engine::board::Position;

use super::avx512bw::{Bytes, Fold, board_digits, tripled};
use super::places::{DIGITS, NOWHERE, NUMBERS, Places};
use super::{InstructionSet, Row};
use crate::model::class::Lane;

/// The lookup tables. A pattern instance (lane) has [`NUMBERS`] base-3 numbers; `digits[n][d]` has,
/// for every lane, the square of digit d of number n. A `Permutes` exists only if the processor has
/// AVX-512VBMI.
#[derive(Clone, Debug)]
pub(super) struct Permutes {
    digits: [Vec<Permute>; NUMBERS],
    fold: Fold,
}

#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Permute {
    squares: Bytes,
    /// A bit mask of the lanes (pattern instances) whose base-3 number has a digit at this place.
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
