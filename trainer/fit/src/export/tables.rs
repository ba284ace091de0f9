//! The common part of other programs' evaluation files: tables of weights by configuration, for
//! each number of discs on the board and each pattern.
//!
//! These files number a configuration in base 3. The first square is the most significant digit.
//! The digit is 0 for a disc of the player, 1 for one of the opponent, and 2 for an empty square.

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

/// Returns `dividend / divisor` rounded, halves away from zero. `divisor` must be even.
pub(super) const fn nearest(dividend: i32, divisor: i32) -> i32 {
    (dividend + divisor / 2 * dividend.signum()) / divisor
}

/// Returns the classes in the order of the configurations' numbers in other programs' files.
pub(super) fn classes_by_number(pattern: &PatternGeometry) -> Vec<usize> {
    let squares = pattern.squares();
    let class = |number: usize| {
        let (mut rest, mut index) = (number, 0);
        // The other program's least significant digit is the last square, our most significant one.
        for power in (0..squares).rev() {
            // Player, opponent and empty square are 0, 1, 2 in the file, and 2, 0, 1 here.
            index += [2, 0, 1][rest % 3] * configurations(power);
            rest /= 3;
        }
        usize::from(pattern.class_of[index])
    };
    (0..pattern.class_of.len()).map(class).collect()
}

/// Returns the parameter index of each distinct class in `classes`, in order of the first
/// occurrence there. Element n of `classes` is the class of another program's configuration n.
pub(super) fn first_met(pattern: &PatternGeometry, classes: Vec<usize>) -> Vec<usize> {
    let mut met = vec![false; pattern.classes];
    let new = classes.into_iter().filter(|&class| !std::mem::replace(&mut met[class], true));
    new.map(|class| pattern.first_parameter + class).collect()
}

/// Converts `weights` to the pattern set of `program`, whose patterns may be in another order or
/// symmetric images. Parameters that only this set has get the weight 0; a pattern or scalar
/// feature that only `weights` has is an error.
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

/// Returns, for each parameter of the set `target`, the index of its counterpart in `weights` (same
/// configuration up to symmetry, or same feature and value); `None` if it has none.
fn corresponding(
    program: Program,
    weights: &Weights,
    target: &PatternSet,
) -> Result<Vec<Option<usize>>, ExportError> {
    let (from, to) = (weights.geometry(), Geometry::new(target));
    let mut parameters = vec![None; to.parameters()];
    for (number, pattern) in weights.set().patterns().iter().enumerate() {
        let (place, digits) = place(pattern, target).ok_or_else(|| {
            program.lacks(format!(
                "pattern {} ({}) is not a pattern of {program}, up to a symmetry of the board",
                number + 1,
                pattern.name()
            ))
        })?;
        let (own, there) = (&from.patterns[number], &to.patterns[place]);
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

/// Finds an image of `pattern` in `target`: its index, and the index in it of each square's image.
fn place(pattern: &Pattern, target: &PatternSet) -> Option<(usize, Vec<usize>)> {
    target.patterns().iter().enumerate().find_map(|(place, other)| {
        let digits = Symmetry::all()
            .find_map(|symmetry| digits(pattern.squares(), symmetry, other.squares()));
        Some((place, digits?))
    })
}

/// Returns the index in `list` of each square's image by `symmetry`; `None` if one is not there.
fn digits(squares: &[Square], symmetry: Symmetry, list: &[Square]) -> Option<Vec<usize>> {
    if squares.len() != list.len() {
        return None;
    }
    let place = |&square: &Square| list.iter().position(|&other| other == symmetry.square(square));
    squares.iter().map(place).collect()
}

pub(super) const FINER_STEPS: i32 = 128;
/// The number of steps of 1/128 disc, Edax's and Zebra's unit, in a step of our weights.
pub(super) const FINENESS: i32 = FINER_STEPS / STEPS_PER_DISC;

/// Our evaluation has no constant term. An import adds that of the other program to the weights
/// of this pattern.
const WITH_CONSTANT: &str = "row 2";
const INSTANCES: i32 = 4;

/// Reads another program's weights, in 1/128 disc. `of_phase` returns a phase's weights, for the
/// parameters in `order`, and its constant. As our weights have no constant, a quarter of it is
/// added to each weight of the pattern `row 2`, which has four instances in every position.
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
            let held = held(nearest(dividend, divisor), phase, discs);
            steps[parameter] = held.map_err(|reason| program.refused(reason))?;
            differences.add(steps[parameter], discs);
        }
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    Ok(ReadTables { weights, rounding: differences.rounding() })
}

fn held(steps: i32, phase: Phase, discs: f64) -> Result<i16, String> {
    let most = weight_in_discs(MAX_STEPS);
    let held = i16::try_from(steps).ok().filter(|steps| (-MAX_STEPS..=MAX_STEPS).contains(steps));
    held.ok_or_else(|| {
        format!("phase {phase} has a weight of {discs:.2} discs; the maximum is {most:.2}")
    })
}
