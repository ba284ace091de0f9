//! Null-window nodes: their moves are ordered by replies or by parity, as few squares are empty.
//!
//! Each function takes `alpha` and says whether the score is above it: what it returns is a lower
//! bound of the score if above `alpha`, else an upper bound.

use arrayvec::ArrayVec;

use super::super::Searcher;
use super::super::ordering::{Parity, weighted_count};
use super::last::last_empties;
use super::{FASTEST_FIRST_EMPTIES, INFINITE, MOVE_ORDERING_EMPTIES, PVS_EMPTIES, stability_bound};
use crate::board::{Discs, Position, Square, Squares};
use crate::eval::Evaluate;

/// A move to be searched: the square, and the position after it with the replies there.
#[derive(Clone, Copy)]
struct Candidate {
    square: Square,
    child: Position,
    replies: u64,
}

/// The promise of the table's move.
const TABLE_MOVE: i32 = 1 << 20;
/// The cost of a reply, in the units of [`WORTH`].
const REPLY_COST: i32 = 16;
/// The worth of an odd quadrant, in the units of [`WORTH`].
const ODD_WORTH: i32 = 8;

/// The worth of a square, all else being equal: a corner most, what gives one away least. It saves 2 to
/// 3 % of the nodes; counting the empty squares beside the discs won or lost nothing.
static WORTH: [i32; 64] = {
    const QUARTER: [[i32; 4]; 4] = [[9, 2, 8, 6], [2, 0, 3, 4], [8, 3, 7, 5], [6, 4, 5, 5]];
    let mut worth = [0; 64];
    let mut index = 0;
    while index < 64 {
        let (file, rank) = (index & 7, index >> 3);
        let mirrored =
            (if file > 3 { 7 - file } else { file }, if rank > 3 { 7 - rank } else { rank });
        worth[index] = QUARTER[mirrored.1][mirrored.0];
        index += 1;
    }
    worth
};

/// The moves of a node, and how promising they are. Never more than there are empty squares.
struct Candidates {
    moves: ArrayVec<Candidate, { PVS_EMPTIES as usize }>,
    /// The key of each move: its promise, then how early it stands. They are a vector, so that the
    /// greatest is found without a branch.
    keys: [i32; PLACES],
}

/// The number of lanes in a vector.
const PLACES: usize = 16;
const _: () = assert!(PVS_EMPTIES as usize <= PLACES);

impl Candidates {
    fn new() -> Self {
        Self { moves: ArrayVec::new(), keys: [i32::MIN; PLACES] }
    }

    #[inline]
    fn push(&mut self, candidate: Candidate, promise: i32) {
        let place = self.moves.len();
        self.keys[place & (PLACES - 1)] = promise * PLACES as i32 + (PLACES - 1 - place) as i32;
        self.moves.push(candidate);
    }

    /// Takes out the most promising move, among equals the one that was first.
    #[inline]
    fn take_best(&mut self) -> Option<Candidate> {
        let best = self.keys.iter().fold(i32::MIN, |best, &key| best.max(key));
        if best == i32::MIN {
            return None;
        }
        let place = PLACES - 1 - best as usize % PLACES;
        self.keys[place] = i32::MIN;
        self.moves.get(place).copied()
    }
}

