//! The code that the modules for other programs' evaluation files have in common. Such a file has a
//! table of weights by configuration for each number of discs on the board and each pattern.

use std::collections::HashSet;

use othello_engine::board::{Phase, Square, Symmetry};
use othello_engine::eval::{MAX_STEPS, STEPS_PER_DISC, Weights, weight_in_discs};
use othello_engine::pattern::{
    Geometry, Pattern, PatternGeometry, PatternSet, Scalar, configurations, permuted,
};
use serde::Serialize;

use super::{ExportError, Program};

/// Weights read from another program's file, converted to steps of 1/32 disc.
#[derive(Clone, Debug)]
pub struct ReadTables {
    /// The weights. If the file has no training counts, the counts of all parameters are 0.
    pub weights: Weights,
    /// The rounding errors of the conversion to steps of 1/32 disc.
    pub rounding: Rounding,
}

/// The differences between rounded and exact weights, over all configurations in a file, in discs.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, schemars::JsonSchema)]
pub struct Rounding {
    /// The largest absolute difference between a rounded and an exact weight, in discs.
    pub largest: f64,
    /// The root mean square of the differences between rounded and exact weights, in discs.
    pub rms: f64,
}

#[derive(Default)]
pub(super) struct Differences {
    largest: f64,
    squares: f64,
    number: f64,
}

impl Differences {
    pub(super) fn add(&mut self, steps: i16, discs: f64) {
        let difference = (f64::from(steps) / f64::from(STEPS_PER_DISC) - discs).abs();
        self.largest = self.largest.max(difference);
        self.squares += difference * difference;
        self.number += 1.0;
    }

    pub(super) fn rounding(&self) -> Rounding {
        let rms = if self.number > 0.0 { (self.squares / self.number).sqrt() } else { 0.0 };
        Rounding { largest: self.largest, rms }
    }
}

/// Returns the integer nearest to `dividend / divisor`, rounding halves away from zero. `divisor`
/// must be positive.
pub(super) const fn nearest(dividend: i32, divisor: i32) -> i32 {
    (dividend + divisor / 2 * dividend.signum()) / divisor
}

/// Returns the parameter index of each configuration of `pattern`, in the order of Edax and
/// Egaroucid. They number configurations in base 3: the first square is the most significant
/// digit; player 0, opponent 1, empty square 2.
pub(super) fn by_number(pattern: &PatternGeometry) -> impl Iterator<Item = usize> {
    let squares = pattern.squares();
    (0..pattern.class_of.len()).map(move |number| {
        let (mut rest, mut index) = (number, 0);
        // Our first square is the least significant digit; player 2, opponent 0, empty square 1.
        for power in (0..squares).rev() {
            index += [2, 0, 1][rest % 3] * configurations(power);
            rest /= 3;
        }
        pattern.first_parameter + usize::from(pattern.class_of[index])
    })
}

/// Returns each parameter once, in the order of first occurrence.
pub(super) fn distinct(parameters: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut met = HashSet::new();
    parameters.filter(|&parameter| met.insert(parameter)).collect()
}

/// Converts `weights` to the pattern set of `program`. The patterns of this set may have another
/// order, or be symmetric images of those in `weights`. Parameters that `weights` lacks get the
/// weight 0. Returns an error if `weights` has factors, or parameters that the set lacks.
pub(super) fn for_set(weights: &Weights, program: Program) -> Result<Weights, ExportError> {
    if weights.factors().is_some() {
        let reason = format!("the weights have factors, which {program}'s file cannot contain");
        return Err(program.lacks(reason));
    }
    let mut there = Weights::zero(program.set());
    let parameters = corresponding(program, weights, there.set())?;
    for phase in Phase::all() {
        let (steps, counts) = (weights.steps(phase), weights.counts(phase));
        there.set_steps(phase, |parameter| parameters[parameter].map_or(0, |own| steps[own]));
        there.set_counts(phase, |parameter| parameters[parameter].map_or(0, |own| counts[own]));
    }
    Ok(there)
}

