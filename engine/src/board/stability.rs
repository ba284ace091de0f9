//! Discs that no sequence of moves can turn over: a bound on what the other side can still win.

/// For each of the four lines, the shift of a step along it and the squares from which a step up
/// or a step down leaves the board.
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

/// Discs of `player` that can never be turned over; not all of them, but those that follow from
/// full lines, edges and other stable discs.
///
/// A disc is safe along a line that is full, or that ends or has a stable disc of the same side
/// right beside it. Safe along all four lines, it is stable.
pub(crate) fn stable(player: u64, opponent: u64) -> u64 {
    let occupied = player | opponent;
    let safe = LINES.map(|line| full(occupied, line) | line.1 | line.2);
    let mut stable = player & safe[0] & safe[1] & safe[2] & safe[3];
    loop {
        let mut next = player;
        for (safe, (shift, ..)) in safe.iter().zip(LINES) {
            // What wraps around the board ends up where the line ends: safe anyway.
            next &= safe | stable << shift | stable >> shift;
        }
        if next == stable {
            return stable;
        }
        stable = next;
    }
}

/// The squares of a line's full lines.
#[inline]
fn full(occupied: u64, (shift, last_up, last_down): (u32, u64, u64)) -> u64 {
    let (mut up, mut down) = (occupied, occupied);
    let (mut out_up, mut out_down) = (last_up, last_down);
    let mut step = shift;
    for _ in 0..3 {
        // `up`: full from here on for as many steps as looked at, or to the end of the line.
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
    use super::*;
    use crate::board::{Position, Square, Squares};
    use crate::random::Generator;

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
        // A full diagonal alone does not hold a disc.
        assert_eq!(stable(0x0000_0000_0804_0200, 0x8040_2010_0000_0001), 0);
    }

    /// Random games to their end: what was called stable stays.
    #[test]
    fn a_stable_disc_is_never_turned_over() {
        let mut random = Generator::new(8);
        let mut seen = 0;
        for _ in 0..3_000 {
            let mut position = Position::START;
            let (mut ours, mut theirs) = (0, 0);
            while !position.is_over() {
                let moves = position.moves();
                let choice = random.below(moves.count_ones()) as usize;
                position = match Squares(moves).nth(choice) {
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

    /// Line by line, square by square.
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
