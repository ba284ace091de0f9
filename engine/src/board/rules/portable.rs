//! Moves and flips with 64-bit integers only.

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

/// The squares seen from one square in the eight directions, itself excluded.
struct Rays {
    ascending: [u64; 4],
    descending: [u64; 4],
}

static RAYS: [Rays; 64] = {
    const NONE: Rays = Rays { ascending: [0; 4], descending: [0; 4] };
    let mut rays = [NONE; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square as i32 % 8, square as i32 / 8);
        rays[square].ascending = [
            ray(file, rank, 1, 0),
            ray(file, rank, -1, 1),
            ray(file, rank, 0, 1),
            ray(file, rank, 1, 1),
        ];
        rays[square].descending = [
            ray(file, rank, -1, 0),
            ray(file, rank, 1, -1),
            ray(file, rank, 0, -1),
            ray(file, rank, -1, -1),
        ];
        square += 1;
    }
    rays
};

const fn ray(file: i32, rank: i32, file_step: i32, rank_step: i32) -> u64 {
    let (mut file, mut rank) = (file + file_step, rank + rank_step);
    let mut bits = 0;
    while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        bits |= 1 << (rank * 8 + file);
        file += file_step;
        rank += rank_step;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules as a person would apply them, square by square.
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

    #[test]
    fn moves_and_flips_are_those_of_the_rules_on_random_boards() {
        let mut random = crate::random::Generator::new(1);
        for _ in 0..20_000 {
            let (a, b) = (random.next_u64(), random.next_u64());
            let occupied = random.next_u64() | random.next_u64();
            let (player, opponent) = (a & occupied, !a & occupied & (b | random.next_u64()));
            let mut legal = 0;
            for square in (0..64).filter(|q| (player | opponent) >> q & 1 == 0) {
                let expected = flips_by_walking(player, opponent, square);
                assert_eq!(flips(player, opponent, square as usize), expected);
                legal |= u64::from(expected != 0) << square;
            }
            assert_eq!(moves(player, opponent), legal);
        }
    }
}
