//! The last four empty squares, one function for each number of them: fail-soft, discs.
//!
//! Half of all positions of an endgame search lie here, so nothing is looked up or sorted: moves
//! are tried on each empty square, those of quadrants with an odd number of empty squares first.

use super::ordering::quadrant;
use crate::board::{Discs, Position, Square};

/// The score of a position with four empty squares, given with those of odd quadrants first.
#[inline]
pub(super) fn four_empties(
    position: &Position,
    [a, b, c, d]: [Square; 4],
    window: (Discs, Discs),
    nodes: &mut u64,
) -> Discs {
    *nodes += 1;
    let tries = [(a, [b, c, d]), (b, [a, c, d]), (c, [d, a, b]), (d, [c, a, b])];
    best_score(position, tries, window, |child, rest, window| {
        three_empties(child, rest, window, nodes)
    })
}

/// The score of a position with three empty squares.
pub(super) fn three_empties(
    position: &Position,
    [a, b, c]: [Square; 3],
    window: (Discs, Discs),
    nodes: &mut u64,
) -> Discs {
    *nodes += 1;
    // A square alone in its quadrant comes before the two that share one.
    let (a, b, c) = if quadrant(a) == quadrant(b) {
        (c, a, b)
    } else if quadrant(a) == quadrant(c) {
        (b, a, c)
    } else {
        (a, b, c)
    };
    let tries = [(a, [b, c]), (b, [a, c]), (c, [a, b])];
    best_score(position, tries, window, |child, rest, window| {
        two_empties(child, rest, window, nodes)
    })
}

/// The score of a position with two empty squares.
pub(super) fn two_empties(
    position: &Position,
    [a, b]: [Square; 2],
    window: (Discs, Discs),
    nodes: &mut u64,
) -> Discs {
    *nodes += 1;
    let tries = [(a, b), (b, a)];
    best_score(position, tries, window, |child, rest, _| one_empty(child, rest, nodes))
}

/// The score of a position, by the best of the legal ones among `tries` (each a square and what
/// then remains empty), after a pass where the player has none. `score` is asked for the score of
/// the position after a move, in that position's window.
#[inline(always)]
fn best_score<Rest: Copy, const N: usize>(
    position: &Position,
    tries: [(Square, Rest); N],
    (alpha, beta): (Discs, Discs),
    mut score: impl FnMut(&Position, Rest, (Discs, Discs)) -> Discs,
) -> Discs {
    if let Some(best) = best_move(position, tries, (alpha, beta), &mut score) {
        return best;
    }
    match best_move(&position.pass(), tries, (-beta, -alpha), &mut score) {
        Some(best) => -best,
        None => position.score(),
    }
}

/// The score of the best legal move among `tries`.
#[inline(always)]
fn best_move<Rest: Copy, const N: usize>(
    position: &Position,
    tries: [(Square, Rest); N],
    (mut alpha, beta): (Discs, Discs),
    score: &mut impl FnMut(&Position, Rest, (Discs, Discs)) -> Discs,
) -> Option<Discs> {
    let mut best = None;
    for (square, rest) in tries {
        if NEIGHBOURS[square.index()] & position.opponent() == 0 {
            continue;
        }
        let flips = position.flips(square);
        if flips == 0 {
            continue;
        }
        let score = -score(&position.after(square, flips), rest, (-beta, -alpha));
        if best.is_none_or(|best| score > best) {
            best = Some(score);
            if score >= beta {
                break;
            }
            alpha = alpha.max(score);
        }
    }
    best
}

/// The score of a position with one empty square.
#[inline]
pub(super) fn one_empty(position: &Position, square: Square, nodes: &mut u64) -> Discs {
    *nodes += 1;
    let player = position.player();
    // The score if nothing more happened and the empty square were the opponent's.
    let base = 2 * player.count_ones() as Discs - 64;
    let flips = last_flips(player, square);
    if flips != 0 {
        return base + 2 * (flips + 1);
    }
    let replies = last_flips(position.opponent(), square);
    if replies != 0 {
        return base - 2 * replies;
    }
    position.score()
}

