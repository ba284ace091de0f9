//! Null-window nodes without values: ordered by replies or by parity, as few squares are empty.
//!
//! Each function takes `alpha` and says whether the score is above it: what it returns is a lower
//! bound of the score if above `alpha`, else an upper bound.

use arrayvec::ArrayVec;

use super::super::Searcher;
use super::super::ordering::{Parity, weighted_count};
use super::last::last_empties;
use super::{EVALUATED_EMPTIES, INFINITE, LIGHT_EMPTIES, ORDERED_EMPTIES, stability_bound};
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
/// What a reply costs, and an odd quadrant is worth, in the units of [`WORTH`].
const REPLY_COST: i32 = 16;
const ODD_WORTH: i32 = 8;

/// What a square is worth, all else being equal: a corner most, what gives one away least. 2 to 3 %
/// of the nodes; counting the empty squares beside the discs won or lost nothing.
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
    moves: ArrayVec<Candidate, { EVALUATED_EMPTIES as usize }>,
    /// Of each move: its promise, then how early it stands. A vector of them, so that the
    /// greatest is found without a branch.
    keys: [i32; PLACES],
}

/// As many as a vector has lanes.
const PLACES: usize = 16;
const _: () = assert!(EVALUATED_EMPTIES as usize <= PLACES);

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
    /// Whether the score is above `alpha`, by the kind of node that suits the position.
    #[inline]
    pub(super) fn unevaluated(
        &mut self,
        position: Position,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        if empties <= 4 {
            // With three empty squares the discs take longer to count than to play.
            if empties == 4
                && let Some(upper) = stability_bound(&position, alpha, empties, self.ideas)
            {
                self.nodes += 1;
                return upper;
            }
            return last_empties(position, alpha, &mut self.nodes);
        }
        self.unevaluated_with(position, position.moves(), parity, alpha, empties)
    }

    /// The same, where the moves are known; with five empty squares at least.
    #[inline]
    fn unevaluated_with(
        &mut self,
        position: Position,
        squares: u64,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        if empties >= ORDERED_EMPTIES {
            self.by_replies(position, squares, parity, alpha, empties)
        } else {
            self.by_parity(position, squares, parity, alpha, empties)
        }
    }

    /// A node whose moves are ordered by the replies they leave.
    fn by_replies(
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
            return -self.by_replies(passed, replies, parity, -alpha - 1, empties);
        }
        if let Some(upper) = stability_bound(&position, alpha, empties, self.ideas) {
            return upper;
        }
        let (mut lower, mut upper) = (-INFINITE, INFINITE);
        let mut table_move = None;
        if self.ideas.near_table
            && let Some(known) = self.near.probe(position, empties)
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
            self.best_by_replies(position, squares, table_move, parity, alpha, empties);
        if self.ideas.near_table {
            if best > alpha {
                lower = best;
            } else {
                upper = best;
            }
            self.near.store(position, empties, (lower, upper), Some(square));
        }
        best
    }

    /// The best move of such a node, or the first one above `alpha`. There is a move.
    #[inline]
    fn best_by_replies(
        &mut self,
        position: Position,
        mut squares: u64,
        table_move: Option<Square>,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> (Discs, Square) {
        let mut best = (-INFINITE, Square::A1);
        if self.ideas.table_move_first
            && let Some(square) = table_move
        {
            let child = position.after(square, position.flips(square));
            let parity = parity.after(square);
            best = (-self.unevaluated(child, parity, -alpha - 1, empties - 1), square);
            if best.0 > alpha {
                return best;
            }
            squares &= !square.bit();
        }
        // Children that the near table settles need no search: 6 % of the nodes, and of the time.
        let enhanced =
            self.ideas.enhanced_cutoff && self.ideas.near_table && empties > ORDERED_EMPTIES;
        let light = if self.ideas.light_evaluation && empties >= LIGHT_EMPTIES {
            self.evaluator.ordering()
        } else {
            None
        };
        let mut candidates = Candidates::new();
        let odd_squares = parity.odd_squares();
        for square in Squares(squares) {
            let child = position.after(square, position.flips(square));
            if child.player() == 0 && self.ideas.wipe_out {
                return (64, square);
            }
            if enhanced && let Some(known) = self.near.probe(child, empties - 1) {
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
            } else if self.ideas.ordering_by_replies {
                let light = light.map_or(0, |ordering| ordering.cost(&child));
                WORTH[square.index() & 63] + ODD_WORTH * odd
                    - REPLY_COST * weighted_count(replies)
                    - light
            } else {
                ODD_WORTH * odd
            };
            candidates.push(Candidate { square, child, replies }, promise);
        }
        while let Some(next) = candidates.take_best() {
            let parity = parity.after(next.square);
            let score =
                -self.unevaluated_with(next.child, next.replies, parity, -alpha - 1, empties - 1);
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
    fn by_parity(
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
            return -self.by_parity(passed, replies, parity, -alpha - 1, empties);
        }
        if let Some(upper) = stability_bound(&position, alpha, empties, self.ideas) {
            return upper;
        }
        let odd_squares = parity.odd_squares();
        let mut best = -INFINITE;
        for group in [squares & odd_squares, squares & !odd_squares] {
            for square in Squares(group) {
                let child = position.after(square, position.flips(square));
                let parity = parity.after(square);
                let score = -self.unevaluated(child, parity, -alpha - 1, empties - 1);
                if score > alpha {
                    return score;
                }
                best = best.max(score);
            }
        }
        best
    }
}
