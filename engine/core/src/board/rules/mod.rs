//! Legal moves, flips, and the number of flips on the last empty square, for each instruction set.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
use crate::simd::InstructionSet;
use crate::simd::Instructions;

pub(super) use portable::last_flips;

#[inline(always)]
pub(super) fn moves<I: Instructions>(_: I, player: u64, opponent: u64) -> u64 {
    match I::SET {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a value of type `I` proves that the processor has `I::SET`, which includes AVX2.
        InstructionSet::Avx512 | InstructionSet::Avx2 => unsafe { x86_64::moves(player, opponent) },
        _ => portable::moves(player, opponent),
    }
}

#[inline(always)]
pub(super) fn flips<I: Instructions>(_: I, player: u64, opponent: u64, square: usize) -> u64 {
    match I::SET {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a value of type `I` proves that the processor has the instructions of `I::SET`.
        InstructionSet::Avx512 => unsafe { x86_64::flips_avx512(player, opponent, square) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a value of type `I` proves that the processor has the instructions of `I::SET`.
        InstructionSet::Avx2 => unsafe { x86_64::flips_avx2(player, opponent, square) },
        _ => portable::flips(player, opponent, square),
    }
}

/// Returns the discs of the player and of the opponent after the player's move on `square`, and the
/// opponent's replies to it.
#[inline(always)]
pub(super) fn play<I: Instructions>(
    set: I,
    player: u64,
    opponent: u64,
    square: usize,
) -> ([u64; 2], u64) {
    match I::SET {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a value of type `I` proves that the processor has the instructions of `I::SET`.
        InstructionSet::Avx512 => unsafe { x86_64::play_avx512(player, opponent, square) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a value of type `I` proves that the processor has the instructions of `I::SET`.
        InstructionSet::Avx2 => unsafe { x86_64::play_avx2(player, opponent, square) },
        _ => {
            let flips = flips(set, player, opponent, square);
            let [player, opponent] = [player ^ flips ^ 1 << (square & 63), opponent ^ flips];
            ([player, opponent], moves(set, opponent, player))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;
    use crate::simd::AnyInstructions;
    use crate::with_instructions;

    fn flips_by_walking(player: u64, opponent: u64, square: i32) -> u64 {
        let mut flips = 0;
        for (file_step, rank_step) in
            [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
        {
            let (mut file, mut rank) = (square % 8 + file_step, square / 8 + rank_step);
            let mut line = 0;
            while (0..8).contains(&file) && (0..8).contains(&rank) {
                let bit = 1u64 << (rank * 8 + file);
                if opponent & bit != 0 {
                    line |= bit;
                } else {
                    if player & bit != 0 {
                        flips |= line;
                    }
                    break;
                }
                file += file_step;
                rank += rank_step;
            }
        }
        flips
    }

    fn random_board(random: &mut Generator) -> (u64, u64) {
        let mut bits = || random.next_u64();
        let mut occupied = bits() | bits();
        match bits() % 4 {
            0 => occupied &= bits(),
            1 => occupied |= bits() | bits() | bits(),
            _ => {}
        }
        let mut player = bits() & occupied;
        if bits() % 2 == 0 {
            player &= bits();
        }
        (player, occupied & !player)
    }

    #[test]
    fn moves_and_flips_are_those_of_the_rules_on_random_boards() {
        let mut random = Generator::new(1);
        for _ in 0..20_000 {
            let (player, opponent) = random_board(&mut random);
            let mut legal = 0;
            for square in (0..64).filter(|q| (player | opponent) >> q & 1 == 0) {
                let expected = flips_by_walking(player, opponent, square);
                assert_eq!(portable::flips(player, opponent, square as usize), expected);
                legal |= u64::from(expected != 0) << square;
            }
            assert_eq!(portable::moves(player, opponent), legal);
        }
    }

    #[test]
    fn the_last_move_turns_over_what_the_rules_say() {
        let mut random = Generator::new(3);
        for square in 0..64 {
            for _ in 0..2_000 {
                let player = random.next_u64() & !(1 << square);
                let expected = portable::flips(player, !player & !(1 << square), square);
                assert_eq!(last_flips(player, square), expected.count_ones());
            }
        }
    }

    fn agrees_with_the_portable_functions<I: Instructions>(set: I) {
        let mut random = Generator::new(2);
        for _ in 0..1_000_000 {
            let (player, opponent) = random_board(&mut random);
            assert_eq!(moves(set, player, opponent), portable::moves(player, opponent));
            for square in crate::board::Squares(!(player | opponent)).step_by(3) {
                let square = square.index();
                let expected = portable::flips(player, opponent, square);
                assert_eq!(flips(set, player, opponent, square), expected);
                let after = [player ^ expected ^ 1 << square, opponent ^ expected];
                let replies = portable::moves(after[1], after[0]);
                assert_eq!(play(set, player, opponent, square), (after, replies));
            }
        }
    }

    #[test]
    fn all_instruction_sets_agree_on_millions_of_boards() {
        for any in AnyInstructions::available().skip(1) {
            with_instructions!(any, |set| agrees_with_the_portable_functions(set));
        }
    }
}
