//! Weights from arrays of numbers, such as a program in Python makes.

use ndarray::{ArrayView1, ArrayView2};
use othello_engine::board::Phase;
use othello_engine::eval::{MAX_FACTOR, MAX_STEPS, STEPS_PER_DISC, Weights};
use othello_engine::pattern::{Geometry, PatternSet};
use sha2::{Digest as _, Sha256};

use super::tables::{Differences, ReadTables};

/// The numbers of weights, not yet rounded or checked.
#[derive(Clone, Copy, Debug)]
pub struct WeightArrays<'a> {
    /// The weights in steps: by phase and parameter.
    pub steps: ArrayView2<'a, f64>,
    /// The counts, if they are known: by phase and parameter.
    pub counts: Option<ArrayView2<'a, f64>>,
    /// The factors, which a set with factors needs: a row for each group of phases, in which the
    /// vectors of all parameters stand one after another.
    pub factors: Option<ArrayView2<'a, f32>>,
}

impl WeightArrays<'_> {
    /// Rounds the numbers to weights for a pattern set.
    ///
    /// # Errors
    /// A message for arrays of another shape, and for numbers that weights cannot hold.
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
            set_steps(&mut weights, phase, steps.row(phase.index()), &mut differences)?;
            if let Some(counts) = &counts {
                set_counts(&mut weights, phase, counts.row(phase.index()))?;
            }
        }
        for (group, factors) in factors.iter().flat_map(|factors| factors.outer_iter()).enumerate()
        {
            set_factors(&mut weights, group, factors)?;
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

/// Rounds the weights of a phase.
fn set_steps(
    weights: &mut Weights,
    phase: Phase,
    row: ArrayView1<'_, f64>,
    differences: &mut Differences,
) -> Result<(), String> {
    let mut fitting = Vec::with_capacity(row.len());
    for &found in row {
        let rounded = found.round();
        // NaN is not in the range either.
        if !(-f64::from(MAX_STEPS)..=f64::from(MAX_STEPS)).contains(&rounded) {
            return Err(format!(
                "a weight of phase {phase} is {found} steps; from -{MAX_STEPS} to {MAX_STEPS} can be held"
            ));
        }
        differences.add(rounded as i16, found / f64::from(STEPS_PER_DISC));
        fitting.push(rounded as i16);
    }
    weights.set_steps(phase, |parameter| fitting[parameter]);
    Ok(())
}

/// Rounds the counts of a phase down.
fn set_counts(
    weights: &mut Weights,
    phase: Phase,
    counts: ArrayView1<'_, f64>,
) -> Result<(), String> {
    let most = f64::from(u32::MAX);
    // NaN is not in the range either.
    if let Some(count) = counts.iter().find(|count| !(0.0..=most).contains(*count)) {
        return Err(format!("a count of phase {phase} is {count}; from 0 to {most} can be held"));
    }
    weights.set_counts(phase, |parameter| counts[parameter] as u32);
    Ok(())
}

/// Rounds the factors of a group.
fn set_factors(
    weights: &mut Weights,
    group: usize,
    factors: ArrayView1<'_, f32>,
) -> Result<(), String> {
    let limit = f32::from(MAX_FACTOR);
    // NaN is not in the range either.
    if let Some(factor) = factors.iter().find(|factor| !(-limit..=limit).contains(&factor.round()))
    {
        return Err(format!(
            "a factor of group {group} is {factor}; from -{limit} to {limit} can be held"
        ));
    }
    if let Some(own) = weights.factors_mut() {
        own.set_group(group, |place| factors[place].round() as i8);
    }
    Ok(())
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