impl<E: Evaluate> Searcher<'_, E> {
    /// Searches in a null window whether the score is above `alpha`, by the kind of node that suits the
    /// position.
    #[inline]
    pub(super) fn null_window(
        &mut self,
        position: Position,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        if empties <= 4 {
            // With three empty squares the discs take longer to count than to play.
            if empties == 4
                && let Some(upper) = stability_bound(&position, alpha, empties, self.features)
            {
                self.nodes += 1;
                return upper;
            }
            return last_empties(position, alpha, &mut self.nodes);
        }
        self.null_window_with_moves(position, position.moves(), parity, alpha, empties)
    }

    /// Searches in a null window a position whose moves are known; with five empty squares at least.
    #[inline]
    fn null_window_with_moves(
        &mut self,
        position: Position,
        squares: u64,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        if empties >= FASTEST_FIRST_EMPTIES {
            self.fastest_first(position, squares, parity, alpha, empties)
        } else {
            self.parity_first(position, squares, parity, alpha, empties)
        }
    }

    /// A node whose moves are ordered by the replies they leave.
    fn fastest_first(
        &mut self,
        position: Position,
        squares: u64,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        self.nodes += 1;
        if squares == 0 {
            let passed = position.pass();
            let replies = passed.moves();
            if replies == 0 {
                return position.score();
            }
            return -self.fastest_first(passed, replies, parity, -alpha - 1, empties);
        }
        if let Some(upper) = stability_bound(&position, alpha, empties, self.features) {
            return upper;
        }
        let (mut lower, mut upper) = (-INFINITE, INFINITE);
        let mut table_move = None;
        if self.features.shallow_table
            && let Some(known) = self.shallow_table.probe(position, empties)
        {
            if known.lower > alpha {
                return known.lower;
            }
            if known.upper <= alpha {
                return known.upper;
            }
            (lower, upper) = (known.lower, known.upper);
            table_move = known.best;
        }
        let (best, square) =
            self.best_fastest_first(position, squares, table_move, parity, alpha, empties);
        if self.features.shallow_table {
            if best > alpha {
                lower = best;
            } else {
                upper = best;
            }
            self.shallow_table.store(position, empties, (lower, upper), Some(square));
        }
        best
    }

    /// The best move of such a node, or the first one above `alpha`. There is a move.
    #[inline]
    fn best_fastest_first(
        &mut self,
        position: Position,
        mut squares: u64,
        table_move: Option<Square>,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> (Discs, Square) {
        let mut best = (-INFINITE, Square::A1);
        if self.features.hash_move_first
            && let Some(square) = table_move
        {
            let child = position.after(square, position.flips(square));
            let parity = parity.after(square);
            best = (-self.null_window(child, parity, -alpha - 1, empties - 1), square);
            if best.0 > alpha {
                return best;
            }
            squares &= !square.bit();
        }
        // Children that the shallow table settles need no search: 6 % of the nodes, and of the time.
        let enhanced = self.features.enhanced_cutoff
            && self.features.shallow_table
            && empties > FASTEST_FIRST_EMPTIES;
        let patterns = if self.features.move_ordering_evaluation && empties >= MOVE_ORDERING_EMPTIES
        {
            self.evaluator.move_ordering()
        } else {
            None
        };
        let mut candidates = Candidates::new();
        let odd_squares = parity.odd_squares();
        // What is known of the children lies all over the table: it is sent for at once, and comes meanwhile.
        let mut children = [position; PLACES];
        for (square, child) in Squares(squares).zip(&mut children) {
            *child = position.after(square, position.flips(square));
            if enhanced {
                self.shallow_table.prefetch(*child, empties - 1);
            }
        }
        for (square, child) in Squares(squares).zip(children) {
            if child.player() == 0 && self.features.wipe_out {
                return (64, square);
            }
            if enhanced && let Some(known) = self.shallow_table.probe(child, empties - 1) {
                if -known.upper > alpha {
                    return (-known.upper, square);
                }
                if -known.lower <= alpha {
                    if -known.lower > best.0 {
                        best = (-known.lower, square);
                    }
                    continue;
                }
            }
            let replies = child.moves();
            let odd = i32::from(square.bit() & odd_squares != 0);
            let promise = if Some(square) == table_move {
                TABLE_MOVE
            } else if self.features.fastest_first {
                let cost = patterns.map_or(0, |evaluation| evaluation.cost(&child));
                WORTH[square.index() & 63] + ODD_WORTH * odd
                    - REPLY_COST * weighted_count(replies)
                    - cost
            } else {
                ODD_WORTH * odd
            };
            candidates.push(Candidate { square, child, replies }, promise);
        }
        while let Some(next) = candidates.take_best() {
            let parity = parity.after(next.square);
            let score = -self.null_window_with_moves(
                next.child,
                next.replies,
                parity,
                -alpha - 1,
                empties - 1,
            );
            if score > best.0 {
                best = (score, next.square);
                if score > alpha {
                    return best;
                }
            }
        }
        best
    }

    /// A node whose moves are tried in odd quadrants first.
    fn parity_first(
        &mut self,
        position: Position,
        squares: u64,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        self.nodes += 1;
        if squares == 0 {
            let passed = position.pass();
            let replies = passed.moves();
            if replies == 0 {
                return position.score();
            }
            return -self.parity_first(passed, replies, parity, -alpha - 1, empties);
        }
        if let Some(upper) = stability_bound(&position, alpha, empties, self.features) {
            return upper;
        }
        let odd_squares = parity.odd_squares();
        let mut best = -INFINITE;
        for group in [squares & odd_squares, squares & !odd_squares] {
            for square in Squares(group) {
                let child = position.after(square, position.flips(square));
                let parity = parity.after(square);
                let score = -self.null_window(child, parity, -alpha - 1, empties - 1);
                if score > alpha {
                    return score;
                }
                best = best.max(score);
            }
        }
        best
    }
}
