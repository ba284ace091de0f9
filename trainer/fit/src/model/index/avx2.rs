//! Computes the digits of twice 32 lanes by byte shuffles within 16 bytes, one for each quarter of
//! the board.

use std::arch::x86_64::*;

use bytemuck::cast;
use othello_engine::board::Position;

use super::avx512bw::{QUARTERS, in_quarter};
use super::places::{DIGITS, NUMBERS, Places};
use super::{InstructionSet, Row};
use crate::model::class::Lane;

/// The number of vectors that hold the 64 lanes.
const VECTORS: usize = 2;

/// The shuffle tables. They exist only where the processor has AVX2.
#[derive(Clone, Debug)]
pub(super) struct Shuffles {
    vectors: [Vector; VECTORS],
}

/// The tables of 32 lanes.
#[derive(Clone, Debug)]
struct Vector {
    /// For each digit of each number, the byte of each quarter that every lane takes.
    digits: [Vec<[Bytes; QUARTERS]>; NUMBERS],
    low_stride: [Words; 2],
    high_stride: [Words; 2],
    first_parameter: [[u32; 8]; 4],
}

type Bytes = [u8; 32];
type Words = [u16; 16];

impl Shuffles {
    /// Creates the tables; `None` if the processor lacks the instructions.
    pub(super) fn new(lanes: &[Lane]) -> Option<Self> {
        if !InstructionSet::Avx2.is_available() {
            return None;
        }
        let places = Places::new(lanes, 2);
        Some(Self { vectors: std::array::from_fn(|number| Vector::new(&places, number)) })
    }

    /// Writes the parameters of each position.
    pub(super) fn write(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        // SAFETY: `new` made sure of the instructions.
        unsafe { self.write_rows(positions, rows) }
    }

    #[target_feature(enable = "avx2")]
    fn write_rows(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        for (position, row) in positions.zip(rows) {
            let quarters = board_digits(&position);
            let (parameters, _) = row.0.as_chunks_mut::<32>();
            for (vector, parameters) in self.vectors.iter().zip(parameters) {
                vector.write(quarters, parameters);
            }
        }
    }
}

/// Returns the digit of each square, 1 for the player, 2 for the opponent; each vector has a
/// quarter of the board in both halves.
#[inline]
#[target_feature(enable = "avx2")]
fn board_digits(position: &Position) -> [__m256i; QUARTERS] {
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

impl Vector {
    fn new(places: &Places, number: usize) -> Self {
        let quarters = |squares: &[u8; 64]| {
            let bytes: [Bytes; VECTORS] = cast(*squares);
            std::array::from_fn(|quarter| bytes[number].map(|square| in_quarter(square, quarter)))
        };
        let (low, high): ([_; VECTORS], [_; VECTORS]) =
            (cast(places.low_stride), cast(places.high_stride));
        let first: [_; VECTORS] = cast(places.first_parameter);
        Self {
            digits: places.squares.each_ref().map(|digits| digits.iter().map(quarters).collect()),
            low_stride: low[number],
            high_stride: high[number],
            first_parameter: first[number],
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn write(&self, mut quarters: [__m256i; QUARTERS], parameters: &mut [u32; 32]) {
        let mut numbers = [_mm256_setzero_si256(); NUMBERS];
        for digit in 0..DIGITS {
            for (number, digits) in numbers.iter_mut().zip(&self.digits) {
                if let Some(shuffles) = digits.get(digit) {
                    for (&quarter, &shuffle) in quarters.iter().zip(shuffles) {
                        let taken = _mm256_shuffle_epi8(quarter, cast(shuffle));
                        *number = _mm256_add_epi8(*number, taken);
                    }
                }
            }
            for quarter in &mut quarters {
                *quarter = _mm256_add_epi8(_mm256_add_epi8(*quarter, *quarter), *quarter);
            }
        }
        self.fold(numbers, parameters);
    }

    /// Writes the parameters of the lanes with these numbers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn fold(&self, [a, b, low, high]: [__m256i; NUMBERS], parameters: &mut [u32; 32]) {
        let zero = _mm256_setzero_si256();
        let (x, y) = (_mm256_max_epu8(a, b), _mm256_min_epu8(a, b));
        // Spelled out: closures in generic functions are not always inlined where only this
        // function has the instructions.
        let low_half = [
            _mm256_unpacklo_epi8(x, zero),
            _mm256_unpacklo_epi8(y, zero),
            _mm256_unpacklo_epi8(low, zero),
            _mm256_unpacklo_epi8(high, zero),
        ];
        let high_half = [
            _mm256_unpackhi_epi8(x, zero),
            _mm256_unpackhi_epi8(y, zero),
            _mm256_unpackhi_epi8(low, zero),
            _mm256_unpackhi_epi8(high, zero),
        ];
        let (first, second) = (self.classes::<0>(low_half), self.classes::<1>(high_half));
        let classes = [
            _mm256_unpacklo_epi16(first, zero),
            _mm256_unpackhi_epi16(first, zero),
            _mm256_unpacklo_epi16(second, zero),
            _mm256_unpackhi_epi16(second, zero),
        ];
        let (parameters, _) = parameters.as_chunks_mut::<8>();
        for (parameters, (class, first)) in
            parameters.iter_mut().zip(classes.iter().zip(&self.first_parameter))
        {
            *parameters = cast(_mm256_add_epi32(*class, cast(*first)));
        }
    }

    /// Computes c·T + x(x + 1)/2 + y for one half of the lanes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn classes<const HALF: usize>(&self, [x, y, low, high]: [__m256i; NUMBERS]) -> __m256i {
        let one = _mm256_set1_epi16(1);
        let triangle = _mm256_srli_epi16::<1>(_mm256_mullo_epi16(x, _mm256_add_epi16(x, one)));
        let low = _mm256_mullo_epi16(low, cast(self.low_stride[HALF]));
        let high = _mm256_mullo_epi16(high, cast(self.high_stride[HALF]));
        _mm256_add_epi16(_mm256_add_epi16(low, high), _mm256_add_epi16(triangle, y))
    }
}
