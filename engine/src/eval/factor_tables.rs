//! Factors ready to play from: a vector for every configuration, and the sum over all lanes.

use super::factors::{Factors, steps_of_sum};
use super::layout::{MARGIN, TableLayout, places};
use crate::board::Phase;
use crate::pattern::{FactorShape, Geometry, Indices, Scalar};

/// The factors of all groups of phases, by configuration. A group is laid out as the weights of a phase
/// are ([`TableLayout`]), with a vector in the place of each weight.
#[derive(Clone, Debug)]
pub(super) struct FactorTables {
    shape: FactorShape,
    /// The instances' lanes; behind them there is nothing to add.
    instances: usize,
    vectors: Vec<i8>,
}

impl FactorTables {
    /// Expands factors.
    pub(super) fn new(geometry: &Geometry, layout: &TableLayout, factors: &Factors) -> Self {
        let shape = factors.shape();
        let dimensions = shape.dimensions();
        let mut vectors = vec![0; (layout.stride * shape.groups() + 2 * MARGIN) * dimensions];
        let places = places(geometry);
        let scalars = geometry.scalars.len() * Scalar::VALUES;
        let of_scalars =
            (0..scalars).map(|n| (layout.scalars + n, geometry.pattern_parameters + n));
        let places: Vec<(usize, usize)> = places.into_iter().chain(of_scalars).collect();
        for group in 0..shape.groups() {
            let vectors = &mut vectors[(MARGIN + group * layout.stride) * dimensions..];
            let by_parameter = factors.group(group);
            for &(place, parameter) in &places {
                vectors[place * dimensions..][..dimensions]
                    .copy_from_slice(&by_parameter[parameter * dimensions..][..dimensions]);
            }
        }
        Self { shape, instances: geometry.instances.len(), vectors }
    }

    /// What the lanes of a position and its scalar features, whose places are counted from the start of
    /// the phase, are worth together, in steps.
    #[inline]
    pub(super) fn steps(
        &self,
        layout: &TableLayout,
        phase: Phase,
        indices: &Indices,
        scalars: impl Iterator<Item = usize>,
    ) -> i32 {
        match self.shape.dimensions() {
            8 => self.steps_of::<8>(layout, phase, indices, scalars),
            16 => self.steps_of::<16>(layout, phase, indices, scalars),
            _ => self.steps_of::<32>(layout, phase, indices, scalars),
        }
    }

    /// Compiles to a load and an addition of a vector for each lane.
    #[inline]
    fn steps_of<const DIMENSIONS: usize>(
        &self,
        layout: &TableLayout,
        phase: Phase,
        indices: &Indices,
        scalars: impl Iterator<Item = usize>,
    ) -> i32 {
        let first = self.shape.group(phase) * layout.stride;
        let (vectors, _) = self.vectors.as_chunks::<DIMENSIONS>();
        let vectors = &vectors[first..][..layout.stride + 2 * MARGIN];
        let mut sum = [0i16; DIMENSIONS];
        let mut add = |place: usize| {
            sum.iter_mut()
                .zip(&vectors[place])
                .for_each(|(sum, &factor)| *sum += i16::from(factor));
        };
        let lanes = layout.middles.iter().zip(&indices.0).take(self.instances);
        for (&middle, &index) in lanes {
            add(MARGIN + (middle as usize).wrapping_add_signed(index.into()));
        }
        scalars.for_each(|place| add(MARGIN + place));
        steps_of_sum(&sum)
    }
}

#[cfg(test)]
mod tests {
    use crate::board::{Phase, Symmetry};
    use crate::eval::{Evaluate, Tables, Value, Weights};
    use crate::pattern::{FactorShape, PatternSet};
    use crate::random::{Generator, random_game};

    /// Weights and factors without order, small enough that few values are limited.
    fn weights(set: &str, shape: FactorShape) -> Weights {
        let set = PatternSet::shipped(set).unwrap().with_factors(Some(shape));
        let mut weights = Weights::zero(set);
        let mut random = Generator::new(5);
        let mut numbers = |count: usize, bound: u32| -> Vec<i16> {
            (0..count).map(|_| random.below(2 * bound + 1) as i16 - bound as i16).collect()
        };
        let parameters = weights.geometry().parameters();
        for phase in Phase::all() {
            let steps = numbers(parameters, 30);
            weights.set_steps(phase, |parameter| steps[parameter]);
        }
        let factors = weights.factors_mut().unwrap();
        for group in 0..shape.groups() {
            let drawn = numbers(parameters * shape.dimensions(), 12);
            factors.set_group(group, |place| drawn[place] as i8);
        }
        weights
    }

    #[test]
    fn tables_add_up_what_the_definition_does_for_every_image_of_a_position() {
        for (set, dimensions, phases) in
            [("scalars", 8, 20), ("small", 16, 7), ("small", 32, 60), ("edax", 8, 60)]
        {
            let weights = weights(set, FactorShape::new(dimensions, phases).unwrap());
            let tables = Tables::new(&weights);
            let mut together = 0;
            for step in random_game(9, 1, usize::MAX).steps {
                let position = step.position;
                let parts = weights.parts(&position).unwrap();
                together += parts.together.abs();
                for symmetry in Symmetry::all() {
                    let image = position.image(symmetry);
                    let value = tables.value(&tables.state(&image), &image);
                    assert_eq!(value, Value::clamped(parts.steps()), "{set}, {image:?}");
                }
            }
            assert!(together > 0);
        }
    }
}
