use super::{Evaluate, Identified, STEPS_PER_DISC, Value};
use crate::board::{CORNERS, Position, Square, X_SQUARES};

/// An evaluation without a weights file.
#[derive(Clone, Copy, Debug)]
pub enum Handwritten {
    /// The value 0 for every position. A search then only distinguishes finished games.
    Zero,
    /// A weighted sum of the players' differences in legal moves, corners, and X squares (diagonal
    /// neighbours of corners) at empty corners.
    Mobility,
}

const MOVE: i32 = 3 * STEPS_PER_DISC / 4;
const CORNER: i32 = 8 * STEPS_PER_DISC;
const X_SQUARE_COST: i32 = 3 * STEPS_PER_DISC;

impl Evaluate for Handwritten {
    type State = ();

    fn state(&self, _: &Position) {}

    #[inline]
    fn after(&self, (): &(), _: Square, _: u64) {}

    #[inline]
    fn pass(&self, (): &()) {}

    #[inline]
    fn value(&self, (): &(), position: &Position) -> Value {
        match self {
            Self::Zero => Value::ZERO,
            Self::Mobility => mobility(position),
        }
    }
}

impl Identified for Handwritten {
    fn identity(&self) -> &str {
        match self {
            Self::Zero => "none",
            Self::Mobility => "mobility",
        }
    }
}

#[inline]
fn mobility(position: &Position) -> Value {
    let corners = position.empty() & CORNERS;
    let next_to = (corners << 9) | (corners << 7) | (corners >> 7) | (corners >> 9);
    let more = |squares: u64| {
        let count = |bits: u64| (bits & squares).count_ones() as i32;
        count(position.player()) - count(position.opponent())
    };
    let moves = position.moves().count_ones() as i32;
    let replies = position.pass().moves().count_ones() as i32;
    let x_squares = X_SQUARE_COST * more(next_to & X_SQUARES);
    Value::clamped(MOVE * (moves - replies) + CORNER * more(CORNERS) - x_squares)
}

#[cfg(test)]
mod tests {
    use super::Handwritten::Mobility;
    use super::*;
    use crate::board::Symmetry;
    use crate::random::Generator;

    fn steps(player: u64, opponent: u64) -> i32 {
        Mobility.value(&(), &Position::new(player, opponent).unwrap()).steps()
    }

    #[test]
    fn each_term_is_worth_what_it_says() {
        assert_eq!(Mobility.value(&(), &Position::START), Value::ZERO);
        assert_eq!(steps(1, 0), CORNER);
        assert_eq!(steps(1 << 9, 0), -X_SQUARE_COST);
        // The disc on b2 costs nothing, because a1 is not empty. Black has no move, white has c3.
        assert_eq!(steps(1 << 9, 1), -CORNER - MOVE);
        // The corner counts for black, who also has one legal move (c1); white has none.
        assert_eq!(steps(1, 2), CORNER + MOVE);
    }

    #[test]
    fn both_sides_and_all_images_see_the_same_value() {
        let mut random = Generator::new(2);
        for _ in 0..1_000 {
            let (a, b, c) = (random.next_u64(), random.next_u64(), random.next_u64());
            let position = Position::new(a & b, !a & b & c).unwrap();
            let value = Mobility.value(&(), &position);
            assert_eq!(Mobility.value(&(), &position.pass()), -value);
            for symmetry in Symmetry::all() {
                assert_eq!(Mobility.value(&(), &position.image(symmetry)), value);
            }
        }
    }
}
