//! The move-ordering evaluation: a few patterns whose weights order moves in the last plies. There,
//! the search does not update pattern indices, so configurations are computed from the board.

use super::MoveOrderingWeights;
use crate::board::{Position, Square, extract};
use crate::pattern::{Geometry, MAX_SQUARES};
use crate::simd::{Instructions, Portable};
use crate::with_instructions;

/// The move-ordering evaluation, with one weight for each configuration of each pattern.
#[derive(Clone, Debug)]
pub struct MoveOrdering {
    instances: Vec<Instance>,
    weights: Vec<i16>,
    strength: i32,
}

#[derive(Clone, Debug)]
struct Instance {
    squares: u64,
    /// For each subset of `squares`, the sum of 3^i over its squares, where i is a square's index
    /// in the pattern's list. [`extract`] computes the index of a subset in this table.
    digits: Box<[i16; 1 << MAX_SQUARES]>,
    /// The index in `MoveOrdering::weights` of the weight for empty squares (configuration 0).
    middle: usize,
}

impl Instance {
    #[inline(always)]
    fn digits_of<I: Instructions>(&self, set: I, board: u64) -> i16 {
        self.digits[extract(set, board, self.squares) as usize % (1 << MAX_SQUARES)]
    }
}

impl MoveOrdering {
    /// Expands weights by class of symmetric configurations to weights by configuration.
    pub fn new(weights: &MoveOrderingWeights) -> Self {
        let geometry = Geometry::new(weights.set());
        let (mut expanded, mut middles) = (vec![], vec![]);
        for pattern in &geometry.patterns {
            middles.push(expanded.len() + pattern.middle());
            let parameter = |&class: &u16| pattern.first_parameter + usize::from(class);
            expanded.extend(pattern.class_of.iter().map(|class| weights.steps()[parameter(class)]));
        }
        let instance = |instance: &crate::pattern::Instance| Instance {
            squares: instance.squares.iter().map(|square| square.bit()).sum(),
            digits: digits(&instance.squares),
            middle: middles[instance.pattern],
        };
        let instances = geometry.instances.iter().map(instance).collect();
        Self { instances, weights: expanded, strength: weights.strength().into() }
    }

    /// Returns the move-ordering value for the side to move, in steps of 1/32 disc: the sum of the
    /// weights of all pattern instances.
    #[inline]
    pub fn steps(&self, position: &Position) -> i32 {
        with_instructions!(|set| self.steps_by(set, position))
    }

    #[inline(always)]
    fn steps_by<I: Instructions>(&self, set: I, position: &Position) -> i32 {
        // A loop, because the closure of an iterator's sum is compiled without the instruction set.
        let mut steps = 0;
        for instance in &self.instances {
            let player = instance.digits_of(set, position.player());
            let configuration = player - instance.digits_of(set, position.opponent());
            let place = instance.middle.wrapping_add_signed(configuration.into());
            steps += self.weights.get(place).map_or(0, |&weight| i32::from(weight));
        }
        steps
    }

    /// Returns the number of points to subtract from the score of the move to `child`. It is
    /// v · `strength` / 32, where v is the move-ordering value of `child` in discs.
    #[inline(always)]
    pub(crate) fn cost<I: Instructions>(&self, set: I, child: &Position) -> i32 {
        (self.steps_by(set, child) * self.strength) >> 10
    }
}

fn digits(squares: &[Square]) -> Box<[i16; 1 << MAX_SQUARES]> {
    let all: u64 = squares.iter().map(|square| square.bit()).sum();
    let mut digits = Box::new([0; 1 << MAX_SQUARES]);
    for (place, square) in squares.iter().enumerate() {
        let bit = extract(Portable, square.bit(), all) as usize;
        let with_it = (0..1 << squares.len()).filter(|set| set & bit != 0);
        with_it.for_each(|set| digits[set] += 3i16.pow(place as u32));
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Symmetry;
    use crate::pattern::PatternSet;
    use crate::random::Generator;

    const SET: &str = "name = \"t\"\n\
        [[pattern]]\nname = \"corner\"\nsquares = \"c3 a1 b1 c1 a2 b2 c2 a3 b3\"\n\
        [[pattern]]\nname = \"edge\"\nsquares = \"h1 g1 f1 e1 d1 c1 b1 a1 b2 g2\"\n\
        [[pattern]]\nname = \"centre\"\nsquares = \"d4 e4 d5 e5\"\n\
        [[pattern]]\nname = \"crooked\"\nsquares = \"b1 c3 h7\"\n";

    #[test]
    fn the_steps_are_the_sum_of_the_weights_of_all_instances() {
        let set = PatternSet::from_toml(SET).unwrap();
        let geometry = Geometry::new(&set);
        let mut random = Generator::new(8);
        let steps = (0..geometry.parameters()).map(|_| random.below(401) as i16 - 200);
        let steps: Vec<i16> = steps.collect();
        let weights = MoveOrderingWeights::new(set, 100, steps.clone()).unwrap();
        let ordering = MoveOrdering::new(&weights);
        for _ in 0..2_000 {
            let (a, b) = (random.next_u64(), random.next_u64());
            let position = Position::new(a & b, !a & b).unwrap();
            let expected: i32 =
                geometry.parameters_of(&position).map(|p| i32::from(steps[p])).sum();
            assert_eq!(ordering.steps(&position), expected);
            assert_eq!(ordering.cost(Portable, &position), (expected * 100).div_euclid(1024));
            for symmetry in Symmetry::all() {
                assert_eq!(ordering.steps(&position.image(symmetry)), expected);
            }
        }
    }
}
