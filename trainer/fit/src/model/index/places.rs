//! Byte-shuffle tables: the square of each base-3 digit. A lane computes the class of one instance.
//!
//! A class is computed from three base-3 numbers a, b and c (see `class.rs`). A byte stores at most
//! five digits: c takes two bytes, c = low + 243·high. Two rounds of interleaving with zeros then
//! widen bytes to 32 bits. Interleaving works within chunks of 16 bytes; the lanes are ordered so
//! that the results are in the order of the instances.

use othello_engine::board::Square;
use othello_engine::pattern::{LANES, configurations};

use crate::model::class::Lane;

/// The greatest number of base-3 digits that a byte can store: 3⁵ = 243.
pub(super) const DIGITS: usize = 5;

/// The value in place of a square's index if the number that a lane computes has fewer digits.
pub(super) const NOWHERE: u8 = 0xFF;

/// A lane computes this many base-3 numbers, in this order: a, b, the five low digits of c, and the
/// other digits of c. The head of this file explains a, b and c.
pub(super) const NUMBERS: usize = 4;

/// The lookup tables for the classes of a pattern set, for vectors of one width.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// For each base-3 number and each of its digits, the least significant first: the square from
    /// which each byte lane takes the digit.
    pub squares: [Vec<[u8; LANES]>; NUMBERS],
    /// For each 16-bit lane, in the order of [`word_of_byte`], the number by which the five low
    /// digits of c are multiplied to get the class (T in `class.rs`).
    pub low_stride: [u16; LANES],
    /// Like `low_stride`, but for the other digits of c: 243 T, or 0 if there are none.
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
                set_squares(digits, byte, squares);
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

fn set_squares(digits: &mut Vec<[u8; LANES]>, byte: usize, squares: &[Square]) {
    let length = digits.len().max(squares.len());
    digits.resize(length, [NOWHERE; LANES]);
    for (digit, square) in digits.iter_mut().zip(squares) {
        digit[byte] = square.index() as u8;
    }
}

/// Returns the byte lane of an instance: the one that interleaving moves to the instance's place.
fn byte_of_instance(instance: usize, chunks: usize) -> usize {
    let (vector, within) = (instance / (16 * chunks), instance % (16 * chunks));
    let (result, chunk, element) = (within / (4 * chunks), within / 4 % chunks, within % 4);
    16 * (chunks * vector + chunk) + 4 * result + element
}

/// Returns the 16-bit lane into which a byte lane is widened. The lanes of the lower halves of a
/// vector's chunks come first.
fn word_of_byte(byte: usize, chunks: usize) -> usize {
    let (vector, within) = (byte / (16 * chunks), byte % (16 * chunks));
    let (chunk, half, element) = (within / 16, within / 8 % 2, within % 8);
    16 * chunks * vector + 8 * chunks * half + 8 * chunk + element
}