/// How many discs a move on the last empty square turns over. The other squares that are not the
/// player's are the opponent's, so each of the four lines is a byte, and its count a table entry.
#[inline]
fn last_flips(player: u64, square: Square) -> Discs {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    /// Gathers the eight bits of a file, each weighted into the top byte.
    const FILE_TO_RANK: u64 = 0x0102_0408_1020_4080;
    let index = square.index() & 63;
    let (file, rank) = (index & 7, index >> 3);
    let lines = &DIAGONALS[index];
    let across = (player >> (8 * rank)) as u8;
    let upright = ((player >> file & FILE_A).wrapping_mul(FILE_TO_RANK) >> 56) as u8;
    let rising = ((player & lines[0]).wrapping_mul(FILE_A) >> 56) as u8;
    let falling = ((player & lines[1]).wrapping_mul(FILE_A) >> 56) as u8;
    let by_file = &LINE_FLIPS[file];
    Discs::from(by_file[usize::from(across)])
        + Discs::from(LINE_FLIPS[rank][usize::from(upright)])
        + Discs::from(by_file[usize::from(rising)])
        + Discs::from(by_file[usize::from(falling)])
}

/// Discs turned over by a move on one place of a line of eight, for each set of the player's
/// places, all others being the opponent's.
static LINE_FLIPS: [[u8; 256]; 8] = {
    let mut flips = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut player = 0;
        while player < 256 {
            let below = player & ((1 << place) - 1);
            let above = player >> (place + 1);
            if below != 0 {
                flips[place][player] += (place - 1 - below.ilog2() as usize) as u8;
            }
            if above != 0 {
                flips[place][player] += above.trailing_zeros() as u8;
            }
            player += 1;
        }
        place += 1;
    }
    flips
};

/// The two diagonals through each square, without it.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut diagonals = [[0; 2]; 64];
    let mut index = 0;
    while index < 64 {
        let (file, rank) = (index as i32 & 7, index as i32 >> 3);
        let mut other = 0;
        while other < 8 {
            let offset = other - file;
            if offset != 0 {
                if 0 <= rank + offset && rank + offset < 8 {
                    diagonals[index][0] |= 1 << ((rank + offset) * 8 + other);
                }
                if 0 <= rank - offset && rank - offset < 8 {
                    diagonals[index][1] |= 1 << ((rank - offset) * 8 + other);
                }
            }
            other += 1;
        }
        index += 1;
    }
    diagonals
};

/// The squares next to each square: without an opponent's disc there, no move is legal.
static NEIGHBOURS: [u64; 64] = {
    let mut neighbours = [0; 64];
    let mut index = 0;
    while index < 64 {
        let bit: u64 = 1 << index;
        let file = index & 7;
        let left = if file > 0 { bit >> 1 } else { 0 };
        let right = if file < 7 { bit << 1 } else { 0 };
        let row = left | bit | right;
        neighbours[index] = (row << 8) | (row >> 8) | left | right;
        index += 1;
    }
    neighbours
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn the_last_move_turns_over_what_the_rules_say() {
        let mut random = Generator::new(3);
        for square in Square::all() {
            for _ in 0..2_000 {
                let player = random.next_u64() & !square.bit();
                let position = Position::new(player, !player & !square.bit()).unwrap();
                assert_eq!(
                    last_flips(player, square),
                    position.flips(square).count_ones() as Discs
                );
            }
        }
    }

    #[test]
    fn no_move_is_legal_without_a_neighbour() {
        let mut random = Generator::new(4);
        for square in Square::all() {
            for _ in 0..2_000 {
                let (a, b) = (random.next_u64(), random.next_u64());
                let position = Position::new(a & !square.bit(), !a & b & !square.bit()).unwrap();
                if position.flips(square) != 0 {
                    assert_ne!(NEIGHBOURS[square.index()] & position.opponent(), 0);
                }
            }
        }
    }
}
