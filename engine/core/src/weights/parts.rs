//! The parts of a value: what each instance of a pattern and each scalar feature contributes.

use super::{Factors, Weights};
use crate::board::{Phase, Position, Square};
use crate::pattern::{Pattern, Scalar};

/// The parts of a position's value. The value is their sum, limited to ±64 discs.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// The phase of the weights.
    pub phase: Phase,
    /// The parts of all instances, one pattern after another.
    pub instances: Vec<InstancePart<'a>>,
    /// The parts of the scalar features.
    pub scalars: Vec<ScalarPart>,
    /// The joint worth of all instances and scalar features, in steps; 0 without factors.
    pub together: i32,
}

/// The contribution of an instance.
#[derive(Clone, Copy, Debug)]
pub struct InstancePart<'a> {
    /// The pattern that the instance is an image of.
    pub pattern: &'a Pattern,
    /// The squares of the instance, in the pattern's order.
    pub squares: &'a [Square],
    /// The weight of the configuration on these squares.
    pub weight: PartWeight,
}

/// The contribution of a scalar feature.
#[derive(Clone, Copy, Debug)]
pub struct ScalarPart {
    /// The feature.
    pub scalar: Scalar,
    /// The feature's count in the position.
    pub number: usize,
    /// The weight of this count.
    pub weight: PartWeight,
}

/// A weight, and the number of times it was trained.
#[derive(Clone, Copy, Debug)]
pub struct PartWeight {
    /// The weight in steps.
    pub steps: i16,
    /// The number of times that training positions of the phase met it.
    pub count: u32,
}

impl Parts<'_> {
    /// Returns the sum of all parts in steps, not limited.
    pub fn steps(&self) -> i32 {
        let instances = self.instances.iter().map(|part| part.weight);
        let scalars = self.scalars.iter().map(|part| part.weight);
        instances.chain(scalars).map(|weight| i32::from(weight.steps)).sum::<i32>() + self.together
    }
}

impl Weights {
    /// Takes the value of a position apart. Returns `None` if the player has no move, since the
    /// value is then that after the pass, or the score.
    pub fn parts(&self, position: &Position) -> Option<Parts<'_>> {
        let phase = Phase::of(position).filter(|_| position.moves() != 0)?;
        let (steps, counts) = (self.steps(phase), self.counts(phase));
        let geometry = self.geometry();
        let mut weights = geometry
            .parameters_of(position)
            .map(|parameter| PartWeight { steps: steps[parameter], count: counts[parameter] });
        let instances = geometry.instances.iter().zip(weights.by_ref());
        let instances = instances.map(|(instance, weight)| InstancePart {
            pattern: &self.set().patterns()[instance.pattern],
            squares: &instance.squares,
            weight,
        });
        let instances = instances.collect();
        let scalars = geometry.scalars.iter().zip(weights);
        let scalars = scalars.map(|(&scalar, weight)| ScalarPart {
            scalar,
            number: scalar.count(position),
            weight,
        });
        let together = |factors: &Factors| factors.steps(phase, geometry.parameters_of(position));
        let together = self.factors().map_or(0, together);
        Some(Parts { phase, instances, scalars: scalars.collect(), together })
    }
}
