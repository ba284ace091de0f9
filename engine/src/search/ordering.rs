//! Move ordering: first the transposition table's best moves, then the others by move score.

use arrayvec::ArrayVec;

use crate::board::{CORNERS, Position, QUADRANTS, Square, Squares};
use crate::eval::STEPS_PER_DISC;
use crate::simd::Instructions;

pub(super) const MOBILITY_WEIGHT: i32 = STEPS_PER_DISC / 4;

#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) square: Square,
    pub(super) flips: u64,
    pub(super) child: Position,
    pub(super) score: i32,
}

/// The move score of the newer best move in the node's transposition table entry, above the scores
/// of moves that are not in the entry. The older best move in the entry scores 1 less.
const TABLE_MOVE: i32 = 1 << 24;

/// The moves of a node that are not yet searched. [`Self::take_best`] changes their order.
#[derive(Debug, derive_more::Deref)]
pub(super) struct Moves(ArrayVec<Move, 64>);

impl Moves {
    /// Returns the moves on `squares`, which must be legal, in the order of the squares.
    #[inline(always)]
    pub(super) fn new<I: Instructions>(set: I, position: &Position, squares: u64) -> Self {
        let mut moves = ArrayVec::new();
        for square in Squares(squares) {
            let flips = position.flips_by(set, square);
            moves.push(Move { square, flips, child: position.after(square, flips), score: 0 });
        }
        Self(moves)
    }

    #[inline(always)]
    pub(super) fn rate(
        &mut self,
        table_moves: [Option<Square>; 2],
        mut score: impl FnMut(&Move) -> i32,
    ) {
        for candidate in &mut self.0 {
            candidate.score = if Some(candidate.square) == table_moves[0] {
                TABLE_MOVE
            } else if Some(candidate.square) == table_moves[1] {
                TABLE_MOVE - 1
            } else {
                score(candidate)
            };
        }
    }

    /// Removes and returns the move with the highest score. Sorting all moves would be slower, as
    /// most nodes are cut off after few moves.
    #[inline]
    pub(super) fn take_best(&mut self) -> Option<Move> {
        let mut best = 0;
        for index in 1..self.0.len() {
            if self.0[index].score > self.0[best].score {
                best = index;
            }
        }
        self.0.swap_pop(best)
    }
}

/// The squares in order of worth: corners, squares away from corners, squares next to a corner.
pub(super) const SQUARES_BY_WORTH: [u64; 3] =
    [CORNERS, 0x3C3C_FFFF_FFFF_3C3C, 0x42C3_0000_0000_C342];

/// Returns what a move's square adds to its move score, in steps of 1/32 disc: 64 for a corner, −32
/// for a neighbour of a corner, otherwise 0.
#[inline]
pub(super) fn square_worth(square: Square) -> i32 {
    let is_in = |group: usize| (SQUARES_BY_WORTH[group] & square.bit() != 0) as i32;
    64 * is_in(0) - 32 * is_in(2)
}

#[inline]
pub(super) fn weighted_count(moves: u64) -> i32 {
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// The 4×4 quadrants with an odd number of empty squares, as a set of bits: bits 0 to 3 stand for
/// the quadrants of the corners a1, h1, a8 and h8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parity(u8);

impl Parity {
    pub(super) const EVEN: Self = Self(0);

    pub(super) fn of(empty: u64) -> Self {
        let odd = |quadrant: usize| ((empty & QUADRANTS[quadrant]).count_ones() & 1) as u8;
        Self(odd(0) | odd(1) << 1 | odd(2) << 2 | odd(3) << 3)
    }

    #[inline]
    pub(super) fn after(self, square: Square) -> Self {
        Self(self.0 ^ 1 << square.quadrant())
    }

    /// Returns all squares of the quadrants with an odd number of empty squares. The side that
    /// moves first in such a quadrant often also makes the last move there.
    #[inline]
    pub(super) fn odd_squares(self) -> u64 {
        ODD_SQUARES[usize::from(self.0 & 15)]
    }
}

static ODD_SQUARES: [u64; 16] = {
    let mut squares = [0; 16];
    let mut parity = 0;
    while parity < 16 {
        let mut quadrant = 0;
        while quadrant < 4 {
            if parity >> quadrant & 1 != 0 {
                squares[parity] |= QUADRANTS[quadrant];
            }
            quadrant += 1;
        }
        parity += 1;
    }
    squares
};

/// A fixed-depth search to at least this depth uses the `DEEP_` constants in all its iterations.
const DEEP: u32 = 11;
const FIRST_MARGIN: i32 = 2 * STEPS_PER_DISC;
const DEEP_FIRST_MARGIN: i32 = STEPS_PER_DISC;
const DEEP_MOBILITY_WEIGHT: i32 = STEPS_PER_DISC / 2;

/// The settings of move ordering and of the aspiration window, which depend on the search's depth.
/// At depth 12 with 40 empty squares, the settings for deep searches save a tenth of the nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// The ply of the leaves of the search: the root's ply plus the depth. Moves at all plies are
    /// ordered by the evaluation with the weights of this ply's phase.
    pub(super) leaf_ply: u32,
    pub(super) mobility_weight: i32,
    pub(super) first_margin: i32,
}

impl Tuning {
    /// Returns the settings of move ordering and of the aspiration window for an iteration to
    /// `depth`. `deepest` is the depth of the search's last iteration. It is 0 in a search by
    /// realization probability, which uses the settings for shallow searches.
    pub(super) fn of(position: &Position, depth: u32, deepest: u32) -> Self {
        let (mobility_weight, first_margin) = if deepest < DEEP {
            (MOBILITY_WEIGHT, FIRST_MARGIN)
        } else {
            (DEEP_MOBILITY_WEIGHT, DEEP_FIRST_MARGIN)
        };
        Self { leaf_ply: position.ply() + depth, mobility_weight, first_margin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    #[test]
    fn parity_follows_the_moves() {
        let mut empty = u64::MAX;
        let mut parity = Parity::of(empty);
        assert_eq!(parity.odd_squares(), 0);
        for square in Square::all() {
            empty ^= square.bit();
            parity = parity.after(square);
            assert_eq!(parity, Parity::of(empty));
            for other in Square::all() {
                let odd = (empty & QUADRANTS[other.quadrant()]).count_ones() % 2 == 1;
                assert_eq!(parity.odd_squares() & other.bit() != 0, odd);
            }
        }
    }

    #[test]
    fn the_tables_moves_come_first_then_the_most_promising() {
        let mut moves = Moves::new(Portable, &Position::START, Position::START.moves());
        let table_move = "e6".parse().unwrap();
        moves.rate([Some(table_move), None], |candidate| candidate.square.index() as i32 % 8);
        let order: Vec<String> =
            std::iter::from_fn(|| moves.take_best()).map(|m| m.square.to_string()).collect();
        assert_eq!(order, ["e6", "f5", "d3", "c4"]);
    }
}
