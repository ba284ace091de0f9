//! The common parts of other programs' evaluation files: for each number of discs and each pattern,
//! a table of weights by configuration.
//!
//! A configuration is numbered in base 3 there: the first square is the most significant digit; 0
//! is a disc of the player, 1 one of the opponent, 2 an empty square.

use othello_engine::board::{Phase, Square, Symmetry};
use othello_engine::eval::{STEPS_PER_DISC, Weights};
use othello_engine::pattern::{
    Geometry, Pattern, PatternGeometry, PatternSet, Scalar, configurations, permuted,
};
use serde::Serialize;

use super::error::ExportError;
use super::program::Program;

/// Weights read from another program's file, in our units.
#[derive(Clone, Debug)]
pub struct ReadTables {
    /// The weights; their counts are unknown and 0.
    pub weights: Weights,
    /// The rounding errors from the change of units.
    pub rounding: Rounding,
}

/// The differences between rounded and exact weights, over all configurations in a file, in discs.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, schemars::JsonSchema)]
pub struct Rounding {
    /// The largest difference of a weight.
    pub largest: f64,
    /// The root of the mean squared difference of a weight.
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

/// Returns the quotient by an even divisor, rounded to the nearest, halves away from zero.
pub(super) const fn nearest(dividend: i32, divisor: i32) -> i32 {
    (dividend + divisor / 2 * dividend.signum()) / divisor
}

/// Returns the class of each configuration, in the order of the other program's numbering.
pub(super) fn classes_by_number(pattern: &PatternGeometry) -> Vec<usize> {
    let squares = pattern.squares();
    let class = |number: usize| {
        let (mut rest, mut index) = (number, 0);
        // Their last digit is the last square, our most significant one.
        for power in (0..squares).rev() {
            // Player, opponent and empty are 0, 1, 2 there; 2, 0, 1 here.
            index += [2, 0, 1][rest % 3] * configurations(power);
            rest /= 3;
        }
        usize::from(pattern.class_of[index])
    };
    (0..pattern.class_of.len()).map(class).collect()
}

/// Returns the parameters of a pattern's classes in the order of their first configuration.
pub(super) fn first_met(pattern: &PatternGeometry, classes: Vec<usize>) -> Vec<usize> {
    let mut met = vec![false; pattern.classes];
    let new = classes.into_iter().filter(|&class| !std::mem::replace(&mut met[class], true));
    new.map(|class| pattern.first_parameter + class).collect()
}

/// Converts weights to a set that includes all their patterns and scalars, in any order and under
/// any symmetry. The other parameters become 0, with a count of 0.
pub(super) fn for_set(weights: &Weights, program: Program) -> Result<Weights, ExportError> {
    let set = program.set();
    if weights.factors().is_some() {
        return Err(ExportError::Factors { program, set: set.name().to_owned() });
    }
    let mut there = Weights::zero(set);
    let parameters = Correspondence { program, from: weights, to: there.set() }.parameters()?;
    for phase in Phase::all() {
        let (steps, counts) = (weights.steps(phase), weights.counts(phase));
        there.set_steps(phase, |parameter| parameters[parameter].map_or(0, |own| steps[own]));
        there.set_counts(phase, |parameter| parameters[parameter].map_or(0, |own| counts[own]));
    }
    Ok(there)
}

struct Correspondence<'a> {
    program: Program,
    from: &'a Weights,
    to: &'a PatternSet,
}

impl Correspondence<'_> {
    /// Returns, for each parameter of the set, the corresponding parameter of the weights, if any.
    fn parameters(&self) -> Result<Vec<Option<usize>>, ExportError> {
        let (from, to) = (self.from.geometry(), Geometry::new(self.to));
        let mut parameters = vec![None; to.parameters()];
        for (number, pattern) in self.from.set().patterns().iter().enumerate() {
            let (place, digits) = self.place(pattern).ok_or_else(|| ExportError::Pattern {
                program: self.program,
                set: self.to.name().to_owned(),
                number: number + 1,
                name: pattern.name().to_owned(),
            })?;
            let (own, there) = (&from.patterns[number], &to.patterns[place]);
            for (index, &class) in own.class_of.iter().enumerate() {
                let image = there.class_of[permuted(index, &digits)];
                let parameter = there.first_parameter + usize::from(image);
                parameters[parameter] = Some(own.first_parameter + usize::from(class));
            }
        }
        for (number, &scalar) in self.from.set().scalars().iter().enumerate() {
            let place = self.to.scalars().iter().position(|&other| other == scalar);
            let place = place.ok_or_else(|| ExportError::Scalar {
                program: self.program,
                set: self.to.name().to_owned(),
                scalar,
            })?;
            for count in 0..Scalar::VALUES {
                parameters[to.pattern_parameters + place * Scalar::VALUES + count] =
                    Some(from.pattern_parameters + number * Scalar::VALUES + count);
            }
        }
        Ok(parameters)
    }

    /// Returns the place of the pattern in the other set, and the place of each of its digits.
    fn place(&self, pattern: &Pattern) -> Option<(usize, Vec<usize>)> {
        self.to.patterns().iter().enumerate().find_map(|(place, other)| {
            let digits = Symmetry::all()
                .find_map(|symmetry| digits(pattern.squares(), symmetry, other.squares()));
            Some((place, digits?))
        })
    }
}

/// Returns, for each square, the place of its image in a list of equal length, if all images are in
/// the list.
fn digits(squares: &[Square], symmetry: Symmetry, list: &[Square]) -> Option<Vec<usize>> {
    if squares.len() != list.len() {
        return None;
    }
    let place = |&square: &Square| list.iter().position(|&other| other == symmetry.square(square));
    squares.iter().map(place).collect()
}
