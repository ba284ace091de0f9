use derive_more::Display;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::{CORNERS, Position, QUADRANTS, X_SQUARES, with_neighbours};
use crate::simd::{Instructions, compiled_for};
use crate::with_instructions;

/// A feature of a position: a count, with one weight for each value of the count. The eight images
/// of a position have the same count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema, Deserialize, Display)]
#[display(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Scalar {
    /// The number of the player's discs, 0..=64.
    PlayerDiscs,
    /// The number of the player's legal moves.
    PlayerMoves,
    /// The number of the opponent's legal moves, if it were to move.
    OpponentMoves,
    /// The legal moves of both sides: 8 · r(player's moves) + r(opponent's moves). Here r is 0 to 7
    /// for the ranges 0, 1, 2, 3–4, 5–6, 7–9, 10–13 and 14 or more.
    MovesPair,
    /// The player's potential mobility: empty squares next to a disc of the opponent.
    PlayerPotentialMoves,
    /// The opponent's potential mobility: empty squares next to a disc of the player.
    OpponentPotentialMoves,
    /// The arrangement of the quadrants with an odd number of empty squares: 0 if there is none, 1
    /// for one, 2 for two side by side, 3 for two diagonally opposite, 4 for three, 5 for all four.
    OddQuadrants,
    /// The legal moves on corners, as one number: 5 × the player's count + the opponent's.
    CornerMoves,
    /// The legal moves on X squares, as one number: 5 × the player's count + the opponent's.
    XSquareMoves,
}

impl Scalar {
    /// The number of weights of a scalar feature: one for each possible count, 0 to 64.
    pub const VALUES: usize = 65;

    /// All scalar features.
    pub const ALL: [Self; 9] = [
        Self::PlayerDiscs,
        Self::PlayerMoves,
        Self::OpponentMoves,
        Self::MovesPair,
        Self::PlayerPotentialMoves,
        Self::OpponentPotentialMoves,
        Self::OddQuadrants,
        Self::CornerMoves,
        Self::XSquareMoves,
    ];

    /// Returns the count of this feature in a position: a number less than [`Self::VALUES`].
    #[inline]
    pub fn count(self, position: &Position) -> usize {
        ScalarCounts::of(position).get(self)
    }
}

/// The counts of all scalar features of one position. Computing them together saves time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarCounts([u8; Scalar::ALL.len()]);

impl ScalarCounts {
    /// Computes the counts of all scalar features of a position.
    pub fn of(position: &Position) -> Self {
        with_instructions!(|set| counts(set, position))
    }

    /// Computes the counts of all scalar features with the instruction set `I`.
    #[inline(always)]
    pub fn of_by<I: Instructions>(set: I, position: &Position) -> Self {
        let passed = position.pass();
        let (moves, replies) = (position.moves_by(set), passed.moves_by(set));
        let counts = [
            number_of(position.player()),
            number_of(moves),
            number_of(replies),
            8 * range(number_of(moves)) + range(number_of(replies)),
            potential_moves(position),
            potential_moves(&passed),
            odd_quadrants(position),
            both_at(CORNERS, moves, replies),
            both_at(X_SQUARES, moves, replies),
        ];
        Self(counts.map(|count| count as u8))
    }

    /// Returns the count of the feature `scalar`, less than [`Scalar::VALUES`].
    #[inline]
    pub fn get(&self, scalar: Scalar) -> usize {
        usize::from(self.0[scalar as usize])
    }
}

#[compiled_for(I::SET)]
fn counts<I: Instructions>(set: I, position: &Position) -> ScalarCounts {
    ScalarCounts::of_by(set, position)
}

#[inline(always)]
fn number_of(squares: u64) -> usize {
    squares.count_ones() as usize
}

#[inline(always)]
fn both_at(squares: u64, moves: u64, replies: u64) -> usize {
    5 * number_of(moves & squares) + number_of(replies & squares)
}

#[inline(always)]
fn range(moves: usize) -> usize {
    const ENDS: [usize; 7] = [0, 1, 2, 4, 6, 9, 13];
    ENDS.iter().filter(|&&end| moves > end).count()
}

#[inline(always)]
fn potential_moves(position: &Position) -> usize {
    number_of(with_neighbours(position.opponent()) & position.empty())
}

