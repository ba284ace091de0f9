//! The reference backend: computes all primitives of a fit on the CPU.

mod factors;
mod sums;

use std::sync::Arc;

use othello_engine::simd::{InstructionSet, compiled_for};

use super::{
    AdamStep, Backend, Batch, DOT_CHUNK, DOT_LANES, Errors, Group, GroupUpdate, Moments, Result,
    Rows, Target, WEIGHT_LIMIT, WEIGHTS_PER_DISC, check_linear, no_group,
};
use crate::model::Model;

pub use factors::for_dimensions;
pub use sums::{gather, scatter};

/// The CPU as a backend. Divides large sums among the threads of the current rayon pool.
#[derive(Clone, Debug)]
pub struct Cpu<'m> {
    model: &'m Model,
    /// The phases (plies) that share factors; `None` in a fit of a single phase without factors.
    group: Option<Arc<Group>>,
}

impl<'m> Cpu<'m> {
    /// Creates a backend for fits of one phase without factors; see [`Backend::of_group`].
    pub fn new(model: &'m Model) -> Self {
        Self { model, group: None }
    }
}

impl Backend for Cpu<'_> {
    type Positions<'a> = Vec<Rows<'a>>;
    type Fixed = Vec<i32>;
    type Sums = Vec<i64>;
    type Reals = Vec<f64>;
    type Squares = u128;
    type Scratch = factors::Scratch;

    fn of_group(&self, group: &Group) -> Result<Self> {
        Ok(Self { model: self.model, group: Some(Arc::new(group.clone())) })
    }

    fn parameters(&self) -> usize {
        self.group.as_ref().map_or_else(|| self.model.parameters(), |group| group.length())
    }

    fn positions<'a>(&self, rows: &[Rows<'a>]) -> Result<Vec<Rows<'a>>> {
        Ok(rows.to_vec())
    }

    fn zero_fixed(&self) -> Result<Vec<i32>> {
        Ok(vec![0; self.parameters()])
    }

    fn at_once(&self, _length: usize) -> usize {
        usize::MAX
    }

    fn zero_reals(&self) -> Result<Vec<f64>> {
        Ok(vec![0.0; self.parameters()])
    }

    fn zero_sums(&self) -> Result<Vec<i64>> {
        Ok(vec![0; self.parameters()])
    }

    fn zero_squares(&self) -> Result<u128> {
        Ok(0)
    }

    fn squared(&self, squares: &u128) -> Result<u128> {
        Ok(*squares)
    }

    fn upload(&self, values: &[f64]) -> Result<Vec<f64>> {
        Ok(values.to_vec())
    }

    fn download(&self, vector: &Vec<f64>) -> Result<Vec<f64>> {
        Ok(vector.clone())
    }

    fn download_sums(&self, sums: &Vec<i64>) -> Result<Vec<i64>> {
        Ok(sums.clone())
    }

    fn copy(&self, from: &Vec<f64>, to: &mut Vec<f64>) -> Result<()> {
        to.copy_from_slice(from);
        Ok(())
    }

    fn residual_sums(
        &self,
        positions: &Vec<Rows<'_>>,
        batch: Batch,
        vector: &Vec<i32>,
        target: Target,
        sums: &mut Vec<i64>,
        squares: &mut u128,
    ) -> Result<()> {
        check_linear("cpu", self.group.as_ref())?;
        *squares +=
            sums::residual_sums(self.model, &rows_of(positions, batch), vector, target, sums);
        Ok(())
    }

    fn occurrences(&self, positions: &Vec<Rows<'_>>, sums: &mut Vec<i64>) -> Result<()> {
        check_linear("cpu", self.group.as_ref())?;
        sums::occurrences(self.model, positions, sums);
        Ok(())
    }

    fn errors(&self, positions: &Vec<Rows<'_>>, weights: &Vec<i32>) -> Result<Errors> {
        Ok(match &self.group {
            None => sums::errors(self.model, positions, weights),
            Some(group) => factors::errors(self.model, group, positions, weights),
        })
    }

    fn dot(&self, left: &Vec<f64>, right: &Vec<f64>) -> Result<f64> {
        Ok(dot(left, right))
    }

    fn max_abs(&self, vector: &Vec<f64>) -> Result<f64> {
        Ok(max_abs(vector))
    }

    fn add_scaled(&self, sum: &mut Vec<f64>, factor: f64, other: &Vec<f64>) -> Result<()> {
        add_scaled(sum, factor, other);
        Ok(())
    }

    fn scale_and_add(&self, sum: &mut Vec<f64>, factor: f64, other: &Vec<f64>) -> Result<()> {
        scale_and_add(sum, factor, other);
        Ok(())
    }

    fn divide(&self, left: &Vec<f64>, right: &Vec<f64>, to: &mut Vec<f64>) -> Result<()> {
        divide(left, right, to);
        Ok(())
    }

    fn scale_sums(&self, sums: &Vec<i64>, unit: f64, scaled: &mut Vec<f64>) -> Result<()> {
        scale_sums(sums, unit, scaled);
        Ok(())
    }

    fn round_weights(&self, weights: &Vec<f64>, fixed: &mut Vec<i32>) -> Result<()> {
        round_weights(weights, fixed);
        if let Some(group) = &self.group {
            for_dimensions!(group.dimensions, D => {
                factors::round_factors::<D>(group, weights, fixed);
            });
        }
        Ok(())
    }

    fn round_direction(
        &self,
        direction: &mut Vec<f64>,
        scale: f64,
        fixed: &mut Vec<i32>,
    ) -> Result<()> {
        round_direction(direction, scale, fixed);
        Ok(())
    }

    fn adam(
        &self,
        sums: &Vec<i64>,
        initial: &Vec<f64>,
        step: &AdamStep,
        moments: &mut Moments<Self>,
        fixed: &mut Vec<i32>,
    ) -> Result<()> {
        let Moments { weights, first, second } = moments;
        adam(sums, initial, step, [weights, first, second], fixed);
        Ok(())
    }

    fn scratch(&self) -> Result<factors::Scratch> {
        Ok(factors::Scratch::default())
    }

    fn descend(
        &self,
        positions: &Vec<Rows<'_>>,
        batch: Batch,
        update: GroupUpdate<'_, Self>,
        scratch: &mut factors::Scratch,
    ) -> Result<()> {
        let Some(group) = &self.group else { return Err(no_group("cpu")) };
        let rows = &rows_of(positions, batch);
        for_dimensions!(group.dimensions, D => {
            factors::descend::<D>(self.model, group, rows, update, scratch);
        });
        Ok(())
    }
}

