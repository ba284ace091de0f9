//! Symmetries of the board and canonical images of positions, in portable code and in AVX-512.

#[cfg(target_arch = "x86_64")]
mod avx512;

use super::Square;
#[cfg(target_arch = "x86_64")]
use crate::simd::InstructionSet;

#[inline]
pub(super) fn canonical(player: u64, opponent: u64) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::chosen() == InstructionSet::Avx512 && is_x86_feature_detected!("gfni") {
        // SAFETY: the processor has GFNI, as tested, and the chosen instruction set, AVX-512.
        return unsafe { avx512::canonical(player, opponent) };
    }
    portable(player, opponent)
}

fn portable(player: u64, opponent: u64) -> (u64, u64) {
    let (transposed_player, transposed_opponent) = (transpose(player), transpose(opponent));
    let images = [
        (player, opponent),
        (mirror_files(player), mirror_files(opponent)),
        (transposed_player, transposed_opponent),
        (mirror_files(transposed_player), mirror_files(transposed_opponent)),
    ];
    images.into_iter().fold((u64::MAX, u64::MAX), |best, image| {
        best.min(image).min((image.0.swap_bytes(), image.1.swap_bytes()))
    })
}

/// One of the eight symmetries of the board, as a number from 0 to 7. Bit 0 mirrors left and right
/// (a ↔ h), bit 1 mirrors top and bottom (1 ↔ 8), and bit 2 transposes (a2 ↔ b1), in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Returns all eight symmetries, the identity first.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..8).map(Self)
    }

    /// Returns the image of a bitboard under this symmetry.
    #[inline]
    pub const fn bits(self, bits: u64) -> u64 {
        let image = if self.0 & 1 != 0 { mirror_files(bits) } else { bits };
        let image = if self.0 & 2 != 0 { image.swap_bytes() } else { image };
        if self.0 & 4 != 0 { transpose(image) } else { image }
    }

    /// Returns the image of a square under this symmetry.
    #[inline]
    pub fn square(self, square: Square) -> Square {
        Square::lowest(self.bits(square.bit())).unwrap_or(square)
    }
}

const fn mirror_files(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// Mirrors at the diagonal a1–h8 by three delta swaps (Warren, *Hacker's Delight*, 7-3).
const fn transpose(bits: u64) -> u64 {
    let mut x = bits;
    let mut swap = (x ^ (x >> 7)) & 0x00AA_00AA_00AA_00AA;
    x ^= swap ^ (swap << 7);
    swap = (x ^ (x >> 14)) & 0x0000_CCCC_0000_CCCC;
    x ^= swap ^ (swap << 14);
    swap = (x ^ (x >> 28)) & 0x0000_0000_F0F0_F0F0;
    x ^ swap ^ (swap << 28)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Squares;
    use crate::random::Generator;

    #[test]
    fn each_generator_moves_the_squares_it_says() {
        let image = |number: u8, name: &str| Symmetry(number).square(name.parse().unwrap());
        assert_eq!(image(1, "b3").to_string(), "g3");
        assert_eq!(image(2, "b3").to_string(), "b6");
        assert_eq!(image(4, "b3").to_string(), "c2");
    }

    #[test]
    fn the_eight_are_distinct_and_act_square_by_square() {
        let board = 0x8000_0000_0012_4301;
        let mut images: Vec<u64> = Symmetry::all().map(|s| s.bits(board)).collect();
        for (symmetry, &image) in Symmetry::all().zip(&images) {
            let by_square = Squares(board).map(|q| symmetry.square(q).bit()).sum::<u64>();
            assert_eq!(by_square, image);
        }
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), 8);
    }

    /// On some boards, `player` is symmetric, so that some images differ only in `opponent`.
    #[test]
    #[cfg_attr(miri, ignore = "would take hours")]
    fn all_instruction_sets_find_the_smallest_image_of_millions_of_boards() {
        let mut random = Generator::new(4);
        let symmetries: Vec<Symmetry> = Symmetry::all().collect();
        for number in 0..2_000_000 {
            let mut bits = || random.next_u64();
            let (mut player, mut opponent) = (bits() & bits(), bits() & bits());
            if number % 4 == 0 {
                player |= symmetries[number / 4 % 8].bits(player);
            }
            if number % 16 == 0 {
                opponent |= symmetries[number / 128 % 8].bits(opponent);
            }
            let images = symmetries.iter().map(|s| (s.bits(player), s.bits(opponent)));
            let expected = images.min().unwrap();
            assert_eq!(portable(player, opponent), expected);
            assert_eq!(canonical(player, opponent), expected);
        }
    }
}
