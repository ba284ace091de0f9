//! Tables for byte shuffles: for each base-3 digit and each lane (pattern instance), the square of
//! the board whose contents (0 to 2) are the digit.
//!
//! Shuffles collect the digits in [`NUMBERS`] bytes a lane, each of at most [`DIGITS`] digits. Two
//! rounds of interleaving with zeros, within chunks of 16 bytes, then widen each byte to 32 bits.
//! Interleaving permutes the lanes; the tables order them so that the results are in the order of
//! the instances.

use othello_engine::pattern::{LANES, configurations};

use crate::model::class::Lane;

/// The greatest number of base-3 digits that a byte can store: 3⁵ = 243.
pub(super) const DIGITS: usize = 5;

/// Marks a digit in [`Places::squares`] that the base-3 number of the pattern instance lacks.
pub(super) const NOWHERE: u8 = 0xFF;

/// A pattern instance has this many base-3 numbers: a (the first squares of its mirrored pairs), b
/// (the second ones), the low five digits of c (the other squares), and c's other digits.
pub(super) const NUMBERS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The pattern instance in byte lane `lane` has [`NUMBERS`] base-3 numbers.
    /// `squares[n][d][lane]` is the index, 0 to 63, of the square whose contents are digit d (0 is
    /// the least significant) of its number n; [`NOWHERE`] if that number has no digit d.
    pub squares: [Vec<[u8; LANES]>; NUMBERS],
    /// By 16-bit lane ([`word_of_byte`]), the multiplier in a class of the third of [`NUMBERS`].
    pub low_stride: [u16; LANES],
    /// By 16-bit lane, the multiplier of the fourth: 3⁵ · `low_stride`, or 0 if it has no digits.
    pub high_stride: [u16; LANES],
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

/// Returns the index of the byte that becomes 32-bit lane `instance` by two rounds of interleaving
/// with zeros, each within the `chunks` 16-byte chunks of a vector.
fn byte_of_instance(instance: usize, chunks: usize) -> usize {
    let (vector, within) = (instance / (16 * chunks), instance % (16 * chunks));
    let (result, chunk, element) = (within / (4 * chunks), within / 4 % chunks, within % 4);
    16 * (chunks * vector + chunk) + 4 * result + element
}

/// Returns the index of the 16-bit lane that byte `byte` becomes when bytes are interleaved with
/// zeros. A vector of `chunks` 16-byte chunks becomes two: one of the lower 8 bytes of every chunk,
/// then one of the upper 8. Indices of bytes and lanes run on from one vector to the next.
fn word_of_byte(byte: usize, chunks: usize) -> usize {
    let (vector, within) = (byte / (16 * chunks), byte % (16 * chunks));
    let (chunk, half, element) = (within / 16, within / 8 % 2, within % 8);
    16 * chunks * vector + 8 * chunks * half + 8 * chunk + element
}
