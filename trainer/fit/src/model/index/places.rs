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

/// In [`Places::squares`]: no square, since this base-3 number of the instance has fewer digits.
pub(super) const NOWHERE: u8 = 0xFF;

/// The number of base-3 numbers of a pattern instance, in this order: a and b, of its mirrored
/// squares, the five low digits of c, of its other squares, and the other digits of c.
pub(super) const NUMBERS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Places {
    /// `squares[n][d][lane]`: the index of the square whose contents are digit d (0 is the least
    /// significant) of base-3 number n (see [`NUMBERS`]) of the pattern instance in byte lane
    /// `lane`; [`NOWHERE`] if that number has no digit d.
    pub squares: [Vec<[u8; LANES]>; NUMBERS],
    /// For each 16-bit lane (see [`word_of_byte`]), [`Lane::fixed_stride`] of its pattern instance.
    pub low_stride: [u16; LANES],
    /// For each 16-bit lane, the factor in the class of c's digits after the first five: 3⁵ times
    /// `low_stride`. It is 0 if [`Lane::fixed`] has at most five squares, so c has no such digits.
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

/// Returns the byte lane that ends in 32-bit lane `instance` if bytes are interleaved with zeros
/// twice, within each of the `chunks` chunks (16 bytes) of a vector, to widen them to 32 bits.
fn byte_of_instance(instance: usize, chunks: usize) -> usize {
    let (vector, within) = (instance / (16 * chunks), instance % (16 * chunks));
    let (result, chunk, element) = (within / (4 * chunks), within / 4 % chunks, within % 4);
    16 * (chunks * vector + chunk) + 4 * result + element
}

/// Widening turns a vector of bytes, `chunks` chunks of 16, into two vectors of 16-bit lanes: first
/// the lower 8 bytes of every chunk, then the upper 8. Returns the 16-bit lane of byte lane `byte`;
/// both are counted through all vectors.
fn word_of_byte(byte: usize, chunks: usize) -> usize {
    let (vector, within) = (byte / (16 * chunks), byte % (16 * chunks));
    let (chunk, half, element) = (within / 16, within / 8 % 2, within % 8);
    16 * chunks * vector + 8 * chunks * half + 8 * chunk + element
}
