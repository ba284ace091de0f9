#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
use crate::simd::InstructionSet;
use crate::simd::Instructions;

#[inline(always)]
pub(super) fn stable<I: Instructions>(_: I, player: u64, opponent: u64) -> u64 {
    match I::SET {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a value of type `I` proves that the processor has `I::SET`.
        InstructionSet::Avx512 => unsafe { x86_64::stable_avx512(player, opponent) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        InstructionSet::Avx2 => unsafe { x86_64::stable_avx2(player, opponent) },
        _ => portable(player, opponent),
    }
}

/// For rows, columns and both diagonals: the difference between the numbers of adjacent squares,
/// the squares that end a line at its highest number, and those that end it at its lowest number.
const LINES: [(u32, u64, u64); 4] = {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    const FILE_H: u64 = FILE_A << 7;
    const RANK_1: u64 = 0xFF;
    const RANK_8: u64 = RANK_1 << 56;
    [
        (1, FILE_H, FILE_A),
        (8, RANK_8, RANK_1),
        (7, FILE_A | RANK_8, FILE_H | RANK_1),
        (9, FILE_H | RANK_8, FILE_A | RANK_1),
    ]
};

/// Returns the stable discs of `player`, without SIMD instructions. A disc is stable if each of the
/// four lines through it is full, ends at the disc, or has a stable disc of `player` next to it.
fn portable(player: u64, opponent: u64) -> u64 {
    let occupied = player | opponent;
    let safe = LINES.map(|line| full(occupied, line) | line.1 | line.2);
    let mut stable = player & safe[0] & safe[1] & safe[2] & safe[3];
    loop {
        let mut next = player;
        for (safe, (shift, ..)) in safe.iter().zip(LINES) {
            // Bits that wrap around the board land at the end of a line, which is safe anyway.
            next &= safe | stable << shift | stable >> shift;
        }
        if next == stable {
            return stable;
        }
        stable = next;
    }
}

#[inline]
fn full(occupied: u64, (shift, last_up, last_down): (u32, u64, u64)) -> u64 {
    let (mut up, mut down) = (occupied, occupied);
    let (mut out_up, mut out_down) = (last_up, last_down);
    let mut step = shift;
    for _ in 0..3 {
        // A square is in `up` if `step / shift` consecutive squares of the line, beginning with it,
        // or all squares from it to the line's end are occupied. Each round doubles this number.
        up &= out_up | up >> step;
        down &= out_down | down << step;
        out_up |= out_up >> step;
        out_down |= out_down << step;
        step *= 2;
    }
    up & down
}

#[cfg(test)]
mod tests {
    use super::portable as stable;
    use super::*;
    use crate::board::{Position, Square};
    use crate::random::Generator;
    use crate::simd::AnyInstructions;
    use crate::with_instructions;

    #[test]
    fn corners_full_edges_and_what_they_hold_are_stable() {
        let a1 = Square::at(0, 0).unwrap().bit();
        assert_eq!(stable(a1, 0), a1);
        assert_eq!(stable(0x0303, 0), 0x0103);
        assert_eq!(stable(0x0001_0307, 0), 0x0001_0307);
        assert_eq!(stable(0x7E, 0), 0);
        assert_eq!(stable(0x7E, 0x81), 0x7E);
        assert_eq!(stable(u64::MAX, 0), u64::MAX);
        assert_eq!(stable(0x0000_0000_0000_0200, 0), 0);
        // A full diagonal alone makes no disc stable.
        assert_eq!(stable(0x0000_0000_0804_0200, 0x8040_2010_0000_0001), 0);
    }

    #[test]
    fn a_stable_disc_is_never_turned_over() {
        let mut random = Generator::new(8);
        let mut seen = 0;
        for _ in 0..3_000 {
            let mut position = Position::START;
            let (mut ours, mut theirs) = (0, 0);
            while !position.is_over() {
                position = match random.square_of(position.moves()) {
                    Some(square) => position.play(square).unwrap(),
                    None => position.pass(),
                };
                (ours, theirs) = (theirs, ours);
                assert_eq!(ours & !position.player(), 0, "{position:?}");
                assert_eq!(theirs & !position.opponent(), 0, "{position:?}");
                ours |= stable(position.player(), position.opponent());
                theirs |= stable(position.opponent(), position.player());
                seen += ours.count_ones();
            }
        }
        assert!(seen > 100_000, "{seen}");
    }

    fn agrees_with_the_portable_function<I: Instructions>(set: I) {
        let mut random = Generator::new(10);
        let mut seen = 0;
        for number in 0..2_000_000 {
            let mut bits = || random.next_u64();
            // Stable discs need corners and full lines, so the boards are mostly full.
            let occupied = match number % 4 {
                0 => bits() | bits(),
                1 => bits() | bits() | bits(),
                _ => bits() | bits() | bits() | bits() | bits(),
            };
            let player = (bits() | (bits() & bits())) & occupied;
            let opponent = occupied & !player;
            let expected = stable(player, opponent);
            assert_eq!(super::stable(set, player, opponent), expected);
            seen += expected.count_ones();
        }
        assert!(seen > 1_000_000, "{seen}");
    }

    #[test]
    fn all_instruction_sets_agree_on_millions_of_boards() {
        for any in AnyInstructions::available().skip(1) {
            with_instructions!(any, |set| agrees_with_the_portable_function(set));
        }
    }

    #[test]
    fn full_lines_are_those_without_an_empty_square() {
        let mut random = Generator::new(9);
        for _ in 0..2_000 {
            let mut bits = || random.next_u64();
            let occupied = bits() | bits() | bits();
            for line in LINES {
                for square in Square::all() {
                    let mut ray = square.bit();
                    for _ in 0..7 {
                        ray |= (ray & !line.1) << line.0 | (ray & !line.2) >> line.0;
                    }
                    let expected = occupied & ray == ray;
                    assert_eq!(
                        full(occupied, line) & square.bit() != 0,
                        expected,
                        "{square} {line:?}"
                    );
                }
            }
        }
    }
}
