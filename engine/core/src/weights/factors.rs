//! Interactions of patterns: a factorization machine (Rendle 2010) in addition to the weights.
//!
//! Every parameter (a class of symmetric configurations, or a count of a scalar feature) has a
//! factor vector. If s is the sum of the vectors of a position's parameters, the value contains
//! ½ Σ s_d² over the first half of the elements, minus ½ Σ s_d² over the second half. (Rendle's
//! machine adds all squares; subtracting half of them lowers the error at the same width.) All
//! arithmetic is in integers.

use super::STEPS_PER_DISC;
use crate::board::Phase;
use crate::file::Section;
use crate::pattern::FactorShape;

/// The number of units in 1 √disc. A factor is stored as an integer in these units.
pub const FACTORS_PER_UNIT: i32 = 64;

/// The greatest absolute value of a stored factor, in units of 1/64 √disc.
pub const MAX_FACTOR: i8 = 127;

const FACTORS: &str = "factors";

/// The factor vectors: in each group of consecutive phases, one vector for each parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factors {
    pub(super) shape: FactorShape,
    pub(super) parameters: usize,
    pub(super) groups: Vec<Vec<i8>>,
}

impl Factors {
    /// Creates factors that are all 0, for `parameters` parameters in each phase.
    pub fn zero(shape: FactorShape, parameters: usize) -> Self {
        let groups = vec![vec![0; parameters * shape.dimensions()]; shape.groups()];
        Self { shape, parameters, groups }
    }

    /// Merges each k groups of phases into one, where k = new / old number of phases in a group.
    /// `None` unless k is an integer and the new vectors are at least k times as wide. Each half of
    /// a new vector joins the same halves of n ≤ k old vectors, divided by √n so that products of
    /// vectors become means of the old products, and ends with zeros.
    pub(super) fn reshaped(&self, shape: FactorShape) -> Option<Self> {
        let (before, after) = (self.shape.dimensions() / 2, shape.dimensions() / 2);
        let merged = shape.phases() / self.shape.phases();
        if !shape.phases().is_multiple_of(self.shape.phases()) || after < merged * before {
            return None;
        }
        let mut reshaped = Self::zero(shape, self.parameters);
        for (wide, old) in reshaped.groups.iter_mut().zip(self.groups.chunks(merged)) {
            // Rounds ties to even: away from 0, factors would become larger on average.
            let scale = 1.0 / (old.len() as f64).sqrt();
            let scaled = |&factor: &i8| (f64::from(factor) * scale).round_ties_even() as i8;
            for (number, narrow) in old.iter().enumerate() {
                for (wide, narrow) in wide.chunks_exact_mut(after).zip(narrow.chunks_exact(before))
                {
                    let wide = &mut wide[number * before..][..before];
                    wide.iter_mut().zip(narrow).for_each(|(wide, narrow)| *wide = scaled(narrow));
                }
            }
        }
        Some(reshaped)
    }

    /// Returns the width of the factor vectors, and the number of phases that share each vector.
    pub fn shape(&self) -> FactorShape {
        self.shape
    }

    /// Returns the factor vectors of all parameters in a phase, one vector after another.
    pub fn of(&self, phase: Phase) -> &[i8] {
        &self.groups[self.shape.group(phase)]
    }

    /// Returns the factor vectors that the phases of a group share, one vector for each parameter,
    /// end to end.
    pub fn group(&self, group: usize) -> &[i8] {
        &self.groups[group]
    }

    /// Sets each factor of a group of phases to `f(index)`, limited to ±[`MAX_FACTOR`]. Element d
    /// of the vector of parameter p has the index p · w + d, where w is the width of the vectors.
    pub fn set_group(&mut self, group: usize, f: impl Fn(usize) -> i8) {
        let factors = self.groups[group].iter_mut().enumerate();
        factors.for_each(|(place, factor)| *factor = f(place).max(-MAX_FACTOR));
    }

    /// Returns the contribution of the factors of `parameters` to a value, in steps of 1/32 disc.
    /// Tests compare the evaluation's faster methods with this simple one.
    pub fn steps(&self, phase: Phase, parameters: impl Iterator<Item = usize>) -> i32 {
        let mut sum = vec![0i16; self.shape.dimensions()];
        for parameter in parameters {
            let vector = self.vector(phase, parameter);
            sum.iter_mut().zip(vector).for_each(|(sum, &factor)| *sum += i16::from(factor));
        }
        steps_of_sum(&sum)
    }

