//! Legal moves, flips and the number of last flips: one file for each instruction set, chosen here
//! at compile time. A choice at run time would cost more than the work itself.
//!
//! The portable functions are always compiled: the others are tested against them.

#[cfg(target_feature = "avx2")]
mod avx2;
#[cfg(all(target_feature = "avx512vl", target_feature = "avx512cd", target_feature = "avx512dq"))]
mod avx512;
#[cfg_attr(target_feature = "avx2", allow(dead_code, reason = "compared with in tests"))]
mod portable;
mod rays;

#[cfg(all(
    target_feature = "avx2",
    not(all(
        target_feature = "avx512vl",
        target_feature = "avx512cd",
        target_feature = "avx512dq"
    ))
))]
pub(super) use avx2::flips;
#[cfg(target_feature = "avx2")]
pub(super) use avx2::moves;
#[cfg(all(
    target_feature = "avx512vl",
    target_feature = "avx512cd",
    target_feature = "avx512dq"
))]
pub(super) use avx512::flips;
pub(super) use portable::last_flips;
#[cfg(not(target_feature = "avx2"))]
pub(super) use portable::{flips, moves};

#[cfg(test)]
#[allow(unused_qualifications, reason = "`portable` may be what was chosen, or not")]
mod tests {
    use super::*;
    use crate::random::Generator;

    /// Finds flips as a person would, square by square.
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

    /// Draws boards of all densities; the two sides never overlap.
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

    /// Tests every file that this build compiles, whichever is chosen.
    #[test]
    fn all_instruction_sets_agree_on_millions_of_boards() {
        let mut random = Generator::new(2);
        for _ in 0..1_000_000 {
            let (player, opponent) = random_board(&mut random);
            assert_eq!(moves(player, opponent), portable::moves(player, opponent));
            for square in crate::board::Squares(!(player | opponent)).step_by(3) {
                let square = square.index();
                let expected = portable::flips(player, opponent, square);
                assert_eq!(flips(player, opponent, square), expected);
                #[cfg(target_feature = "avx2")]
                assert_eq!(avx2::flips(player, opponent, square), expected);
            }
        }
    }
}
