//! Moves and flips with 64-bit integers only.

use super::rays::RAYS;

/// Returns the legal moves by Kogge-Stone parallel prefixes in all eight directions, as Gunnar
/// Andersson's program Zebra does.
#[inline]
pub(super) fn moves(player: u64, opponent: u64) -> u64 {
    /// The files b to g: no horizontal or diagonal line flips a disc on the files a and h.
    const INNER_FILES: u64 = 0x7E7E_7E7E_7E7E_7E7E;
    let inner = opponent & INNER_FILES;
    let reached = line_moves(player, inner, 1)
        | line_moves(player, opponent, 8)
        | line_moves(player, inner, 7)
        | line_moves(player, inner, 9);
    reached & !(player | opponent)
}

#[inline]
fn line_moves(player: u64, opponent: u64, shift: u32) -> u64 {
    let mut up = opponent & (player << shift);
    let mut down = opponent & (player >> shift);
    up |= opponent & (up << shift);
    down |= opponent & (down >> shift);
    let pairs_up = opponent & (opponent << shift);
    let pairs_down = pairs_up >> shift;
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    up |= pairs_up & (up << (2 * shift));
    down |= pairs_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}

/// Returns the flips of a move on an empty square. On each ray, the first square without an
/// opponent's disc decides: if it has a player's disc, the discs before it are flipped. A carry
/// finds this square on ascending rays, a count of leading zeros on descending ones (Toshihiko
/// Okuhara).
#[inline]
pub(super) fn flips(player: u64, opponent: u64, square: usize) -> u64 {
    let rays = &RAYS[square & 63];
    let mut flips = 0;
    for &ray in &rays.ascending {
        let end = (opponent | !ray).wrapping_add(1) & ray & player;
        flips |= end.wrapping_sub(u64::from(end != 0)) & ray;
    }
    for &ray in &rays.descending {
        let stops = ray & !opponent;
        let end = ((1 << 63) >> (stops | 1).leading_zeros()) & stops & player;
        flips |= (end << 1).wrapping_neg() & ray;
    }
    flips
}

/// Counts the flips of a move on the last empty square. All other squares have discs, so the byte
/// of the player's discs on a line determines the flips on it: it is an index in [`LINE_FLIPS`].
#[inline]
pub(crate) fn last_flips(player: u64, square: usize) -> u32 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
    /// The factor that gathers the eight bits of a file in the top byte.
    const FILE_TO_RANK: u64 = 0x0102_0408_1020_4080;
    let index = square & 63;
    let (file, rank) = (index & 7, index >> 3);
    let lines = &DIAGONALS[index];
    let across = (player >> (8 * rank)) as u8;
    let upright = ((player >> file & FILE_A).wrapping_mul(FILE_TO_RANK) >> 56) as u8;
    let rising = ((player & lines[0]).wrapping_mul(FILE_A) >> 56) as u8;
    let falling = ((player & lines[1]).wrapping_mul(FILE_A) >> 56) as u8;
    let by_file = &LINE_FLIPS[file];
    u32::from(by_file[usize::from(across)])
        + u32::from(LINE_FLIPS[rank][usize::from(upright)])
        + u32::from(by_file[usize::from(rising)])
        + u32::from(by_file[usize::from(falling)])
}

/// The number of discs that a move on the last empty square flips on a line of eight squares: first
/// index, the index of this square on the line; second, the player's discs on the line as a byte.
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

/// The two diagonals through each square as bitboards, excluding the square itself.
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
