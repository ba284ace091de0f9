//! Tables for computing parameter indices by byte shuffles. Each pattern instance has a byte lane
//! (a byte of a vector). The tables list the squares whose contents are the digits of its base-3
//! numbers.
//!
//! The processor later widens byte lanes to 32 bits by interleaving them with zeros twice, which
//! changes their order. The tables assign instances to byte lanes so that the widened lanes are in
//! the order of the instances.

use othello_engine::pattern::{LANES, configurations};

use crate::model::class::Lane;

/// The greatest number of base-3 digits that a byte can store: 3⁵ = 243.
pub(super) const DIGITS: usize = 5;

/// The value in [`Places::squares`] for a digit that a pattern instance's number does not have.
pub(super) const NOWHERE: u8 = 0xFF;

/// The number of base-3 numbers of a pattern instance: one for the first squares of mirrored pairs,
/// one for the second squares, and two for the other squares (at most five digits each).
pub(super) const NUMBERS: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The square of each digit: `squares[n][d][lane]` is the index, 0 to 63, of the square whose
    /// contents are digit d (0: least significant) of number n of the pattern instance in byte lane
    /// `lane`; [`NOWHERE`] if this number has no digit d.
    pub squares: [Vec<[u8; LANES]>; NUMBERS],
    /// For each 16-bit lane: T in the formula of `class.rs`, the factor of the number that the low
    /// five digits of c form.
    pub low_stride: [u16; LANES],
    /// For each 16-bit lane: 3⁵ · T (see `class.rs`), the factor of the number that the other
    /// digits of c form; 0 if c has at most five digits.
    pub high_stride: [u16; LANES],
    pub first_parameter: [u32; LANES],
}

impl Places {
    /// Creates the tables for a processor whose vectors have `chunks` chunks of 16 bytes.
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

/// Returns the byte lane that a pattern instance must have in order to be in lane `instance` after
/// bytes are widened to 32 bits (see the module). A vector has `chunks` chunks of 16 bytes.
fn byte_of_instance(instance: usize, chunks: usize) -> usize {
    let (vector, within) = (instance / (16 * chunks), instance % (16 * chunks));
    let (result, chunk, element) = (within / (4 * chunks), within / 4 % chunks, within % 4);
    16 * (chunks * vector + chunk) + 4 * result + element
}

/// Returns the 16-bit lane to which byte `byte` moves when a vector is widened to two vectors: the
/// first gets the lower 8 bytes of each 16-byte chunk, the second the upper 8. A vector has
/// `chunks` chunks. Bytes and lanes are numbered through all vectors.
fn word_of_byte(byte: usize, chunks: usize) -> usize {
    let (vector, within) = (byte / (16 * chunks), byte % (16 * chunks));
    let (chunk, half, element) = (within / 16, within / 8 % 2, within % 8);
    16 * chunks * vector + 8 * chunks * half + 8 * chunk + element
}
