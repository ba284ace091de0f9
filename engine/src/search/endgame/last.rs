//! The null-window search of positions with up to four empty squares: one function for each number.
//!
//! Half of all positions of an endgame search have at most four empty squares. To save time, this
//! search uses no table and does not sort moves, but first tries squares in quadrants with an odd
//! number of empty squares. A result above `alpha` is a lower bound of the score; any other result
//! is an upper bound.

use super::INFINITE;
use crate::board::{Discs, Position, Square, Squares, with_neighbours};
use crate::simd::{Instructions, compiled_for};

#[compiled_for(I::SET)]
pub(super) fn last_empties<I: Instructions>(
    set: I,
    position: Position,
    alpha: Discs,
    nodes: &mut u64,
) -> Discs {
    let mut squares = Squares(position.empty());
    let mut next = || squares.next();
    match [next(), next(), next(), next()] {
        [Some(a), Some(b), Some(c), Some(d)] => {
            four_empties(set, position, [a, b, c, d], alpha, nodes)
        }
        [Some(a), Some(b), Some(c), None] => three_empties(set, position, [a, b, c], alpha, nodes),
        [Some(a), Some(b), None, _] => two_empties(set, position, [a, b], alpha, nodes),
        [Some(a), None, ..] => one_empty(position, a, nodes),
        [None, ..] => {
            *nodes += 1;
            position.score()
        }
    }
}

/// Searches a position with the four empty squares `squares`, given in ascending order. A result
/// above `alpha` is a lower bound of the score; any other result is an upper bound.
#[inline(always)]
fn four_empties<I: Instructions>(
    set: I,
    position: Position,
    squares: [Square; 4],
    alpha: Discs,
    nodes: &mut u64,
) -> Discs {
    *nodes += 1;
    let squares = by_quadrants(squares);
    if let Some(score) = best_of_four(set, position, squares, alpha, nodes) {
        return score;
    }
    let passed = best_of_four(set, position.pass(), squares, -alpha - 1, nodes);
    passed.map_or(position.score(), |score| -score)
}

#[inline(always)]
fn best_of_four<I: Instructions>(
    set: I,
    position: Position,
    [a, b, c, d]: [Square; 4],
    alpha: Discs,
    nodes: &mut u64,
) -> Option<Discs> {
    // For the children, the remaining three squares are reordered: odd quadrants first again.
    let (after_c, after_d) =
        if b.quadrant() == c.quadrant() { ([a, b, d], [a, b, c]) } else { ([d, a, b], [c, a, b]) };
    let mut tries = Tries::new(set, position, alpha);
    let _ = tries.ends(a, |child, alpha| three_empties(set, child, [b, c, d], alpha, nodes))
        || tries.ends(b, |child, alpha| three_empties(set, child, [a, c, d], alpha, nodes))
        || tries.ends(c, |child, alpha| three_empties(set, child, after_c, alpha, nodes))
        || tries.ends(d, |child, alpha| three_empties(set, child, after_d, alpha, nodes));
    tries.best()
}

#[compiled_for(I::SET)]
fn three_empties<I: Instructions>(
    set: I,
    position: Position,
    squares: [Square; 3],
    alpha: Discs,
    nodes: &mut u64,
) -> Discs {
    *nodes += 1;
    if let Some(score) = best_of_three(set, position, squares, alpha, nodes) {
        return score;
    }
    let passed = best_of_three(set, position.pass(), squares, -alpha - 1, nodes);
    passed.map_or(position.score(), |score| -score)
}

#[inline(always)]
fn best_of_three<I: Instructions>(
    set: I,
    position: Position,
    [a, b, c]: [Square; 3],
    alpha: Discs,
    nodes: &mut u64,
) -> Option<Discs> {
    let mut tries = Tries::new(set, position, alpha);
    let _ = tries.ends(a, |child, alpha| two_empties(set, child, [b, c], alpha, nodes))
        || tries.ends(b, |child, alpha| two_empties(set, child, [a, c], alpha, nodes))
        || tries.ends(c, |child, alpha| two_empties(set, child, [a, b], alpha, nodes));
    tries.best()
}

#[compiled_for(I::SET)]
fn two_empties<I: Instructions>(
    set: I,
    position: Position,
    squares: [Square; 2],
    alpha: Discs,
    nodes: &mut u64,
) -> Discs {
    *nodes += 1;
    if let Some(score) = best_of_two(set, position, squares, alpha, nodes) {
        return score;
    }
    let passed = best_of_two(set, position.pass(), squares, -alpha - 1, nodes);
    passed.map_or(position.score(), |score| -score)
}

#[inline(always)]
fn best_of_two<I: Instructions>(
    set: I,
    position: Position,
    [a, b]: [Square; 2],
    alpha: Discs,
    nodes: &mut u64,
) -> Option<Discs> {
    let mut tries = Tries::new(set, position, alpha);
    let _ = tries.ends(a, |child, _| one_empty(child, b, nodes))
        || tries.ends(b, |child, _| one_empty(child, a, nodes));
    tries.best()
}

