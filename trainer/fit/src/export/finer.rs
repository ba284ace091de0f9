//! Conversion of weights in 1/128 disc, the unit of Edax and Zebra, to our coarser steps.

use othello_engine::board::Phase;
use othello_engine::eval::{MAX_STEPS, STEPS_PER_DISC, Weights, weight_in_discs};

use super::tables::{Differences, nearest};

pub(super) const FINER_STEPS: i32 = 128;
/// The number of steps of 1/128 disc in one of our steps.
pub(super) const FINENESS: i32 = FINER_STEPS / STEPS_PER_DISC;

/// The pattern whose weights absorb the constant.
const WITH_CONSTANT: &str = "row 2";
const INSTANCES: i32 = 4;

/// Weights in 1/128 disc, which are converted to those of our phases.
pub(super) struct FinerTables<'a> {
    /// The weights to set. Their pattern set includes `row 2`, which has four instances on every
    /// board.
    pub(super) weights: &'a mut Weights,
    /// The parameters in the order of the other program's file.
    pub(super) order: &'a [usize],
    pub(super) differences: Differences,
}

impl FinerTables<'_> {
    /// Sets the weights of a phase. The constant is divided among the four weights of row 2.
    /// Returns the reason if a weight is too large for our files.
    pub(super) fn set(
        &mut self,
        phase: Phase,
        theirs: &[i32],
        constant: i32,
    ) -> Result<(), String> {
        let patterns = self.weights.set().patterns().iter();
        let row = patterns
            .zip(&self.weights.geometry().patterns)
            .find(|(pattern, _)| pattern.name() == WITH_CONSTANT)
            .map_or(0..0, |(_, tied)| tied.first_parameter..tied.first_parameter + tied.classes);
        let mut steps = vec![0; self.order.len()];
        for (&parameter, &weight) in self.order.iter().zip(theirs) {
            let share = if row.contains(&parameter) { constant } else { 0 };
            let (dividend, divisor) = (weight * INSTANCES + share, INSTANCES * FINENESS);
            let discs = f64::from(dividend) / f64::from(INSTANCES * FINER_STEPS);
            steps[parameter] = held(nearest(dividend, divisor), phase, discs)?;
            self.differences.add(steps[parameter], discs);
        }
        self.weights.set_steps(phase, |parameter| steps[parameter]);
        Ok(())
    }
}

fn held(steps: i32, phase: Phase, discs: f64) -> Result<i16, String> {
    let most = weight_in_discs(MAX_STEPS);
    let held = i16::try_from(steps).ok().filter(|steps| (-MAX_STEPS..=MAX_STEPS).contains(steps));
    held.ok_or_else(|| {
        format!("phase {phase} has a weight of {discs:.2} discs; the maximum is {most:.2}")
    })
}
