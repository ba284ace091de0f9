//! Computes the digits of 64 lanes by byte shuffles within 16 bytes, one for each quarter of the
//! board.

use std::arch::x86_64::*;

use bytemuck::cast;
use othello_engine::board::Position;
use othello_engine::pattern::LANES;

use super::places::{DIGITS, NOWHERE, NUMBERS, Places};
use super::{InstructionSet, Row};
use crate::model::class::Lane;

/// The number of quarters of a board: a shuffle sees two ranks at once.
pub(super) const QUARTERS: usize = 4;

/// The shuffle tables: for each digit of each number, the byte of each quarter that every lane
/// takes. They exist only where the processor has AVX-512BW.
#[derive(Clone, Debug)]
pub(super) struct Shuffles {
    digits: [Vec<[Bytes; QUARTERS]>; NUMBERS],
    fold: Fold,
}

/// The tables that turn the four numbers into parameters.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    low_stride: [Words; 2],
    high_stride: [Words; 2],
    first_parameter: [[u32; 16]; 4],
}

pub(super) type Bytes = [u8; LANES];
type Words = [u16; 32];

impl Shuffles {
    /// Creates the tables; `None` if the processor lacks the instructions.
    pub(super) fn new(lanes: &[Lane]) -> Option<Self> {
        if !InstructionSet::Avx512Bw.is_available() {
            return None;
        }
        let places = Places::new(lanes, 4);
        let quarters = |squares: &Bytes| std::array::from_fn(|q| squares.map(|s| in_quarter(s, q)));
        let digits = |digits: &Vec<Bytes>| digits.iter().map(quarters).collect();
        Some(Self { digits: places.squares.each_ref().map(digits), fold: Fold::new(&places) })
    }

    /// Writes the parameters of each position.
    pub(super) fn write(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        // SAFETY: `new` made sure of the instructions.
        unsafe { self.write_rows(positions, rows) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn write_rows(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        for (position, row) in positions.zip(rows) {
            let digits = board_digits(&position);
            let mut quarters = [
                _mm512_shuffle_i32x4::<0b00_00_00_00>(digits, digits),
                _mm512_shuffle_i32x4::<0b01_01_01_01>(digits, digits),
                _mm512_shuffle_i32x4::<0b10_10_10_10>(digits, digits),
                _mm512_shuffle_i32x4::<0b11_11_11_11>(digits, digits),
            ];
            let mut numbers = [_mm512_setzero_si512(); NUMBERS];
            for digit in 0..DIGITS {
                for (number, digits) in numbers.iter_mut().zip(&self.digits) {
                    if let Some(shuffles) = digits.get(digit) {
                        for (&quarter, &shuffle) in quarters.iter().zip(shuffles) {
                            let taken = _mm512_shuffle_epi8(quarter, cast(shuffle));
                            *number = _mm512_add_epi8(*number, taken);
                        }
                    }
                }
                for quarter in &mut quarters {
                    *quarter = tripled(*quarter);
                }
            }
            self.fold.write(numbers, row);
        }
    }
}

/// Returns the byte of a square within a quarter of the board, as shuffles take it; [`NOWHERE`],
/// which makes them give 0, if the square is in another quarter.
pub(super) fn in_quarter(square: u8, quarter: usize) -> u8 {
    let here = square != NOWHERE && usize::from(square / 16) == quarter;
    if here { square % 16 } else { NOWHERE }
}

/// Returns the digit of each square: 1 for the player, 2 for the opponent.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn board_digits(position: &Position) -> __m512i {
    let player = _mm512_maskz_set1_epi8(position.player(), 1);
    _mm512_mask_mov_epi8(player, position.opponent(), _mm512_set1_epi8(2))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn tripled(bytes: __m512i) -> __m512i {
    _mm512_add_epi8(_mm512_add_epi8(bytes, bytes), bytes)
}

impl Fold {
    pub(super) fn new(places: &Places) -> Self {
        Self {
            low_stride: cast(places.low_stride),
            high_stride: cast(places.high_stride),
            first_parameter: cast(places.first_parameter),
        }
    }

    /// Writes the parameters of the lanes with these numbers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn write(&self, [a, b, low, high]: [__m512i; NUMBERS], row: &mut Row) {
        let zero = _mm512_setzero_si512();
        let (x, y) = (_mm512_max_epu8(a, b), _mm512_min_epu8(a, b));
        // Spelled out: closures in generic functions are not always inlined where only this
        // function has the instructions.
        let low_half = [
            _mm512_unpacklo_epi8(x, zero),
            _mm512_unpacklo_epi8(y, zero),
            _mm512_unpacklo_epi8(low, zero),
            _mm512_unpacklo_epi8(high, zero),
        ];
        let high_half = [
            _mm512_unpackhi_epi8(x, zero),
            _mm512_unpackhi_epi8(y, zero),
            _mm512_unpackhi_epi8(low, zero),
            _mm512_unpackhi_epi8(high, zero),
        ];
        let (first, second) = (self.classes::<0>(low_half), self.classes::<1>(high_half));
        let classes = [
            _mm512_unpacklo_epi16(first, zero),
            _mm512_unpackhi_epi16(first, zero),
            _mm512_unpacklo_epi16(second, zero),
            _mm512_unpackhi_epi16(second, zero),
        ];
        let (parameters, _) = row.0.as_chunks_mut::<16>();
        for (parameters, (class, first)) in
            parameters.iter_mut().zip(classes.iter().zip(&self.first_parameter))
        {
            *parameters = cast(_mm512_add_epi32(*class, cast(*first)));
        }
    }

    /// Computes c·T + x(x + 1)/2 + y for one half of the lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn classes<const HALF: usize>(&self, [x, y, low, high]: [__m512i; NUMBERS]) -> __m512i {
        let one = _mm512_set1_epi16(1);
        let triangle = _mm512_srli_epi16::<1>(_mm512_mullo_epi16(x, _mm512_add_epi16(x, one)));
        let low = _mm512_mullo_epi16(low, cast(self.low_stride[HALF]));
        let high = _mm512_mullo_epi16(high, cast(self.high_stride[HALF]));
        _mm512_add_epi16(_mm512_add_epi16(low, high), _mm512_add_epi16(triangle, y))
    }
}