    pub(super) fn vector(&self, phase: Phase, parameter: usize) -> &[i8] {
        let dimensions = self.shape.dimensions();
        &self.of(phase)[parameter * dimensions..][..dimensions]
    }

    pub(super) fn sections(&self) -> impl Iterator<Item = Section> {
        self.groups.iter().enumerate().map(|(group, factors)| Self::section_of(group, factors))
    }

    /// Returns the section that stores the factor vectors of all parameters in a group of phases.
    pub fn section_of(group: usize, factors: &[i8]) -> Section {
        let content = factors.iter().map(|factor| factor.cast_unsigned()).collect();
        Section { name: section_name(group), content }
    }

    /// Reads the index of a group of phases and its factor vectors from a section; `None` if the
    /// section has no factors.
    ///
    /// # Errors
    /// A message for a wrong length or a factor out of range.
    pub fn read_group(
        shape: FactorShape,
        parameters: usize,
        section: &Section,
    ) -> Result<Option<(usize, &[i8])>, String> {
        let group = (0..shape.groups()).find(|&group| section.name == section_name(group));
        let Some(group) = group else { return Ok(None) };
        let expected = parameters * shape.dimensions();
        if section.content.len() != expected {
            return Err(format!("has {} bytes; expected {expected}", section.content.len()));
        }
        let factors: &[i8] = bytemuck::cast_slice(&section.content);
        // The compiler vectorizes the minimum of all factors, but not a search for a wrong factor.
        let is_wrong = factors.iter().fold(0, |least, &factor| factor.min(least)) < -MAX_FACTOR;
        let find = || factors.iter().position(|&factor| factor < -MAX_FACTOR);
        let Some(place) = is_wrong.then(find).flatten() else { return Ok(Some((group, factors))) };
        let (parameter, factor) = (place / shape.dimensions(), factors[place]);
        let expected = format!("expected ±{MAX_FACTOR} at most");
        Err(format!("a factor of parameter {parameter} is {factor}; {expected}"))
    }
}

/// Returns the contribution of a factor vector to the value, in discs: ½ Σ v_d² over the first half
/// of the elements minus ½ Σ v_d² over the second. v_d is element d divided by 64.
pub fn own_worth(vector: &[i8]) -> f64 {
    let (added, taken) = vector.split_at(vector.len() / 2);
    let squares = |half: &[i8]| half.iter().map(|&factor| i32::from(factor).pow(2)).sum::<i32>();
    let unit = f64::from(2 * FACTORS_PER_UNIT * FACTORS_PER_UNIT);
    f64::from(squares(added) - squares(taken)) / unit
}

/// Returns the contribution of a position's factors to its value, in steps of 1/32 disc, rounded to
/// the nearest, halves up. In discs, it is ½ Σ s_d² over the first half of the elements minus
/// ½ Σ s_d² over the second half. `sum` is 64 · s, the sum of the position's factor vectors.
///
/// An element of `sum` is a sum of at most 80 factors from −127 to 127: at most ±10,160. The sum of
/// the squares of 32 elements is thus below 2³².
#[inline]
pub fn steps_of_sum(sum: &[i16]) -> i32 {
    const SHIFT: u32 = (2 * FACTORS_PER_UNIT * FACTORS_PER_UNIT / STEPS_PER_DISC).ilog2();
    let (added, taken) = sum.split_at(sum.len() / 2);
    let of_chunk = |sums: &[i16]| -> i64 {
        let squares = sums.iter().map(|&sum| (i32::from(sum) * i32::from(sum)).cast_unsigned());
        i64::from(squares.fold(0, u32::wrapping_add))
    };
    let squares = |half: &[i16]| -> i64 { half.chunks(32).map(of_chunk).sum() };
    ((squares(added) - squares(taken) + (1 << (SHIFT - 1))) >> SHIFT) as i32
}

