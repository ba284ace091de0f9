//! Stable discs with 64-bit integers only.

use super::LINES;

/// Returns discs of `player` that can never be flipped. A disc is safe along a line if all squares
/// of the line are occupied, if the disc is at an end of the line, or if its neighbour on the line
/// is a stable disc of the same side. A disc that is safe along all four lines is stable.
pub(super) fn stable(player: u64, opponent: u64) -> u64 {
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
pub(super) fn full(occupied: u64, (shift, last_up, last_down): (u32, u64, u64)) -> u64 {
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
