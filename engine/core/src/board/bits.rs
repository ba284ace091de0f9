//! The extraction of bits from a board.

/// Returns the bits of `board` on `squares`, moved together in ascending order of the squares.
#[inline]
pub fn extract(board: u64, squares: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: this is compiled only if the whole program is for processors with BMI2.
        unsafe { std::arch::x86_64::_pext_u64(board, squares) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        portable(board, squares)
    }
}

#[allow(dead_code, reason = "where there is an instruction for it, only tests use it")]
fn portable(board: u64, squares: u64) -> u64 {
    let (mut left, mut extracted, mut bit) = (squares, 0, 1);
    while left != 0 {
        if board & left & left.wrapping_neg() != 0 {
            extracted |= bit;
        }
        left &= left - 1;
        bit <<= 1;
    }
    extracted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn bits_keep_their_order() {
        assert_eq!(portable(0b1010_0110, 0b1100_0101), 0b1010);
        let mut random = Generator::new(6);
        for _ in 0..10_000 {
            let (board, squares) = (random.next_u64(), random.next_u64() & random.next_u64());
            assert_eq!(extract(board, squares), portable(board, squares));
        }
        assert_eq!(extract(u64::MAX, u64::MAX), u64::MAX);
    }
}
