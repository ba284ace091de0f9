//! Elementwise operations on the vectors of parameters, and the dot product, as defined by the
//! methods of the same name of [`Backend`](crate::backend::Backend). Memory bandwidth limits these
//! loops, which take little time compared with the loops over positions. The compiler vectorises
//! them, and never fuses a product and a sum into one operation.

use othello_engine::simd::{InstructionSet, compiled_for};

use crate::backend::{AdamStep, DOT_CHUNK, DOT_LANES, WEIGHT_LIMIT, WEIGHTS_PER_DISC};

#[compiled_for(InstructionSet::chosen())]
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
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

/// Returns the greatest absolute value; NaN if an element is NaN; 0 for an empty vector. Compares
/// bits as integers, which gives nonnegative doubles their order and puts NaN above infinity.
#[compiled_for(InstructionSet::chosen())]
pub(super) fn max_abs(vector: &[f64]) -> f64 {
    f64::from_bits(vector.iter().map(|value| value.abs().to_bits()).max().unwrap_or(0))
}

#[compiled_for(InstructionSet::chosen())]
pub(super) fn add_scaled(sum: &mut [f64], factor: f64, other: &[f64]) {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += factor * other);
}

#[compiled_for(InstructionSet::chosen())]
pub(super) fn scale_and_add(vector: &mut [f64], factor: f64, other: &[f64]) {
    vector.iter_mut().zip(other).for_each(|(value, other)| *value = other + factor * *value);
}

#[compiled_for(InstructionSet::chosen())]
pub(super) fn divide(numerator: &[f64], denominator: &[f64], quotient: &mut [f64]) {
    let terms = numerator.iter().zip(denominator);
    quotient.iter_mut().zip(terms).for_each(|(quotient, (n, d))| *quotient = n / d);
}

#[compiled_for(InstructionSet::chosen())]
pub(super) fn scale_sums(sums: &[i64], unit: f64, scaled: &mut [f64]) {
    scaled.iter_mut().zip(sums).for_each(|(scaled, &sum)| *scaled = unit * sum as f64);
}

#[compiled_for(InstructionSet::chosen())]
pub(super) fn round_direction(direction: &mut [f64], scale: f64, fixed: &mut [i32]) {
    for (fixed, value) in fixed.iter_mut().zip(direction) {
        *fixed = (*value * scale).round_ties_even() as i32;
        *value = f64::from(*fixed) / scale;
    }
}

#[inline(always)]
pub(super) fn rounded_weight(weight: f64) -> i32 {
    let limit = f64::from(WEIGHT_LIMIT);
    (weight * f64::from(WEIGHTS_PER_DISC)).round_ties_even().clamp(-limit, limit) as i32
}

#[compiled_for(InstructionSet::chosen())]
pub(super) fn round_weights(weights: &[f64], fixed: &mut [i32]) {
    for (fixed, &weight) in fixed.iter_mut().zip(weights) {
        *fixed = rounded_weight(weight);
    }
}

#[compiled_for(InstructionSet::chosen())]
pub(super) fn adam(
    sums: &[i64],
    initial: &[f64],
    step: &AdamStep,
    [weights, first, second]: [&mut [f64]; 3],
    fixed: &mut [i32],
) {
    let inputs = sums.iter().zip(initial);
    let state = weights.iter_mut().zip(first).zip(second).zip(fixed);
    for ((&sum, &initial), (((weight, first), second), fixed)) in inputs.zip(state) {
        AdamElement { weight, first, second }.update(sum, initial, step.ridge, step);
        *fixed = rounded_weight(*weight);
    }
}

pub(super) struct AdamElement<'v> {
    pub(super) weight: &'v mut f64,
    pub(super) first: &'v mut f64,
    pub(super) second: &'v mut f64,
}

impl AdamElement<'_> {
    /// Does [`Backend::adam`](crate::backend::Backend::adam) for one element, with `ridge` instead
    /// of the ridge of `step`.
    #[inline(always)]
    pub(super) fn update(self, sum: i64, initial: f64, ridge: f64, step: &AdamStep) {
        let Self { weight, first, second } = self;
        let gradient = step.unit * sum as f64 + ridge * (initial - *weight);
        *first = step.keep_first * *first + step.take_first * gradient;
        *second = step.keep_second * *second + step.take_second * (gradient * gradient);
        let size = (*second * step.correction).sqrt() + step.epsilon;
        *weight += (step.rate * *first) / size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_engine::random::Generator;

    /// Returns numbers whose sum depends on the order of additions.
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