#[inline(always)]
fn odd_quadrants(position: &Position) -> usize {
    /// The value of [`Scalar::OddQuadrants`] for a mask of the odd quadrants, bit i for quadrant i.
    const KINDS: [u8; 16] = [0, 1, 1, 2, 1, 2, 3, 4, 1, 3, 2, 4, 2, 4, 4, 5];
    let odd = |quadrant: u64| (position.empty() & quadrant).count_ones() as usize % 2;
    let odd = QUADRANTS.iter().rev().fold(0, |bits, &quadrant| 2 * bits + odd(quadrant));
    usize::from(KINDS[odd])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::random::random_game;

    fn potential_moves_by_hand(position: &Position) -> usize {
        let on = |squares: u64, x: i32, y: i32| {
            (0..8).contains(&x) && (0..8).contains(&y) && squares >> (8 * y + x) & 1 == 1
        };
        let near = |x, y| {
            let steps = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)));
            steps.into_iter().any(|(dx, dy)| on(position.opponent(), x + dx, y + dy))
        };
        let squares = (0..8).flat_map(|x| (0..8).map(move |y| (x, y)));
        squares.filter(|&(x, y)| on(position.empty(), x, y) && near(x, y)).count()
    }

    #[test]
    fn counts_are_as_documented() {
        let games = (0..100).flat_map(|number| random_game(5, number, usize::MAX).steps);
        for position in games.map(|step| step.position) {
            assert!(Scalar::ALL.iter().all(|scalar| scalar.count(&position) < Scalar::VALUES));
            let legal = |position: &Position| {
                (0..64).filter_map(Square::new).filter(|&s| position.is_legal(s)).count()
            };
            let passed = position.pass();
            assert_eq!(Scalar::PlayerMoves.count(&position), legal(&position));
            assert_eq!(Scalar::OpponentMoves.count(&position), legal(&passed));
            let pair = 8 * range(legal(&position)) + range(legal(&passed));
            assert_eq!(Scalar::MovesPair.count(&position), pair);
            let potential = potential_moves_by_hand(&position);
            assert_eq!(Scalar::PlayerPotentialMoves.count(&position), potential);
            assert_eq!(Scalar::OpponentPotentialMoves.count(&passed), potential);
            let legal_at = |position: &Position, squares: [&str; 4]| {
                squares.iter().filter(|s| position.is_legal(s.parse().unwrap())).count()
            };
            let both = |squares| 5 * legal_at(&position, squares) + legal_at(&passed, squares);
            assert_eq!(Scalar::CornerMoves.count(&position), both(["a1", "h1", "a8", "h8"]));
            assert_eq!(Scalar::XSquareMoves.count(&position), both(["b2", "g2", "b7", "g7"]));
        }
    }

    #[test]
    fn names_are_those_of_the_file() {
        for scalar in Scalar::ALL {
            assert_eq!(serde_json::to_value(scalar).unwrap(), scalar.to_string());
        }
    }

    #[test]
    fn ranges_of_moves_are_those_that_are_documented() {
        let ranges = [0..=0, 1..=1, 2..=2, 3..=4, 5..=6, 7..=9, 10..=13, 14..=60];
        for (number, moves) in ranges.into_iter().enumerate() {
            assert!(moves.clone().all(|moves| range(moves) == number), "{moves:?}");
        }
    }

    #[test]
    fn quadrants_differ_up_to_symmetry() {
        let empty_at = |empties: &[&str]| {
            let bit = |square: &&str| square.parse::<Square>().unwrap().bit();
            let empty = empties.iter().map(bit).fold(0, |all, bit| all | bit);
            Scalar::OddQuadrants.count(&Position::new(!empty, 0).unwrap())
        };
        let cases: [(&[&str], usize); 8] = [
            (&[], 0),
            (&["a1", "b2"], 0),
            (&["h1"], 1),
            (&["a1", "h1"], 2),
            (&["h1", "h8"], 2),
            (&["a1", "h8"], 3),
            (&["a1", "h1", "a8"], 4),
            (&["a1", "h1", "a8", "h8"], 5),
        ];
        for (empties, expected) in cases {
            assert_eq!(empty_at(empties), expected, "{empties:?}");
        }
    }
}
