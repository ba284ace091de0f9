//! Tables for byte shuffles: for each base-3 digit and each lane (pattern instance), the square of
//! the board whose contents are the digit.
//!
//! The class of an instance is computed from three base-3 numbers: a and b, of mirrored squares,
//! and c, of the other squares (see `class.rs`). A byte stores at most five digits, so a and b take
//! one byte each, and c takes two, c = low + 243·high. Two rounds of interleaving with zeros then
//! widen bytes to 32 bits. Interleaving works within chunks of 16 bytes; the lanes are ordered so
//! that the results are in the order of the instances.

use othello_engine::pattern::{LANES, configurations};

use crate::model::class::Lane;

/// The greatest number of base-3 digits that a byte can store: 3⁵ = 243.
pub(super) const DIGITS: usize = 5;

/// The entry in place of a square's index, for a lane whose base-3 number lacks this digit.
pub(super) const NOWHERE: u8 = 0xFF;

/// A lane computes this many base-3 numbers, in this order: a, b, the five low digits of c, and the
/// other digits of c. The head of this file explains a, b and c.
pub(super) const NUMBERS: usize = 4;

/// The tables with which the class of each pattern instance is computed, for SIMD vectors of one
/// width.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// `squares[n][d][lane]`: a byte lane computes [`NUMBERS`] base-3 numbers; this is the square
    /// from which it takes digit d (0 is the least significant) of number n, or [`NOWHERE`] if this
    /// number has no digit d.
    pub squares: [Vec<[u8; LANES]>; NUMBERS],
    /// For each 16-bit lane, in the order of [`word_of_byte`]: T (see `class.rs`), the factor in
    /// the class of the number that the five low digits of c form.
    pub low_stride: [u16; LANES],
    /// For each 16-bit lane, in the order of [`word_of_byte`]: 243·T (see `class.rs`), the factor
    /// in the class of the number that all higher digits of c form; 0 if c has no more than five
    /// digits.
    pub high_stride: [u16; LANES],
    /// For each instance, the index of its pattern's first parameter.
    pub first_parameter: [u32; LANES],
}

impl Places {
    /// Creates the tables for vectors of `chunks` times 16 bytes.
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

/// Returns the byte lane in which an instance must be placed so that two rounds of interleaving
/// bytes with zeros, each within chunks of 16 bytes, move it to the 32-bit lane `instance`. A
/// vector has `chunks` chunks.
fn byte_of_instance(instance: usize, chunks: usize) -> usize {
    let (vector, within) = (instance / (16 * chunks), instance % (16 * chunks));
    let (result, chunk, element) = (within / (4 * chunks), within / 4 % chunks, within % 4);
    16 * (chunks * vector + chunk) + 4 * result + element
}

/// Returns the index, counted over all vectors, of the 16-bit lane to which byte lane `byte` is
/// widened. A vector of `chunks` chunks of 16 bytes becomes two: the lower 8 bytes of every chunk
/// come first, then the upper 8 bytes of every chunk.
fn word_of_byte(byte: usize, chunks: usize) -> usize {
    let (vector, within) = (byte / (16 * chunks), byte % (16 * chunks));
    let (chunk, half, element) = (within / 16, within / 8 % 2, within % 8);
    16 * chunks * vector + 8 * chunks * half + 8 * chunk + element
}