/// Returns, for each parameter of `target`, the index in `weights` of the parameter that equals it
/// up to a symmetry of the board; `None` if `weights` lacks it.
fn corresponding(
    program: Program,
    weights: &Weights,
    target: &PatternSet,
) -> Result<Vec<Option<usize>>, ExportError> {
    let (from, to) = (weights.geometry(), Geometry::new(target));
    let mut parameters = vec![None; to.parameters()];
    let patterns = (1..).zip(weights.set().patterns()).zip(&from.patterns);
    for ((number, pattern), own) in patterns {
        let (place, digits) = place(pattern, target).ok_or_else(|| {
            let name = pattern.name();
            let missing = format!("pattern {number} ({name}) is not a pattern of {program}");
            program.lacks(format!("{missing}, up to a symmetry of the board"))
        })?;
        let there = &to.patterns[place];
        for (image, &class) in permuted(&digits).into_iter().zip(&own.class_of) {
            let image = there.class_of[image as usize];
            let parameter = there.first_parameter + usize::from(image);
            parameters[parameter] = Some(own.first_parameter + usize::from(class));
        }
    }
    for (number, &scalar) in weights.set().scalars().iter().enumerate() {
        let place = target.scalars().iter().position(|&other| other == scalar);
        let place = place.ok_or_else(|| {
            program.lacks(format!("{program}'s file cannot contain the scalar feature `{scalar}`"))
        })?;
        for count in 0..Scalar::VALUES {
            parameters[to.pattern_parameters + place * Scalar::VALUES + count] =
                Some(from.pattern_parameters + number * Scalar::VALUES + count);
        }
    }
    Ok(parameters)
}

/// Finds a pattern of `target` that is a symmetric image of `pattern`. Returns its index in
/// `target` and, for each square of `pattern`, the index of the square's image in that pattern.
fn place(pattern: &Pattern, target: &PatternSet) -> Option<(usize, Vec<usize>)> {
    let squares = pattern.squares();
    let others = target.patterns().iter().map(Pattern::squares).enumerate();
    others.filter(|(_, others)| others.len() == squares.len()).find_map(|(place, others)| {
        let digit = |square: Square| others.iter().position(|&other| other == square);
        let digits = |symmetry: Symmetry| -> Option<Vec<usize>> {
            squares.iter().map(|&own| digit(symmetry.square(own))).collect()
        };
        Some((place, Symmetry::all().find_map(digits)?))
    })
}

pub(super) const FINER_STEPS: i32 = 128;
/// The number of units of Edax and Zebra (1/128 disc) in a step of our weights (1/32 disc).
pub(super) const FINENESS: i32 = FINER_STEPS / STEPS_PER_DISC;

const WITH_CONSTANT: &str = "row 2";
const INSTANCES: i32 = 4;

/// Converts weights of `program`, in 1/128 disc, to ours. `of_phase` returns a phase's weights, for
/// the parameters in `order`, and a constant that `program` adds to each value. We have no such
/// constant, so a quarter of it is added to each weight of the pattern `row 2`: each position has
/// four instances of this pattern.
pub(super) fn read_finer(
    program: Program,
    order: &[usize],
    of_phase: impl Fn(Phase) -> (Vec<i32>, i32),
) -> Result<ReadTables, ExportError> {
    let mut weights = Weights::zero(program.set());
    let mut patterns = weights.set().patterns().iter().zip(&weights.geometry().patterns);
    let row = patterns
        .find(|(pattern, _)| pattern.name() == WITH_CONSTANT)
        .map_or(0..0, |(_, tied)| tied.first_parameter..tied.first_parameter + tied.classes);
    let mut differences = Differences::default();
    for phase in Phase::all() {
        let (theirs, constant) = of_phase(phase);
        let mut steps = vec![0; order.len()];
        for (&parameter, weight) in order.iter().zip(theirs) {
            let share = if row.contains(&parameter) { constant } else { 0 };
            let (dividend, divisor) = (weight * INSTANCES + share, INSTANCES * FINENESS);
            let discs = f64::from(dividend) / f64::from(INSTANCES * FINER_STEPS);
            let rounded = nearest(dividend, divisor);
            if rounded.abs() > MAX_STEPS.into() {
                let (weight, most) = (format!("{discs:.2} discs"), weight_in_discs(MAX_STEPS));
                let reason =
                    format!("phase {phase} has a weight of {weight}; the maximum is {most:.2}");
                return Err(program.refused(reason));
            }
            steps[parameter] = rounded as i16;
            differences.add(steps[parameter], discs);
        }
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    Ok(ReadTables { weights, rounding: differences.rounding() })
}
