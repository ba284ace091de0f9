//! Tables for byte shuffles: for each base-3 digit and each lane (pattern instance), the square of
//! the board whose contents are the digit.
//!
//! The class of an instance is computed from three base-3 numbers: a and b, of mirrored squares,
//! and c, of the other squares (see `class.rs`). First, their digits are collected in bytes, at
//! most five in a byte: one byte each for a and b, two for c, c = low + 243·high. Then two rounds
//! of interleaving with zeros widen each byte to 32 bits. This works within chunks of 16 bytes, so
//! the lanes are stored in such an order that the results are in the order of the instances.

use othello_engine::pattern::{LANES, configurations};

use crate::model::class::Lane;

/// The greatest number of base-3 digits that a byte can store: 3⁵ = 243.
pub(super) const DIGITS: usize = 5;

/// In [`Places::squares`]: the number of the pattern instance is too short to have this digit.
pub(super) const NOWHERE: u8 = 0xFF;

/// The number of base-3 numbers of a pattern instance: a, b, the five low digits of c, and the
/// other digits of c, in this order. The head of this file defines a, b and c.
pub(super) const NUMBERS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Places {
    /// `squares[n][d][lane]`: for the pattern instance in a byte lane, the index of the square
    /// whose contents are digit d (0 is the least significant) of its base-3 number n (see
    /// [`NUMBERS`]); [`NOWHERE`] if number n has no digit d in this instance.
    pub squares: [Vec<[u8; LANES]>; NUMBERS],
    /// For each 16-bit lane (see [`word_of_byte`]), the [`Lane::fixed_stride`] of its instance.
    pub low_stride: [u16; LANES],
    /// For each 16-bit lane, the factor of `high` in the class: 3⁵ times `low_stride`. It is 0 if
    /// [`Lane::fixed`] has at most five squares, so that there is no `high`.
    pub high_stride: [u16; LANES],
    /// For each instance, the index of its pattern's first parameter.
    pub first_parameter: [u32; LANES],
}

impl Places {
    /// `chunks` is the number of 16-byte chunks in a vector of the processor.
    pub(super) fn new(lanes: &[Lane], chunks: usize) -> Self {
        let mut places = Self {
            squares: [const { vec![] }; NUMBERS],
            low_stride: [0; LANES],
            high_stride: [0; LANES],
            first_parameter: [0; LANES],
        };
        for (instance, lane) in lanes.iter().enumerate() {
            let byte = byte_of_instance(instance, chunks);
            let (low, high) = lane.fixed.split_at(lane.fixed.len().min(DIGITS));
            let numbers = [lane.first.as_slice(), &lane.second, low, high];
            for (digits, squares) in places.squares.iter_mut().zip(numbers) {
                digits.resize(digits.len().max(squares.len()), [NOWHERE; LANES]);
                for (digit, square) in digits.iter_mut().zip(squares) {
                    digit[byte] = square.index() as u8;
                }
            }
            let word = word_of_byte(byte, chunks);
            places.low_stride[word] = lane.fixed_stride;
            // This is below 2^16: with more than five fixed squares, there are at most two pairs.
            let high_stride = usize::from(lane.fixed_stride) * configurations(DIGITS);
            places.high_stride[word] = if high.is_empty() { 0 } else { high_stride as u16 };
            places.first_parameter[instance] = lane.first_parameter;
        }
        places
    }
}

/// Returns the byte lane that 32-bit lane `instance` comes from: two rounds of interleaving bytes
/// with zeros, within the `chunks` chunks (16 bytes each) of a vector, widen each byte to 32 bits.
fn byte_of_instance(instance: usize, chunks: usize) -> usize {
    let (vector, within) = (instance / (16 * chunks), instance % (16 * chunks));
    let (result, chunk, element) = (within / (4 * chunks), within / 4 % chunks, within % 4);
    16 * (chunks * vector + chunk) + 4 * result + element
}

/// Returns the 16-bit lane to which byte lane `byte` goes when bytes are widened. A vector of
/// `chunks` chunks of 16 bytes becomes two: of the lower 8 bytes of every chunk, then of the upper
/// 8 bytes. Lanes are numbered through all vectors.
fn word_of_byte(byte: usize, chunks: usize) -> usize {
    let (vector, within) = (byte / (16 * chunks), byte % (16 * chunks));
    let (chunk, half, element) = (within / 16, within / 8 % 2, within % 8);
    16 * chunks * vector + 8 * chunks * half + 8 * chunk + element
}
