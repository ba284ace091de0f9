/// Finds legal moves by Kogge-Stone parallel prefixes in eight directions, as in Andersson's Zebra.
#[inline]
pub(super) fn moves(player: u64, opponent: u64) -> u64 {
    /// The files b to g. A move along a row or diagonal can flip no disc on file a or h.
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

/// Returns the discs that a move on `square` flips: on each ray, the opponent's discs up to the
/// next disc of the player, if no empty square is between. Finds this disc of the player by the
/// carry of an addition on ascending rays, by leading zeros on descending rays (Toshihiko Okuhara).
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

/// Returns the number of discs that the player flips by a move to `square`, the only empty square:
/// the sum of the entries of [`LINE_FLIPS`] for the lines through `square`.
#[inline]
pub(crate) fn last_flips(player: u64, square: usize) -> u32 {
    const FILE_A: u64 = 0x0101_0101_0101_0101;
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

/// The number of flips along a line of 8 squares by a move on its last empty square, as
/// `LINE_FLIPS[i][discs]`. The square has index i; `discs` are the player's discs as a byte.
static LINE_FLIPS: [[u8; 256]; 8] = {
    let mut flips = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut player: usize = 0;
        while player < 256 {
            let below = player & ((1 << place) - 1);
            let above = player >> (place + 1);
            let down = if below != 0 { place - 1 - below.ilog2() as usize } else { 0 };
            let up = if above != 0 { above.trailing_zeros() as usize } else { 0 };
            flips[place][player] = (down + up) as u8;
            player += 1;
        }
        place += 1;
    }
    flips
};

static DIAGONALS: [[u64; 2]; 64] = {
    let mut diagonals = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let Rays { ascending, descending } = &RAYS[square];
        diagonals[square] = [ascending[3] | descending[3], ascending[1] | descending[1]];
        square += 1;
    }
    diagonals
};

#[repr(C, align(64))]
pub(super) struct Rays {
    pub(super) ascending: [u64; 4],
    pub(super) descending: [u64; 4],
}

pub(super) static RAYS: [Rays; 64] = {
    const NONE: Rays = Rays { ascending: [0; 4], descending: [0; 4] };
    /// The direction of each ascending ray: its steps along the files and along the ranks.
    const STEPS: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut rays = [NONE; 64];
    let mut entry = 0;
    while entry < 4 * 64 {
        let (square, line) = (entry / 4, entry % 4);
        let (file, rank) = (square as i32 % 8, square as i32 / 8);
        let (files, ranks) = STEPS[line];
        rays[square].ascending[line] = ray(file, rank, files, ranks);
        rays[square].descending[line] = ray(file, rank, -files, -ranks);
        entry += 1;
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
