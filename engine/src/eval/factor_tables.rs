//! Factors expanded for play: a vector for every configuration, and their sum over all lanes.

use std::borrow::Cow;

use super::factor_sum::{Places, sum};
use super::layout::{CacheLine, MARGIN, TableLayout};
use super::steps_of_sum;
use crate::board::Phase;
use crate::pattern::{FactorShape, Geometry};
use crate::simd::Instructions;

/// The factors of all groups of phases, by configuration, in the layout of
/// [`expand_factors`](super::layout::expand_factors).
#[derive(Clone, Debug)]
pub(super) struct FactorTables {
    shape: FactorShape,
    /// The number of vectors from one group to the next.
    stride: usize,
    vectors: Cow<'static, [CacheLine]>,
}

impl FactorTables {
    /// Wraps vectors that were expanded for this geometry.
    pub(super) fn new(
        geometry: &Geometry,
        shape: FactorShape,
        vectors: Cow<'static, [CacheLine]>,
    ) -> Self {
        let layout = TableLayout::new(geometry);
        let bytes = size_of_val(&vectors[..]);
        assert!(bytes >= layout.bytes_of_factors(shape), "factors of another pattern set");
        Self { shape, stride: layout.stride, vectors }
    }

    /// Returns the shape of the factors.
    pub(super) fn shape(&self) -> FactorShape {
        self.shape
    }

    /// Returns the group of a phase.
    #[inline]
    pub(super) fn group(&self, phase: usize) -> usize {
        Phase::new(phase).map_or(0, |phase| self.shape.group(phase))
    }

    /// Returns the vectors of all groups, one after another.
    pub(super) fn vectors(&self) -> &[i8] {
        bytemuck::cast_slice(&self.vectors)
    }

    /// Returns the numbers of a position's vectors, counted over all groups.
    pub(super) fn places(&self, phase: Phase, places: Places<'_>) -> impl Iterator<Item = u32> {
        let first = (MARGIN + self.shape.group(phase) * self.stride) as u32;
        let lanes = places.lanes().into_iter();
        let others = places.others.iter().map(|&place| place.cast_signed());
        lanes.chain(others).map(move |place| first.wrapping_add_signed(place))
    }

    /// Returns the worth of the sum of a position's vectors, in steps.
    #[inline(always)]
    pub(super) fn steps<I: Instructions>(&self, set: I, phase: Phase, places: Places<'_>) -> i32 {
        match self.shape.dimensions() {
            8 => self.steps_of::<I, 8>(set, phase, places),
            16 => self.steps_of::<I, 16>(set, phase, places),
            32 => self.steps_of::<I, 32>(set, phase, places),
            64 => self.steps_of::<I, 64>(set, phase, places),
            _ => self.steps_of::<I, 128>(set, phase, places),
        }
    }

    #[inline(always)]
    fn steps_of<I: Instructions, const DIMENSIONS: usize>(
        &self,
        set: I,
        phase: Phase,
        places: Places<'_>,
    ) -> i32 {
        let first = self.shape.group(phase) * self.stride;
        let (vectors, _) = bytemuck::cast_slice::<CacheLine, i8>(&self.vectors).as_chunks();
        let vectors = &vectors[first..][..self.stride + 2 * MARGIN];
        steps_of_sum(&sum::<I, DIMENSIONS>(set, vectors, places))
    }
}

#[cfg(test)]
mod tests {
    use crate::board::transcript::Step;
    use crate::board::{Phase, Symmetry};
    #[cfg(feature = "embedded")]
    use crate::eval::layout;
    use crate::eval::{Evaluate, STEPS_PER_DISC, Tables, Value, Weights};
    use crate::pattern::{FactorShape, PatternSet};
    use crate::random::{Generator, random_game};

    /// Draws weights and factors so small that few values are clamped.
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
        for (set, dimensions, phases) in [
            ("scalars", 8, 20),
            ("small", 16, 7),
            ("small", 32, 60),
            ("small", 64, 60),
            ("small", 128, 60),
            ("edax", 8, 60),
        ] {
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

    #[cfg(feature = "embedded")]
    #[test]
    fn factors_fold_back_from_what_they_are_expanded_to() {
        let expected = weights("small", FactorShape::new(8, 20).unwrap());
        let (geometry, factors) = (expected.geometry(), expected.factors().unwrap());
        let mut folded = Weights::zero(expected.set().clone());
        let vectors = layout::expand_factors(geometry, factors);
        layout::fold_factors(geometry, &vectors, folded.factors_mut().unwrap());
        assert!(folded.factors() == Some(factors));
    }

    #[test]
    fn factors_are_left_out_where_they_hardly_ever_move_a_value_across_the_window() {
        let shape = FactorShape::new(16, 7).unwrap();
        let tables = Tables::new(&weights("small", shape));
        let (mut left_out, mut wrong, mut all) = (0, 0, 0);
        for game in 0..20 {
            for step in random_game(7, game, usize::MAX).steps {
                let Step { position, square, .. } = step;
                let flips = position.flips(square);
                let (state, after) = (tables.state(&position), position.after(square, flips));
                let value = tables.value_after(&state, square, flips, &after);
                for discs in [-60, -30, -10, 0, 10, 30, 60] {
                    let alpha = Value::clamped(value.steps() + discs * STEPS_PER_DISC);
                    let window = [alpha, alpha + Value::STEP];
                    let found = tables.value_after_within(&state, square, flips, &after, window);
                    let [found_below, below] = [found, value].map(|value| value <= alpha);
                    all += 1;
                    left_out += u32::from(found != value);
                    wrong += u32::from(found_below != below);
                }
            }
        }
        assert!(3 * left_out > all, "{left_out} of {all} left out");
        assert!(100 * wrong < all, "{wrong} of {all} on the wrong side");
    }
}
