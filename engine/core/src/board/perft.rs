//! Perft: counts the leaves of the game tree, which tests the rules and measures their speed.

use rayon::prelude::*;

use super::{Position, Squares};
use crate::simd::{Instructions, compiled_for};
use crate::with_instructions;

/// Counts the leaves of the game tree at `depth` plies. A game that ends earlier is one leaf. A
/// pass is a ply unless `pass_free` is set (perft mode 2 of Egaroucid).
pub fn count_leaves(position: &Position, depth: u32, pass_free: bool) -> u64 {
    const PARALLEL_PLIES: u32 = 3;
    in_parallel(position, depth, pass_free, PARALLEL_PLIES)
}

fn in_parallel(position: &Position, depth: u32, pass_free: bool, plies: u32) -> u64 {
    let moves = position.moves();
    if plies == 0 || depth <= 2 || moves == 0 {
        return with_instructions!(|set| count(set, position, depth, pass_free));
    }
    let below = |square| {
        let after = position.after(square, position.flips(square));
        in_parallel(&after, depth - 1, pass_free, plies - 1)
    };
    Squares(moves).collect::<Vec<_>>().into_par_iter().map(below).sum()
}

#[compiled_for(I::SET)]
fn count<I: Instructions>(set: I, position: &Position, depth: u32, pass_free: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.moves_by(set);
    if moves == 0 {
        let passed = position.pass();
        let left = depth - u32::from(!pass_free);
        return if passed.moves_by(set) == 0 { 1 } else { count(set, &passed, left, pass_free) };
    }
    if depth == 1 {
        return u64::from(moves.count_ones());
    }
    let after = |square| position.after(square, position.flips_by(set, square));
    Squares(moves).map(|square| count(set, &after(square), depth - 1, pass_free)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers of leaves are by Aart Bik (passes are plies) and Takuto Yamana (passes
    /// are not plies).
    #[test]
    fn leaves_are_those_published() {
        let usual = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288];
        for (depth, &leaves) in usual.iter().enumerate() {
            assert_eq!(count_leaves(&Position::START, depth as u32, false), leaves);
        }
        assert_eq!(count_leaves(&Position::START, 9, true), 3_005_320);
        assert_eq!(count_leaves(&Position::START, 10, false), 24_571_284);
        assert_eq!(count_leaves(&Position::START, 10, true), 24_571_420);
    }
}
