//! Weights from arrays of numbers, for example from a Python program.

use std::fmt::Display;
use std::ops::RangeInclusive;

use ndarray::{ArrayView1, ArrayView2};
use othello_engine::board::Phase;
use othello_engine::eval::{MAX_FACTOR, MAX_STEPS, STEPS_PER_DISC, Weights};
use othello_engine::pattern::{Geometry, PatternSet};
use sha2::{Digest as _, Sha256};

use super::tables::{Differences, ReadTables};

/// The numbers of weights, before rounding and checks.
#[derive(Clone, Copy, Debug)]
pub struct WeightArrays<'a> {
    /// The weights in steps: by phase and parameter.
    pub steps: ArrayView2<'a, f64>,
    /// The counts, if they are known: by phase and parameter.
    pub counts: Option<ArrayView2<'a, f64>>,
    /// The factors, required for a set with factors. A group of phases has a row, which contains
    /// the vectors of all parameters one after another.
    pub factors: Option<ArrayView2<'a, f32>>,
}

impl WeightArrays<'_> {
    /// Rounds the numbers to weights for a pattern set.
    ///
    /// # Errors
    ///
    /// A message for arrays of a wrong shape, and for numbers out of range.
    pub fn into_weights(self, set: PatternSet) -> Result<ReadTables, String> {
        let Self { steps, counts, factors } = self;
        let geometry = Geometry::new(&set);
        let phases = Phase::all().len();
        let by_parameter = [phases, geometry.parameters()];
        has_shape("weights", steps.shape(), by_parameter)?;
        if let Some(counts) = &counts {
            has_shape("counts", counts.shape(), by_parameter)?;
        }
        match (&factors, set.factors()) {
            (None, None) => {}
            (Some(factors), Some(shape)) => {
                let places = geometry.parameters() * shape.dimensions();
                has_shape("factors", factors.shape(), [shape.groups(), places])?;
            }
            (None, Some(_)) => return Err("the pattern set has factors, but none are given".into()),
            (Some(_), None) => return Err("factors are given, but the pattern set has none".into()),
        }
        let mut weights = Weights::zero(set);
        let mut differences = Differences::default();
        for phase in Phase::all() {
            let steps = steps.row(phase.index());
            let most = f64::from(MAX_STEPS);
            let name = format!("a weight of phase {phase}");
            in_range(steps, f64::round, -most..=most, [&name, " steps"])?;
            for step in steps {
                differences.add(step.round() as i16, step / f64::from(STEPS_PER_DISC));
            }
            weights.set_steps(phase, |parameter| steps[parameter].round() as i16);
            if let Some(counts) = counts.as_ref().map(|counts| counts.row(phase.index())) {
                let name = format!("a count of phase {phase}");
                in_range(counts, |count| count, 0.0..=f64::from(u32::MAX), [&name, ""])?;
                weights.set_counts(phase, |parameter| counts[parameter] as u32);
            }
        }
        if let (Some(factors), Some(own)) = (factors, weights.factors_mut()) {
            for (group, factors) in factors.outer_iter().enumerate() {
                let (most, name) = (f32::from(MAX_FACTOR), format!("a factor of group {group}"));
                in_range(factors, f32::round, -most..=most, [&name, ""])?;
                own.set_group(group, |place| factors[place].round() as i8);
            }
        }
        Ok(ReadTables { weights, rounding: differences.rounding() })
    }
}

fn has_shape(name: &str, found: &[usize], expected: [usize; 2]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("the {name} have the shape {found:?}; expected {expected:?}"))
}

/// Refuses numbers outside the range of weights, and NaN.
fn in_range<T: Copy + PartialOrd + Display>(
    numbers: ArrayView1<'_, T>,
    as_held: impl Fn(T) -> T,
    range: RangeInclusive<T>,
    [name, unit]: [&str; 2],
) -> Result<(), String> {
    match numbers.iter().find(|&&number| !range.contains(&as_held(number))) {
        None => Ok(()),
        Some(number) => {
            Err(format!("{name} is {number}{unit}; expected {} to {}", range.start(), range.end()))
        }
    }
}

/// Returns the SHA-256 of weights, counts and factors, with their pattern set, in hexadecimal.
pub fn checksum(weights: &Weights) -> String {
    let mut digest = Sha256::new_with_prefix(weights.set().to_toml());
    weights.all_steps().iter().for_each(|step| digest.update(step.to_le_bytes()));
    weights.all_counts().iter().for_each(|count| digest.update(count.to_le_bytes()));
    if let Some(factors) = weights.factors() {
        for group in 0..factors.shape().groups() {
            factors.group(group).iter().for_each(|factor| digest.update(factor.to_le_bytes()));
        }
    }
    hex::encode(digest.finalize())
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use othello_engine::pattern::FactorShape;

    use super::*;

    const SET: &str = "name = \"tiny\"\n[[pattern]]\nsquares = \"a1 b1 c1\"\n";

    #[test]
    fn factors_beyond_what_a_file_holds_are_refused() {
        let set = PatternSet::from_toml(SET).unwrap().with_factors(FactorShape::new(8, 25));
        let mut factors = Array2::zeros((3, 27 * 8));
        factors[[1, 5]] = 127.6;
        let steps = Array2::zeros((60, 27));
        let arrays =
            WeightArrays { steps: steps.view(), counts: None, factors: Some(factors.view()) };
        let error = arrays.into_weights(set).unwrap_err();
        assert!(error.contains("a factor of group 1 is 127.6"), "{error}");
    }

    #[test]
    fn arrays_of_another_shape_are_refused_by_name() {
        let refused = |steps: [usize; 2], counts: Option<[usize; 2]>, factors: bool| {
            let (steps, counts) = (Array2::zeros(steps), counts.map(Array2::zeros));
            let factors = factors.then(|| Array2::zeros((1, 1)));
            let arrays = WeightArrays {
                steps: steps.view(),
                counts: counts.as_ref().map(|counts| counts.view()),
                factors: factors.as_ref().map(|factors| factors.view()),
            };
            arrays.into_weights(PatternSet::from_toml(SET).unwrap()).unwrap_err()
        };
        assert_eq!(
            refused([60, 3], None, false),
            "the weights have the shape [60, 3]; expected [60, 27]"
        );
        assert!(refused([60, 27], Some([1, 27]), false).starts_with("the counts have the shape"));
        assert!(refused([60, 27], None, true).contains("the pattern set has none"));
    }
}
