//! Extraction of the bits of a board that lie on chosen squares.

#[cfg(target_arch = "x86_64")]
use crate::simd::InstructionSet;
use crate::simd::Instructions;

/// Returns the bits of `board` on the set `squares`, moved in order to the lowest bits (as PEXT).
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
    use crate::simd::AnyInstructions;

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
