//! Fits weights and factors of a group of phases (plies that share factors) on the CPU: computes
//! the values of positions, and the sums over positions from which Adam takes the gradients.
//!
//! The value of a position is the sum of its features' weights, plus the product of every pair of
//! their factor vectors (see [`crate::model`]). The signed square of a vector is the sum of the
//! squares of its first half of elements, minus that of its second half. Let S be the sum of the
//! vectors f of a position's features. The products of all pairs total half the signed square of S,
//! minus half the signed square of each f. `round_factors` subtracts half the signed square of f
//! from each feature's weight beforehand. A value then adds only half the signed square of S.
//!
//! The derivative of the value with respect to f is S − f, negated in the second half of elements.
//! So residual · S is computed once for a position, and added up for each of its parameters. Then
//! f times the sum of the residuals is subtracted for each parameter.
//!
//! The bounds in the following table are for 128 factors in a vector and 80 features in a position.
//! The weight of a position is in units of 1/64 occurrence. “In sums” means: clamped before it
//! enters the sums of derivatives. The last row's product is shifted right by 16 bits to its unit.
//!
//! | quantity | unit | bound |
//! |---|---|---|
//! | factor | 2⁻¹⁶ √disc | ±127/64 √disc: ±127 · 2¹⁰, less than 2¹⁷ |
//! | half the signed square of a vector | 2⁻¹⁸ disc | 64 squares of at most 2³⁴, / 2¹⁵: 2²⁵ |
//! | parameter's weight minus half the signed square | 2⁻¹⁸ disc | clamped to ±2²⁴ |
//! | element of S | 2⁻¹⁶ √disc | 80 · 2¹⁷ < 2²⁴ |
//! | sum of the squares of the 128 elements of S | 2⁻³² disc | 128 · 2⁴⁸ = 2⁵⁵ |
//! | value | 2⁻¹⁸ disc | clamped to ±2³⁰ |
//! | residual, in sums | 2⁻¹⁰ disc | clamped to ±2¹⁷ (128 discs) |
//! | element of S, in sums | 2⁻¹⁶ √disc | clamped to ±2²⁰ (16.0) |
//! | position's weight · residual · element of S | 2⁻¹⁶ disc·√disc | weight · 2²¹, clamped: ±2³¹ |
//!
//! A total weight of at most 2³³ ([`MAX_TOTAL_WEIGHT`](crate::backend::MAX_TOTAL_WEIGHT)) and fewer
//! than 2⁷ features per position bound the sums. Sums of weight · residual stay below 2⁵⁷, and sums
//! of the table's last row below 2⁶¹. The amounts subtracted for single vectors stay below 2⁵⁸.

mod rows;
#[cfg(test)]
mod tests;

use othello_engine::board::Phase;
use othello_engine::eval::{FACTORS_PER_UNIT, MAX_FACTOR};
use othello_engine::simd::{InstructionSet, compiled_for};

use super::sums::errors_by_chunks;
use super::{Cpu, rounded_weight, update_element};
use crate::backend::{AdamStep, Errors, Group, GroupUpdate, Moments, Rows, WEIGHT_LIMIT};
use crate::model::Model;
use rows::Values;

pub(in crate::backend) use rows::Scratch;

/// The number of fractional bits of a factor in fixed point: the factor 1 is 2¹⁶.
const FACTOR_SHIFT: u32 = 16;

const FACTOR_LIMIT: i32 = MAX_FACTOR as i32 * ((1 << FACTOR_SHIFT) / FACTORS_PER_UNIT);

/// The right shift that halves [`signed_squares`], and converts it from 2⁻³² disc to 2⁻¹⁸ disc.
const SQUARE_SHIFT: u32 = 32 - 18 + 1;

/// Evaluates `$body` with the run-time number `$dimensions` as the compile-time constant `$name`.
/// The number must be one of
/// [`FactorShape::DIMENSIONS`](othello_engine::pattern::FactorShape::DIMENSIONS).
#[macro_export]
macro_rules! for_dimensions {
    ($dimensions:expr, $name:ident => $body:expr) => {
        match $dimensions {
            8 => $crate::for_dimensions!(@ 8, $name => $body),
            16 => $crate::for_dimensions!(@ 16, $name => $body),
            32 => $crate::for_dimensions!(@ 32, $name => $body),
            64 => $crate::for_dimensions!(@ 64, $name => $body),
            _ => $crate::for_dimensions!(@ 128, $name => $body),
        }
    };
    (@ $dimensions:literal, $name:ident => $body:expr) => {{
        const $name: usize = $dimensions;
        $body
    }};
}
pub use for_dimensions;

