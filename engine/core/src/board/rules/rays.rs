//! The rays from each square in eight directions, to the edge. A move flips discs only on its rays.

#[repr(C, align(64))]
pub(super) struct Rays {
    pub(super) ascending: [u64; 4],
    pub(super) descending: [u64; 4],
}

pub(super) static RAYS: [Rays; 64] = {
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