/// A node, with the best score of the moves tried so far. Each move needs its own call of
/// [`Self::ends`], because the compiler would not unroll a loop over the moves.
struct Tries<I> {
    set: I,
    position: Position,
    alpha: Discs,
    best: Discs,
}

const NO_SCORE: Discs = -INFINITE;

impl<I: Instructions> Tries<I> {
    #[inline(always)]
    fn new(set: I, position: Position, alpha: Discs) -> Self {
        Self { set, position, alpha, best: NO_SCORE }
    }

    /// Tries the move on `square`, if it is legal. Returns true if its score is above `self.alpha`:
    /// then the node needs no further move. `score` searches the position after the move, for the
    /// opponent's score, with the alpha that it is given.
    #[inline(always)]
    fn ends(&mut self, square: Square, score: impl FnOnce(Position, Discs) -> Discs) -> bool {
        if NEIGHBOURS[square.index() & 63] & self.position.opponent() == 0 {
            return false;
        }
        let flips = self.position.flips_by(self.set, square);
        if flips == 0 {
            return false;
        }
        let score = -score(self.position.after(square, flips), -self.alpha - 1);
        self.best = self.best.max(score);
        score > self.alpha
    }

    #[inline(always)]
    fn best(&self) -> Option<Discs> {
        (self.best != NO_SCORE).then_some(self.best)
    }
}

#[inline(always)]
fn one_empty(position: Position, square: Square, nodes: &mut u64) -> Discs {
    *nodes += 1;
    // The score if nobody could play the last square and it counted for the opponent.
    let base = 2 * position.player().count_ones() as Discs - 64;
    let flips = position.last_flips(square) as Discs;
    if flips != 0 {
        return base + 2 * (flips + 1);
    }
    let replies = position.pass().last_flips(square) as Discs;
    if replies != 0 {
        return base - 2 * replies;
    }
    position.score()
}

/// Sorts the last four empty squares by the number of them in the same quadrant: first 1, then 3, 2
/// and 4, so that odd numbers come first. Squares of the same quadrant are adjacent in the result,
/// in their previous order.
#[inline(always)]
fn by_quadrants(squares: [Square; 4]) -> [Square; 4] {
    let key = squares.iter().rev().fold(0, |key, &square| key << 2 | square.quadrant());
    ORDERS[key & 255].map(|place| squares[usize::from(place & 3)])
}

/// For each distribution of four squares over the quadrants, the numbers 0 to 3 of the squares, in
/// the order of [`by_quadrants`]. The index in this table has 2 bits for each square's quadrant,
/// the lowest for the first square.
static ORDERS: [[u8; 4]; 256] = {
    let mut orders = [[0; 4]; 256];
    let mut key = 0;
    while key < 256 {
        let mut used = 0;
        let mut rank = 0;
        while rank < 4 {
            let mut quadrant = 0;
            while quadrant < 4 {
                let mut members = 0;
                let mut place = 0;
                while place < 4 {
                    members += (key >> (2 * place) & 3 == quadrant) as usize;
                    place += 1;
                }
                place = 0;
                while place < 4 && members == [1, 3, 2, 4][rank] {
                    if key >> (2 * place) & 3 == quadrant {
                        orders[key][used] = place as u8;
                        used += 1;
                    }
                    place += 1;
                }
                quadrant += 1;
            }
            rank += 1;
        }
        key += 1;
    }
    orders
};

/// For each square, the square and its neighbours. A move must be next to an opponent's disc.
static NEIGHBOURS: [u64; 64] = {
    let mut neighbours = [0; 64];
    let mut index = 0;
    while index < 64 {
        neighbours[index] = with_neighbours(1 << index);
        index += 1;
    }
    neighbours
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn no_move_is_legal_without_a_neighbour() {
        let mut random = Generator::new(4);
        for square in Square::all() {
            for _ in 0..2_000 {
                let (a, b) = (random.next_u64(), random.next_u64());
                let position = Position::new(a & !square.bit(), !a & b & !square.bit()).unwrap();
                if position.flips(square) != 0 {
                    assert_ne!(NEIGHBOURS[square.index()] & position.opponent(), 0);
                }
            }
        }
    }

    #[test]
    fn four_squares_are_ordered_by_the_parity_of_their_quadrants() {
        let mut random = Generator::new(5);
        for _ in 0..20_000 {
            let mut bits = 0u64;
            while bits.count_ones() < 4 {
                bits |= 1 << random.below(64);
            }
            let mut squares = Squares(bits);
            let squares = std::array::from_fn(|_| squares.next().unwrap());
            let ordered = by_quadrants(squares);
            let mut again = ordered;
            again.sort();
            assert_eq!(again, squares);
            let members = |square: Square| {
                ordered.iter().filter(|&&other| other.quadrant() == square.quadrant()).count()
            };
            let counts = ordered.map(members);
            let orders = [[1, 1, 1, 1], [1, 1, 2, 2], [1, 3, 3, 3], [2, 2, 2, 2], [4, 4, 4, 4]];
            assert!(orders.contains(&counts), "{counts:?}");
            if counts[3] == 2 {
                assert_eq!(ordered[2].quadrant(), ordered[3].quadrant());
            }
        }
    }
}
