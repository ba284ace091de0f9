//! An update by Adam of those weights and factors that occur in a batch.
//!
//! First, the value, residual and sum of factor vectors of each position are computed, and a
//! counting sort lists the positions of each parameter. Then each gradient is added up in registers
//! and used at once. To store all gradients would take much more memory.

use othello_engine::simd::{InstructionSet, compiled_for};

use super::rows::{Scratch, Values};
use super::{FACTOR_LIMIT, FACTOR_SHIFT, own_square, take_own};
use crate::backend::cpu::vectors::{AdamElement, rounded_weight};
use crate::backend::{AdamStep, Group, Rows, WEIGHT_LIMIT};
use crate::model::Model;

/// The vectors of an update by Adam. Each holds the weights of a group's phases, then the factors.
pub(in crate::backend) struct Vectors<'v> {
    pub(in crate::backend) initial: &'v [f64],
    pub(in crate::backend) weights: &'v mut [f64],
    pub(in crate::backend) first: &'v mut [f64],
    pub(in crate::backend) second: &'v mut [f64],
    pub(in crate::backend) fixed: &'v mut [i32],
}

/// Sets `batch` to the residuals of all positions in `rows`: those of the first phase of `group`
/// first, then those of its other phases in order. Returns Σ weight · residual². Each element of
/// `rows` (a slice of positions) must have positions of only one phase.
fn measure<const DIMENSIONS: usize>(
    model: &Model,
    group: &Group,
    rows: &[Rows<'_>],
    fixed: &[i32],
    batch: &mut Scratch,
) -> u128 {
    batch.clear();
    let mut squared = 0;
    for &phase in &group.phases {
        for &rows in rows.iter().filter(|rows| rows.phase() == Some(phase)) {
            let values = Values::<DIMENSIONS>::new(model, group, fixed, group.weights(phase));
            squared += values.measure(rows, batch);
        }
        batch.ends_of_phases.push(batch.weighted.len() as u32);
    }
    squared
}

pub(super) fn descend<const DIMENSIONS: usize>(
    model: &Model,
    group: &Group,
    rows: &[Rows<'_>],
    step: &AdamStep,
    vectors: &mut Vectors<'_>,
    scratch: &mut Scratch,
) -> u128 {
    let squared = measure::<DIMENSIONS>(model, group, rows, vectors.fixed, scratch);
    if model.feature_count() > 0 {
        scratch.list(group.count(), model.feature_count());
        let instructions = model.instructions().within();
        Update::<DIMENSIONS> { group, step, scratch, vectors, instructions }.all();
    }
    squared
}

struct Update<'u, 'v, const DIMENSIONS: usize> {
    group: &'u Group,
    step: &'u AdamStep,
    scratch: &'u Scratch,
    vectors: &'u mut Vectors<'v>,
    instructions: InstructionSet,
}

impl<const DIMENSIONS: usize> Update<'_, '_, DIMENSIONS> {
    #[compiled_for(self.instructions)]
    fn all(&mut self) {
        let mut begin = 0;
        for (number, &end) in self.scratch.ends.iter().enumerate() {
            if begin < end {
                self.update(number, &self.scratch.positions[begin as usize..end as usize]);
            }
            begin = end;
        }
    }

    #[inline(always)]
    fn update(&mut self, number: usize, positions: &[u32]) {
        let Some(&occurrences) = self.group.occurrences.get(number) else { return };
        if occurrences == 0 {
            return;
        }
        let share = |here: u64| here as f64 / occurrences as f64;
        let (mut residuals, mut occurs) = (0, 0);
        let mut rest = positions;
        for phase in 0..self.group.phases.len() {
            let end = self.scratch.ends_of_phases[phase];
            let (own, others) = rest.split_at(rest.partition_point(|&position| position < end));
            rest = others;
            if own.is_empty() {
                continue;
            }
            let (mut sum, mut here) = (0, 0);
            for &position in own {
                sum += self.scratch.weighted[position as usize];
                here += u64::from(self.scratch.weights[position as usize]);
            }
            residuals += sum;
            occurs += here;
            let place = phase * self.group.count() + number;
            self.element(place, sum, self.step.ridge * share(here));
        }
        let sums = self.sums_of_factors(number, positions, residuals);
        let ridge = self.step.ridge * share(occurs);
        let first = self.group.factors().start + number * DIMENSIONS;
        for (dimension, sum) in sums.into_iter().enumerate() {
            self.element(first + dimension, sum, ridge);
        }
        self.round(number);
    }

    #[inline(always)]
    fn sums_of_factors(
        &self,
        number: usize,
        positions: &[u32],
        residuals: i64,
    ) -> [i64; DIMENSIONS] {
        let (added, _) = self.scratch.added.as_chunks::<DIMENSIONS>();
        let mut sums = [0i64; DIMENSIONS];
        for &position in positions {
            let added = &added[position as usize];
            sums.iter_mut().zip(added).for_each(|(sum, &term)| *sum += i64::from(term));
        }
        let (vectors, _) = self.vectors.fixed[self.group.factors()].as_chunks::<DIMENSIONS>();
        take_own(&mut sums, &vectors[number], residuals);
        sums
    }

    #[inline(always)]
    fn element(&mut self, place: usize, sum: i64, ridge: f64) {
        let Vectors { initial, weights, first, second, .. } = &mut *self.vectors;
        let element = AdamElement {
            weight: &mut weights[place],
            first: &mut first[place],
            second: &mut second[place],
        };
        element.update(sum, initial[place], ridge, self.step);
    }

    /// Rounds the factors and weights (one for each phase) of parameter `number` to fixed point.
    /// Subtracts the vector's [`own_square`] from each weight: a value is computed from the square
    /// of the sum of vectors, which also contains the square of each single vector.
    #[inline(always)]
    fn round(&mut self, number: usize) {
        let Vectors { weights, fixed, .. } = &mut *self.vectors;
        let first = self.group.factors().start + number * DIMENSIONS;
        let vector: &mut [i32] = &mut fixed[first..][..DIMENSIONS];
        for (fixed, &factor) in vector.iter_mut().zip(&weights[first..]) {
            *fixed = rounded_factor(factor);
        }
        let (vector, _) = vector.as_chunks::<DIMENSIONS>();
        let own = own_square(&vector[0]);
        for phase in 0..self.group.phases.len() {
            let place = phase * self.group.count() + number;
            let weight = rounded_weight(weights[place]) - own;
            fixed[place] = weight.clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
    }
}

/// Rounds an element of a factor vector to an integer in units of 2⁻¹⁶, limited to the range that a
/// weights file can store (±127/64); 0 for NaN.
#[inline(always)]
pub(super) fn rounded_factor(factor: f64) -> i32 {
    let limit = f64::from(FACTOR_LIMIT);
    let steps = (factor * f64::from(1 << FACTOR_SHIFT)).round_ties_even();
    let steps = if steps.is_nan() { 0.0 } else { steps.clamp(-limit, limit) };
    // SAFETY: a number within the limits is an `i32`. The checked conversion is not vectorised.
    unsafe { steps.to_int_unchecked() }
}
