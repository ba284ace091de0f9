use std::fmt;
use std::str::FromStr;

#[cfg(target_arch = "x86_64")]
use crate::simd::InstructionSet;
use crate::simd::Instructions;
use crate::text::Invalid;

/// The corners, as a bitboard.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The four X squares, diagonally next to the corners, as a bitboard.
pub const X_SQUARES: u64 = 0x0042_0000_0000_4200;

/// The quarters of the board, as bitboards, in the order of their corners: a1, h1, a8 and h8.
pub const QUADRANTS: [u64; 4] =
    [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// Returns `squares` and all squares next to them in the eight directions, as a bitboard.
#[inline(always)]
pub const fn with_neighbours(squares: u64) -> u64 {
    const NOT_FILE_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
    const NOT_FILE_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let row = squares | (squares << 1 & NOT_FILE_A) | (squares >> 1 & NOT_FILE_H);
    row | row << 8 | row >> 8
}

/// One of the 64 squares: a1 = 0, b1 = 1, …, h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("{}{}", (b'a' + self.0 % 8) as char, self.0 / 8 + 1)]
pub struct Square(u8);

impl Square {
    /// The first square, a corner.
    pub const A1: Self = Self(0);

    /// Returns the square with this number; `None` for 64 and more.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// Returns the square at `file` (0 = a) and `rank` (0 = 1); `None` outside the board.
    pub const fn at(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 { Some(Self(rank * 8 + file)) } else { None }
    }

    /// Returns all squares, a1 to h8.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..64).map(Self)
    }

    /// Returns the number of the square, 0..=63.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the index in [`QUADRANTS`] of the square's quadrant.
    #[inline]
    pub const fn quadrant(self) -> usize {
        self.index() >> 2 & 1 | self.index() >> 4 & 2
    }

    /// Returns the bitboard with only this square set.
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Returns the lowest square of a bitboard; `None` if the bitboard is empty.
    #[inline]
    pub const fn lowest(bits: u64) -> Option<Self> {
        Self::new(bits.trailing_zeros() as u8)
    }

    /// Returns the `n`-th square of a bitboard in ascending order, counted from 0, if there is one.
    #[inline]
    pub fn nth(bits: u64, n: usize) -> Option<Self> {
        Squares(bits).nth(n)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let square = match *text.as_bytes() {
            [file, rank] => {
                Self::at(file.to_ascii_lowercase().wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
            }
            _ => None,
        };
        square.ok_or_else(|| Invalid::not(text, "a square", "a1 to h8"))
    }
}

/// An iterator over the squares of a bitboard, in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct Squares(pub u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Square::lowest(self.0)?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

/// Returns the bits of `board` on `squares`, packed into the lowest bits in order, as PEXT does.
#[inline(always)]
pub fn extract<I: Instructions>(_: I, board: u64, squares: u64) -> u64 {
    match I::SET {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a value of type `I` proves that the processor has `I::SET`, which includes BMI2.
        InstructionSet::Avx512 | InstructionSet::Avx2 => unsafe {
            std::arch::x86_64::_pext_u64(board, squares)
        },
        _ => portable(board, squares),
    }
}

fn portable(board: u64, squares: u64) -> u64 {
    let (mut left, mut extracted, mut bit) = (squares, 0, 1);
    while left != 0 {
        extracted |= if board & left & left.wrapping_neg() != 0 { bit } else { 0 };
        left &= left - 1;
        bit <<= 1;
    }
    extracted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;
    use crate::simd::AnyInstructions;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!("a1".parse::<Square>().unwrap().index(), 0);
        assert_eq!("H1".parse::<Square>().unwrap().index(), 7);
        assert_eq!("h8".parse::<Square>().unwrap().index(), 63);
        for square in Square::all() {
            assert_eq!(square.to_string().parse::<Square>().unwrap(), square);
        }
        for bad in ["", "a", "a0", "a9", "i1", "a11", "é1"] {
            assert!(bad.parse::<Square>().is_err(), "{bad}");
        }
    }

    #[test]
    fn every_square_lies_in_its_quadrant_and_each_quadrant_has_a_corner() {
        for square in Square::all() {
            for (number, quadrant) in QUADRANTS.into_iter().enumerate() {
                assert_eq!(quadrant & square.bit() != 0, number == square.quadrant(), "{square}");
            }
        }
        let corners = Squares(CORNERS).map(|square| (square.to_string(), square.quadrant()));
        let expected = [("a1", 0), ("h1", 1), ("a8", 2), ("h8", 3)];
        assert!(corners.eq(expected.map(|(name, quadrant)| (name.to_owned(), quadrant))));
    }
    #[test]
    fn bits_keep_their_order() {
        assert_eq!(portable(0b1010_0110, 0b1100_0101), 0b1010);
        for any in AnyInstructions::available() {
            let extract =
                |board, squares| crate::with_instructions!(any, |set| extract(set, board, squares));
            let mut random = Generator::new(6);
            for _ in 0..10_000 {
                let (board, squares) = (random.next_u64(), random.next_u64() & random.next_u64());
                assert_eq!(extract(board, squares), portable(board, squares));
            }
            assert_eq!(extract(u64::MAX, u64::MAX), u64::MAX);
        }
    }
}