fn rows_of<'a>(positions: &[Rows<'a>], batch: Batch) -> Vec<Rows<'a>> {
    let of_batch = |rows: &Rows<'a>| {
        let positions = &rows.positions[batch.range(rows.positions.len())];
        Rows { positions, factor: rows.factor }
    };
    positions.iter().map(of_batch).collect()
}

// Memory bandwidth limits these loops, which take little time compared with those over positions.
// The compiler vectorises them, and never fuses a product and a sum into one operation.

#[compiled_for(InstructionSet::chosen())]
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let chunks = left.chunks(DOT_CHUNK).zip(right.chunks(DOT_CHUNK));
    chunks.fold(0.0, |sum, (left, right)| sum + dot_of_chunk(left, right))
}

#[inline(always)]
fn dot_of_chunk(left: &[f64], right: &[f64]) -> f64 {
    let mut lanes = [0.0; DOT_LANES];
    for (left, right) in left.chunks(DOT_LANES).zip(right.chunks(DOT_LANES)) {
        for ((lane, l), r) in lanes.iter_mut().zip(left).zip(right) {
            *lane += l * r;
        }
    }
    let mut half = DOT_LANES / 2;
    while half > 0 {
        let (low, high) = lanes.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        half /= 2;
    }
    lanes[0]
}

/// Returns the greatest absolute value of an element, or NaN if an element is NaN.
#[compiled_for(InstructionSet::chosen())]
fn max_abs(vector: &[f64]) -> f64 {
    f64::from_bits(vector.iter().map(|value| value.abs().to_bits()).max().unwrap_or(0))
}

#[compiled_for(InstructionSet::chosen())]
fn add_scaled(sum: &mut [f64], factor: f64, other: &[f64]) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += factor * other);
}

#[compiled_for(InstructionSet::chosen())]
fn scale_and_add(sum: &mut [f64], factor: f64, other: &[f64]) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum = other + factor * *sum);
}

#[compiled_for(InstructionSet::chosen())]
fn divide(left: &[f64], right: &[f64], to: &mut [f64]) {
    let terms = left.iter().zip(right);
    to.iter_mut().zip(terms).for_each(|(to, (left, right))| *to = left / right);
}

#[compiled_for(InstructionSet::chosen())]
fn scale_sums(sums: &[i64], unit: f64, scaled: &mut [f64]) {
    scaled.iter_mut().zip(sums).for_each(|(scaled, &sum)| *scaled = unit * sum as f64);
}

#[compiled_for(InstructionSet::chosen())]
fn round_direction(direction: &mut [f64], scale: f64, fixed: &mut [i32]) {
    for (fixed, value) in fixed.iter_mut().zip(direction) {
        *fixed = (*value * scale).round_ties_even() as i32;
        *value = f64::from(*fixed) / scale;
    }
}

#[inline(always)]
fn rounded_weight(weight: f64) -> i32 {
    let limit = f64::from(WEIGHT_LIMIT);
    (weight * f64::from(WEIGHTS_PER_DISC)).round_ties_even().clamp(-limit, limit) as i32
}

