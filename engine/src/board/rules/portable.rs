//! Moves and flips with 64-bit integers only.

use super::rays::RAYS;

/// The squares where `player` may move: every empty square from which a line of opponent's discs
/// leads to one of the player's. Parallel prefix along the four lines, both ways at once
/// (Kogge and Stone's adder, as used for bitboards since Gunnar Andersson's Zebra).
#[inline]
pub(crate) fn moves(player: u64, opponent: u64) -> u64 {
    /// Files b to g: a horizontal or diagonal line cannot pass through an edge file.
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

/// The discs that a move of `player` on the empty square number `square` turns over.
///
/// Along each of the four ascending rays a carry runs through the opponent's discs and stops at
/// the first other square; along the four descending rays the leading zeros find that square
/// (after Toshihiko Okuhara's bitboard techniques).
#[inline]
pub(crate) fn flips(player: u64, opponent: u64, square: usize) -> u64 {
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
