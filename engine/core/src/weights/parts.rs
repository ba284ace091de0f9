use super::{Factors, Weights};
use crate::board::{Phase, Position, Square};
use crate::pattern::{Geometry, Pattern, PatternSet, Scalar};

/// The terms of a position's static value. The value is the sum of all terms, limited to ±64 discs.
#[derive(Clone, Debug)]
pub struct ValueParts<'a> {
    /// The phase of the position, which determines the weights.
    pub phase: Phase,
    /// The contributions of all pattern instances to the value, one pattern after another.
    pub instances: Vec<InstancePart<'a>>,
    /// The contributions of all scalar features to the value.
    pub scalars: Vec<ScalarPart>,
    /// The contribution of all factors together, in steps of 1/32 disc; 0 without factors.
    pub together: i32,
}

/// The contribution of one pattern instance to a position's value.
#[derive(Clone, Copy, Debug)]
pub struct InstancePart<'a> {
    /// The pattern, of which the instance can be a rotation or a reflection.
    pub pattern: &'a Pattern,
    /// The squares of the instance, in the pattern's order.
    pub squares: &'a [Square],
    /// The weight of the configuration that the position has on the squares of the instance.
    pub weight: PartWeight,
}

/// The contribution of one scalar feature to a position's value.
#[derive(Clone, Copy, Debug)]
pub struct ScalarPart {
    /// The scalar feature, such as the number of legal moves.
    pub scalar: Scalar,
    /// The number that the feature counts in the position, for example 8 if 8 moves are legal.
    pub number: usize,
    /// The weight of the feature for this `number`, in the phase of the position.
    pub weight: PartWeight,
}

/// A weight, and how often its parameter (pattern class or scalar count) occurs in training.
#[derive(Clone, Copy, Debug)]
pub struct PartWeight {
    /// The weight in steps of 1/32 disc.
    pub steps: i16,
    /// The number of occurrences of the weight's parameter in the training positions of the phase.
    pub count: u32,
}

impl<'a> ValueParts<'a> {
    /// Splits the value of a position into terms. For a phase, `of_phase` returns the position's
    /// weights (first of the pattern instances, then of the scalar features) and the contribution
    /// of the factors in steps of 1/32 disc. Returns `None` if the player has no legal move.
    pub fn new<W: IntoIterator<Item = PartWeight>>(
        set: &'a PatternSet,
        geometry: &'a Geometry,
        position: &Position,
        of_phase: impl FnOnce(Phase) -> (W, i32),
    ) -> Option<Self> {
        let phase = Phase::of(position).filter(|_| position.moves() != 0)?;
        let (weights, together) = of_phase(phase);
        let mut weights = weights.into_iter();
        let instances = geometry.instances.iter().zip(weights.by_ref());
        let instances = instances.map(|(instance, weight)| InstancePart {
            pattern: &set.patterns()[instance.pattern],
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
        Some(Self { phase, instances, scalars: scalars.collect(), together })
    }

    /// Returns the sum of all terms in steps of 1/32 disc, not limited to ±64 discs.
    pub fn steps(&self) -> i32 {
        let instances = self.instances.iter().map(|part| part.weight);
        let scalars = self.scalars.iter().map(|part| part.weight);
        instances.chain(scalars).map(|weight| i32::from(weight.steps)).sum::<i32>() + self.together
    }
}

impl Weights {
    /// Splits the value of a position into terms. Returns `None` if the player has no legal move.
    pub fn parts(&self, position: &Position) -> Option<ValueParts<'_>> {
        let geometry = self.geometry();
        ValueParts::new(self.set(), geometry, position, |phase| {
            let (steps, counts) = (self.steps(phase), self.counts(phase));
            let weight =
                |parameter: usize| PartWeight { steps: steps[parameter], count: counts[parameter] };
            let parameters = || geometry.parameters_of(position);
            let together = |factors: &Factors| factors.steps(phase, parameters());
            (parameters().map(weight), self.factors().map_or(0, together))
        })
    }
}