/// Converts the factors in `from` to fixed point, and writes them to `to`. The weights in `to` must
/// be in fixed point already. Subtracts from each of them half the signed square of its parameter's
/// factor vector ([`own_square`]).
#[compiled_for(InstructionSet::chosen())]
pub(super) fn round_factors<const DIMENSIONS: usize>(group: &Group, from: &[f64], to: &mut [i32]) {
    let (weights, factors) = to.split_at_mut(group.factors().start);
    for (fixed, &factor) in factors.iter_mut().zip(&from[group.factors()]) {
        *fixed = rounded_factor(factor);
    }
    let (vectors, _) = factors.as_chunks::<DIMENSIONS>();
    for weights in weights.chunks_exact_mut(group.count()) {
        for (weight, vector) in weights.iter_mut().zip(vectors) {
            *weight = (*weight - own_square(vector)).clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
    }
}

/// Returns half the signed square of a factor vector (see the head of this file), in 2⁻¹⁸ disc:
/// ½ Σ f² over its first half minus ½ Σ f² over its second half, where factors f are in 2⁻¹⁶ √disc.
#[inline(always)]
fn own_square<const DIMENSIONS: usize>(vector: &[i32; DIMENSIONS]) -> i32 {
    halved(signed_squares(vector)) as i32
}

#[inline(always)]
fn signed_squares<const DIMENSIONS: usize>(elements: &[i32; DIMENSIONS]) -> i64 {
    let squares = elements.map(|element| i64::from(element) * i64::from(element));
    let (added, taken) = squares.split_at(DIMENSIONS / 2);
    added.iter().sum::<i64>() - taken.iter().sum::<i64>()
}

#[inline(always)]
fn halved(squares: i64) -> i64 {
    (squares + (1 << (SQUARE_SHIFT - 1))) >> SQUARE_SHIFT
}

pub(super) fn errors(model: &Model, group: &Group, rows: &[Rows<'_>], vector: &[i32]) -> Errors {
    errors_by_chunks(rows, |rows| {
        let Some(phase) = rows.phase() else { return Errors::default() };
        debug_assert!(rows.positions.iter().all(|row| Phase::of(&row.position()) == Some(phase)));
        for_dimensions!(group.dimensions, D => {
            Values::<D>::new(model, group, vector, phase).errors(rows)
        })
    })
}

// First, the value, residual and sum of factor vectors of each position are computed, and a
// counting sort lists the positions of each parameter. Then each gradient is added up in registers
// and used at once. To store all gradients would take much more memory.

/// Does one step of Adam for the batch `rows`: updates the weights and factors of the parameters
/// that occur in its positions. All positions in one element of `rows` have the same phase.
pub(super) fn descend<const DIMENSIONS: usize>(
    model: &Model,
    group: &Group,
    rows: &[Rows<'_>],
    GroupUpdate { step, initial, moments, fixed, squares }: GroupUpdate<'_, Cpu<'_>>,
    scratch: &mut Scratch,
) {
    scratch.clear();
    for &phase in &group.phases {
        for &rows in rows.iter().filter(|rows| rows.phase() == Some(phase)) {
            let values = Values::<DIMENSIONS>::new(model, group, fixed, phase);
            *squares += values.measure(rows, scratch);
        }
        scratch.ends_of_phases.push(scratch.weighted.len() as u32);
    }
    if model.feature_count() > 0 {
        scratch.list(group.count(), model.feature_count());
        let Moments { weights, first, second } = moments;
        let vectors = [&mut weights[..], first, second];
        let instructions = model.instructions().within();
        Update::<DIMENSIONS> { group, step, scratch, initial, vectors, fixed, instructions }.all();
    }
}

struct Update<'u, const DIMENSIONS: usize> {
    group: &'u Group,
    step: &'u AdamStep,
    scratch: &'u Scratch,
    initial: &'u [f64],
    /// The weights and factors, then the running means of their gradients and of the squared
    /// gradients.
    vectors: [&'u mut [f64]; 3],
    fixed: &'u mut [i32],
    instructions: InstructionSet,
}

impl<const DIMENSIONS: usize> Update<'_, DIMENSIONS> {
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
        let sums = self.factor_sums(number, positions, residuals);
        let ridge = self.step.ridge * share(occurs);
        let first = self.group.factors().start + number * DIMENSIONS;
        for (dimension, sum) in sums.into_iter().enumerate() {
            self.element(first + dimension, sum, ridge);
        }
        self.round(number);
    }

    /// Returns Σ weight · residual · ∂value/∂f over `positions`, for each factor f of the parameter
    /// `number`. The argument `residuals` is Σ weight · residual over the same positions.
    #[inline(always)]
    fn factor_sums(&self, number: usize, positions: &[u32], residuals: i64) -> [i64; DIMENSIONS] {
        let (added, _) = self.scratch.added.as_chunks::<DIMENSIONS>();
        let mut sums = [0i64; DIMENSIONS];
        for &position in positions {
            let added = &added[position as usize];
            sums.iter_mut().zip(added).for_each(|(sum, &term)| *sum += i64::from(term));
        }
        let (vectors, _) = self.fixed[self.group.factors()].as_chunks::<DIMENSIONS>();
        let (high, low) = (residuals >> FACTOR_SHIFT, residuals & ((1 << FACTOR_SHIFT) - 1));
        for (dimension, (sum, &factor)) in sums.iter_mut().zip(&vectors[number]).enumerate() {
            let factor = i64::from(factor);
            // `factor * residuals` may need more than 64 bits; the products with the parts fit.
            let own = factor * high + ((factor * low) >> FACTOR_SHIFT);
            *sum -= if dimension < DIMENSIONS / 2 { own } else { -own };
        }
        sums
    }

    #[inline(always)]
    fn element(&mut self, place: usize, sum: i64, ridge: f64) {
        let [weights, first, second] = &mut self.vectors;
        let element = [&mut weights[place], &mut first[place], &mut second[place]];
        update_element(element, sum, self.initial[place], ridge, self.step);
    }

    /// Rounds the factor vector of parameter `number`, and its weight in each phase of the group,
    /// to fixed point. Subtracts from these weights half the signed square of the vector
    /// ([`own_square`]).
    #[inline(always)]
    fn round(&mut self, number: usize) {
        let Self { vectors: [weights, ..], fixed, .. } = self;
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

/// Rounds a factor to units of 2⁻¹⁶, within the range of weights files (±127/64); 0 for NaN.
#[inline(always)]
fn rounded_factor(factor: f64) -> i32 {
    let limit = f64::from(FACTOR_LIMIT);
    let steps = (factor * f64::from(1 << FACTOR_SHIFT)).round_ties_even();
    let steps = if steps.is_nan() { 0.0 } else { steps.clamp(-limit, limit) };
    // SAFETY: a number within the limits is an `i32`. The checked conversion is not vectorised.
    unsafe { steps.to_int_unchecked() }
}