pub(super) fn section_name(group: usize) -> String {
    format!("{FACTORS} {group:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternSet;
    use crate::weights::Weights;

    #[test]
    fn a_sum_is_worth_half_its_squares() {
        // The integer 64 is a factor of 1, worth ½ disc; −128 in the second half costs 2 discs.
        assert_eq!(steps_of_sum(&[64, 0]), 16);
        assert_eq!(steps_of_sum(&[0, -128]), -64);
        assert_eq!(steps_of_sum(&[64, -128]), -48);
        // A step is 256. 8² + 8² = 128 is half a step, rounded up, even below 0; 11² = 121 is less.
        assert_eq!(steps_of_sum(&[8, 8, 0, 0]), 1);
        assert_eq!(steps_of_sum(&[0, 0, 8, 8]), 0);
        assert_eq!(steps_of_sum(&[11, 0]), 0);
        let (largest, zeros) = ([80 * 127; 64], [0; 64]);
        assert_eq!(steps_of_sum(&[&largest[..16], &zeros[..16]].concat()), 6_451_600);
        assert_eq!(steps_of_sum(&[&zeros[..16], &largest[..16]].concat()), -6_451_600);
        assert_eq!(steps_of_sum(&[largest, zeros].concat()), 4 * 6_451_600);
    }

    #[test]
    fn wider_factors_of_zero_add_nothing() {
        let mut factors = Factors::zero(FactorShape::new(8, 30).unwrap(), 3);
        factors.set_group(1, |place| (place as i8).wrapping_mul(77));
        let wide = factors.reshaped(FactorShape::new(32, 30).unwrap()).unwrap();
        assert_eq!((wide.group(1).len(), wide.shape().dimensions()), (96, 32));
        for phase in [0, 29, 30, 59].map(|phase| Phase::new(phase).unwrap()) {
            for parameters in [vec![], vec![1], vec![0, 2, 2], vec![0, 1, 2]] {
                let of = |factors: &Factors| factors.steps(phase, parameters.iter().copied());
                assert_eq!(of(&wide), of(&factors), "{parameters:?}");
            }
        }
        assert_eq!(wide.reshaped(factors.shape()), None);
        assert_eq!(factors.reshaped(FactorShape::new(16, 20).unwrap()), None);
    }

    #[test]
    fn phases_that_come_to_share_factors_have_the_mean_of_their_joint_worth() {
        let mut factors = Factors::zero(FactorShape::new(8, 15).unwrap(), 3);
        for group in 0..4 {
            factors.set_group(group, |place| ((place + 31 * group) as i8).wrapping_mul(77));
        }
        assert_eq!(factors.reshaped(FactorShape::new(16, 60).unwrap()), None, "too few");
        let shared = factors.reshaped(FactorShape::new(64, 60).unwrap()).unwrap();
        let worth =
            |of: &Factors, phase| of.steps(Phase::new(phase).unwrap(), [0, 1, 2].into_iter());
        let mean =
            [0, 15, 30, 45].map(|phase| f64::from(worth(&factors, phase))).iter().sum::<f64>();
        // Merging four groups halves the factors. Rounding the odd ones changes values a little.
        assert!((f64::from(worth(&shared, 0)) - mean / 4.0).abs() < 12.0);
        assert!(mean.abs() > 200.0);
    }

    #[test]
    fn the_last_group_keeps_its_values_if_it_unites_fewer_groups_than_others() {
        let mut factors = Factors::zero(FactorShape::new(8, 20).unwrap(), 3);
        factors.set_group(2, |place| (place as i8).wrapping_mul(77));
        let shared = factors.reshaped(FactorShape::new(16, 40).unwrap()).unwrap();
        let steps = |of: &Factors| of.steps(Phase::new(59).unwrap(), [0, 1, 2].into_iter());
        assert_ne!(steps(&factors), 0);
        assert_eq!(steps(&shared), steps(&factors));
    }

    #[test]
    fn a_class_by_itself_is_worth_what_it_was_after_more_phases_share_its_factors() {
        let [few, many] =
            [(8, 5), (64, 20)].map(|(n, phases)| FactorShape::new(n, phases).unwrap());
        let mut weights =
            Weights::zero(PatternSet::shipped("discs").unwrap().with_factors(Some(few)));
        for group in 0..few.groups() {
            let factor = |place: usize| ((place + 31 * group) as i8).wrapping_mul(77);
            weights.factors_mut().unwrap().set_group(group, factor);
        }
        let shared = weights.clone().with_factors(many).unwrap();
        for phase in Phase::all() {
            for parameter in 0..weights.geometry().parameters() {
                let alone = |weights: &Weights| {
                    let together = weights.factors().unwrap().steps(phase, [parameter].into_iter());
                    i32::from(weights.steps(phase)[parameter]) + together
                };
                assert!((alone(&weights) - alone(&shared)).abs() <= 1);
            }
        }
        assert!(shared.with_factors(few).is_none());
    }
}