#[compiled_for(InstructionSet::chosen())]
fn round_weights(weights: &[f64], fixed: &mut [i32]) {
    for (fixed, &weight) in fixed.iter_mut().zip(weights) {
        *fixed = rounded_weight(weight);
    }
}

#[compiled_for(InstructionSet::chosen())]
fn adam(
    sums: &[i64],
    initial: &[f64],
    step: &AdamStep,
    [weights, first, second]: [&mut [f64]; 3],
    fixed: &mut [i32],
) {
    let inputs = sums.iter().zip(initial);
    let state = weights.iter_mut().zip(first).zip(second).zip(fixed);
    for ((&sum, &initial), (((weight, first), second), fixed)) in inputs.zip(state) {
        update_element([weight, first, second], sum, initial, step.ridge, step);
        *fixed = rounded_weight(*weight);
    }
}

#[inline(always)]
fn update_element(
    [weight, first, second]: [&mut f64; 3],
    sum: i64,
    initial: f64,
    ridge: f64,
    step: &AdamStep,
) {
    let gradient = step.unit * sum as f64 + ridge * (initial - *weight);
    *first = step.keep_first * *first + step.take_first * gradient;
    *second = step.keep_second * *second + step.take_second * (gradient * gradient);
    let size = (*second * step.correction).sqrt() + step.epsilon;
    *weight += (step.rate * *first) / size;
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::random::Generator;

    /// Returns random numbers so different in size that their sum depends on the order of
    /// additions.
    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut random = Generator::new(seed);
        let mut number = || f64::from(random.below(1 << 24)) - f64::from(1 << 23);
        (0..count).map(|n| number() * f64::from(1 << (n % 29))).collect()
    }

    fn documented_dot(left: &[f64], right: &[f64]) -> f64 {
        let mut total = 0.0;
        for chunk in (0..left.len()).step_by(DOT_CHUNK) {
            let end = (chunk + DOT_CHUNK).min(left.len());
            let mut lanes = vec![0.0; 256];
            for element in chunk..end {
                lanes[(element - chunk) % 256] += left[element] * right[element];
            }
            for half in [128, 64, 32, 16, 8, 4, 2, 1] {
                for lane in 0..half {
                    lanes[lane] += lanes[lane + half];
                }
            }
            total += lanes[0];
        }
        total
    }

    #[test]
    fn the_dot_product_has_the_documented_order() {
        for count in [0, 1, 255, 256, 257, 4095, 4096, 4097, 10_000] {
            let (left, right) = (numbers(count, 1), numbers(count, 2));
            let expected = documented_dot(&left, &right);
            assert_eq!(dot(&left, &right).to_bits(), expected.to_bits(), "{count}");
        }
        let (left, right) = (numbers(10_000, 1), numbers(10_000, 2));
        let in_turn: f64 = left.iter().zip(&right).map(|(l, r)| l * r).sum();
        assert_ne!(dot(&left, &right), in_turn);
    }

    #[test]
    fn the_largest_size_is_not_a_number_where_an_element_is_none() {
        assert_eq!(max_abs(&[1.0, -3.0, 2.0]), 3.0);
        assert_eq!(max_abs(&[]), 0.0);
        assert_eq!(max_abs(&[1.0, f64::NEG_INFINITY]), f64::INFINITY);
        assert!(max_abs(&[f64::INFINITY, -f64::NAN, 1.0]).is_nan());
    }

    #[test]
    fn weights_are_rounded_to_even_and_limited() {
        let half = 0.5 / f64::from(WEIGHTS_PER_DISC);
        let weights = [half, 3.0 * half, -half, 1e9, f64::NEG_INFINITY, f64::NAN];
        let mut fixed = [1; 6];
        round_weights(&weights, &mut fixed);
        assert_eq!(fixed, [0, 2, 0, WEIGHT_LIMIT, -WEIGHT_LIMIT, 0]);
    }

    #[test]
    fn a_parameter_without_a_gradient_stays_where_it_starts() {
        let step = AdamStep {
            unit: 0.1,
            ridge: 0.01,
            keep_first: 0.9,
            take_first: 0.1,
            keep_second: 0.99,
            take_second: 0.01,
            rate: 0.3,
            correction: 1.0,
            epsilon: 1e-8,
        };
        let (mut weights, mut first, mut second) = ([0.3, 0.3], [0.0; 2], [0.0; 2]);
        let mut fixed = [0; 2];
        let state = [&mut weights[..], &mut first, &mut second];
        adam(&[0, 5], &[0.3, 0.3], &step, state, &mut fixed);
        assert_eq!((weights[0], first[0], second[0]), (0.3, 0.0, 0.0));
        // After the gradient 0.5, Adam's running mean is 0.05, and that of squares is 0.0025.
        let expected = 0.3 + 0.3 * 0.05 / (0.0025_f64.sqrt() + 1e-8);
        assert!((weights[1] - expected).abs() < 1e-12);
        assert_eq!(fixed[1], rounded_weight(weights[1]));
    }
}
