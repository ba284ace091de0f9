//! Null-window search in the endgame, with moves ordered by the number of replies or by parity.
//!
//! Each function decides whether the score is above `alpha`: a result above `alpha` is a lower
//! bound of the score, any other result is an upper bound.

use arrayvec::ArrayVec;

use super::super::Searcher;
use super::super::ordering::{Parity, weighted_count};
use super::super::shallow_table::ShallowSlot;
use super::last::last_empties;
use super::{FASTEST_FIRST_EMPTIES, INFINITE, MOVE_ORDERING_EMPTIES, PVS_EMPTIES};
use crate::board::{Discs, Position, Square, Squares};
use crate::eval::Evaluate;
use crate::simd::{Instructions, compiled_for};

#[derive(Clone, Copy)]
struct Candidate {
    square: Square,
    slot: ShallowSlot,
    child: Position,
    replies: u64,
}

const REPLY_COST: i32 = 16;
const ODD_QUADRANT_BONUS: i32 = 8;

/// The part of a move score that depends on the square: greatest for corners, least for squares
/// that open a corner to the opponent. With it, solves take 2 to 3 % fewer nodes.
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

/// The length of the array of move-ordering keys. A null-window node has fewer empty squares than
/// [`PVS_EMPTIES`], and so fewer legal moves than this length.
const PLACES: usize = 16;
const _: () = assert!((PVS_EMPTIES as usize) < PLACES);

#[inline(always)]
fn greatest_of(keys: &[i32; PLACES]) -> i32 {
    keys.iter().fold(i32::MIN, |greatest, &key| greatest.max(key))
}

/// Returns the index of a move, which is a part of its ordering key. For the key `i32::MIN`, which
/// means that no move is left, returns 15, the index of no move.
#[inline(always)]
fn place_of(key: i32) -> usize {
    PLACES - 1 - key as usize % PLACES
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    #[inline]
    pub(super) fn null_window(
        &mut self,
        position: Position,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        if empties <= 4 {
            // With three empty squares, a count of stable discs takes longer than the search.
            if empties == 4
                && let Some(upper) = self.stability_bound(&position, alpha, empties)
            {
                self.nodes += 1;
                return upper;
            }
            return last_empties(self.set, position, alpha, &mut self.nodes);
        }
        self.null_window_with_moves(position, position.moves_by(self.set), parity, alpha, empties)
    }

    /// Searches a position with at least five empty squares. `squares` are its legal moves.
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

    #[compiled_for(I::SET)]
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
            let replies = passed.moves_by(self.set);
            if replies == 0 {
                return position.score();
            }
            return -self.fastest_first(passed, replies, parity, -alpha - 1, empties);
        }
        // Stability cutoff.
        if let Some(upper) = self.stability_bound(&position, alpha, empties) {
            return upper;
        }
        // Transposition cutoff, in the shallow table.
        let (mut lower, mut upper) = (-INFINITE, INFINITE);
        let slot = ShallowSlot::of(position, empties);
        if self.features.shallow_table
            && let Some(bounds) = self.shallow_table.probe(slot, position)
        {
            (lower, upper) = bounds;
            if lower > alpha {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
        }
        let best = self.best_fastest_first(position, squares, parity, alpha, empties);
        if self.features.shallow_table {
            let bounds = if best > alpha { (best, upper) } else { (lower, best) };
            self.shallow_table.store(slot, position, bounds);
        }
        best
    }

    /// Searches the moves `squares` until one scores above `alpha`. Returns the best score.
    #[inline(always)]
    fn best_fastest_first(
        &mut self,
        position: Position,
        squares: u64,
        parity: Parity,
        alpha: Discs,
        empties: u32,
    ) -> Discs {
        let mut best = -INFINITE;
        let enhanced = self.features.enhanced_cutoff
            && self.features.shallow_table
            && empties > FASTEST_FIRST_EMPTIES;
        let is_evaluated =
            self.features.move_ordering_evaluation && empties >= MOVE_ORDERING_EMPTIES;
        let patterns = is_evaluated.then(|| self.evaluator.move_ordering()).flatten();
        // The key of a remaining move combines its score and its index (of equal scores, the first
        // wins). The array has a fixed size, so that vector instructions find the greatest key
        // without a branch. But a vector load would wait for the single writes just before it. Most
        // nodes need only the first move, so the loop itself keeps track of the greatest key.
        let mut keys = [i32::MIN; PLACES];
        let mut greatest = i32::MIN;
        let mut moves = ArrayVec::<Candidate, PLACES>::new();
        let odd_squares = parity.odd_squares();
        for square in Squares(squares) {
            let (child, replies) = position.after_with_moves(self.set, square);
            if child.player() == 0 && self.features.wipe_out {
                return 64;
            }
            // Table entries of children are scattered in memory: prefetch all, then read.
            let slot = ShallowSlot::of(child, empties - 1);
            if enhanced {
                self.shallow_table.prefetch(slot);
            }
            // Move ordering: fastest first, by replies, parity, square and the ordering evaluation.
            let odd = i32::from(square.bit() & odd_squares != 0);
            let move_score = if self.features.fastest_first {
                let cost = patterns.map_or(0, |evaluation| evaluation.cost(self.set, &child));
                WORTH[square.index() & 63] + ODD_QUADRANT_BONUS * odd
                    - REPLY_COST * weighted_count(replies)
                    - cost
            } else {
                ODD_QUADRANT_BONUS * odd
            };
            let place = moves.len() & (PLACES - 1);
            let key = move_score * PLACES as i32 + (PLACES - 1 - place) as i32;
            keys[place] = key;
            greatest = greatest.max(key);
            moves.push(Candidate { square, slot, child, replies });
        }
        // Enhanced transposition cutoff, in the shallow table: saves 6 % of nodes and time.
        if enhanced {
            let mut is_any_settled = false;
            for (place, &Candidate { slot, child, .. }) in moves.iter().enumerate() {
                let known = self.shallow_table.probe(slot, child);
                let Some((lower, upper)) = known else { continue };
                if -upper > alpha {
                    return -upper;
                }
                if -lower <= alpha {
                    best = best.max(-lower);
                    keys[place & (PLACES - 1)] = i32::MIN;
                    is_any_settled = true;
                }
            }
            if is_any_settled {
                greatest = greatest_of(&keys);
            }
        }
        while let Some(&next) = moves.get(place_of(greatest)) {
            // Before the search: after it, the vector load of all keys would wait for this write.
            keys[place_of(greatest)] = i32::MIN;
            let parity = parity.after(next.square);
            let Candidate { child, replies, .. } = next;
            let score =
                -self.null_window_with_moves(child, replies, parity, -alpha - 1, empties - 1);
            if score > alpha {
                return score;
            }
            best = best.max(score);
            greatest = greatest_of(&keys);
        }
        best
    }

    #[compiled_for(I::SET)]
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
            let replies = passed.moves_by(self.set);
            if replies == 0 {
                return position.score();
            }
            return -self.parity_first(passed, replies, parity, -alpha - 1, empties);
        }
        // Stability cutoff.
        if let Some(upper) = self.stability_bound(&position, alpha, empties) {
            return upper;
        }
        // Move ordering: odd quadrants first.
        let odd_squares = parity.odd_squares();
        let mut best = -INFINITE;
        for group in [squares & odd_squares, squares & !odd_squares] {
            for square in Squares(group) {
                let child = position.after(square, position.flips_by(self.set, square));
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
