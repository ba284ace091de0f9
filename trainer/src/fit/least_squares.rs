//! Ridge-regularised least squares by preconditioned conjugate gradients (Hestenes and Stiefel),
//! straight from positions.
//!
//! Minimises Σ ω (label − Σ w)² + λ Σ (w − w₀)² over the weights w of one phase. The search
//! direction is rounded to [`DIRECTION_BITS`] bits at a power-of-two scale before every product
//! and from then on *is* the rounded one, so that products are sums of integers and the result
//! does not depend on threads or on the order of the data.

use crate::backend::{
    DIRECTION_BITS, RESIDUALS_PER_DISC, ResidualSums, Rows, Target, WEIGHT_LIMIT, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE, cpu,
};
use crate::model::Model;

/// One phase's problem.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// What the parameters are.
    pub model: &'a Model,
    /// The training positions of the phase and of its window.
    pub rows: Vec<Rows<'a>>,
    /// λ, in occurrences.
    pub ridge: f64,
    /// w₀ in discs, by parameter: where the fit starts, and what the ridge pulls towards.
    pub initial: Vec<f64>,
}

/// Where the solver stands after an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Iterations done.
    pub iteration: u32,
    /// The weights in discs.
    pub weights: &'a [f64],
    /// The size of the preconditioned gradient as a part of what it was at the start.
    pub gradient: f64,
}

/// Whether to go on after an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// One more.
    Continue,
    /// Enough.
    Stop,
}

impl Problem<'_> {
    /// Runs iterations until `judge` says to stop or the gradient vanishes.
    pub fn solve(&self, mut judge: impl FnMut(Step<'_>) -> Verdict) {
        let diagonal: Vec<f64> = cpu::occurrences(self.model, &self.rows)
            .iter()
            .map(|&weight| weight as f64 / f64::from(WEIGHTS_PER_OCCURRENCE) + self.ridge)
            .collect();
        let mut weights = self.initial.clone();
        let mut gradient = self.initial_gradient();
        let mut preconditioned = divide(&gradient, &diagonal);
        let mut energy = dot(&gradient, &preconditioned);
        let start = energy;
        let mut direction = preconditioned.clone();
        for iteration in 1.. {
            if energy <= start * f64::EPSILON {
                return;
            }
            let product = self.product(&mut direction);
            // With the rounded direction p the exact step along it is (g·p)/(p·Ap).
            let step = dot(&gradient, &direction) / dot(&direction, &product);
            add_scaled(&mut weights, step, &direction);
            add_scaled(&mut gradient, -step, &product);
            preconditioned = divide(&gradient, &diagonal);
            let previous = std::mem::replace(&mut energy, dot(&gradient, &preconditioned));
            let state = Step { iteration, weights: &weights, gradient: (energy / start).sqrt() };
            if judge(state) == Verdict::Stop {
                return;
            }
            let keep = energy / previous;
            for (d, p) in direction.iter_mut().zip(&preconditioned) {
                *d = p + keep * *d;
            }
        }
    }

    /// Half the negative gradient of the objective at the starting weights, in discs ·
    /// occurrences. The ridge has no part in it: there the weights are what it pulls towards.
    fn initial_gradient(&self) -> Vec<f64> {
        let sums =
            cpu::residual_sums(self.model, &self.rows, &to_fixed(&self.initial), Target::Label);
        let scale = f64::from(RESIDUALS_PER_DISC) * f64::from(WEIGHTS_PER_OCCURRENCE);
        sums.by_parameter.iter().map(|&sum| sum as f64 / scale).collect()
    }

    /// Rounds `direction` and multiplies it with the normal matrix.
    fn product(&self, direction: &mut [f64]) -> Vec<f64> {
        let largest = direction.iter().fold(0.0_f64, |largest, d| largest.max(d.abs()));
        let scale = power_of_two_below(f64::from(1 << (DIRECTION_BITS - 1)) / largest);
        let rounded: Vec<i32> =
            direction.iter().map(|d| (d * scale).round_ties_even() as i32).collect();
        for (d, &r) in direction.iter_mut().zip(&rounded) {
            *d = f64::from(r) / scale;
        }
        let ResidualSums { by_parameter, .. } =
            cpu::residual_sums(self.model, &self.rows, &rounded, Target::Zero);
        // A sum of 1 stands for this much: residuals are 2⁸ times coarser than weights.
        let coarser = f64::from(WEIGHTS_PER_DISC / RESIDUALS_PER_DISC);
        let unit = coarser / scale / f64::from(WEIGHTS_PER_OCCURRENCE);
        let sums = by_parameter.iter().zip(direction.iter());
        sums.map(|(&sum, d)| -(sum as f64) * unit + self.ridge * d).collect()
    }
}

/// Weights in discs as the fixed-point numbers of the backends.
pub fn to_fixed(weights: &[f64]) -> Vec<i32> {
    let limit = f64::from(WEIGHT_LIMIT);
    let fixed = |w: &f64| (w * f64::from(WEIGHTS_PER_DISC)).round_ties_even().clamp(-limit, limit);
    weights.iter().map(|weight| fixed(weight) as i32).collect()
}

/// The largest power of two that is not above `bound`; 1 where `bound` is no finite number.
fn power_of_two_below(bound: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if bound.is_finite() { f64::from_bits(bound.to_bits() & EXPONENT) } else { 1.0 }
}

fn divide(numerators: &[f64], denominators: &[f64]) -> Vec<f64> {
    numerators.iter().zip(denominators).map(|(n, d)| n / d).collect()
}

fn add_scaled(sum: &mut [f64], factor: f64, other: &[f64]) {
    for (s, o) in sum.iter_mut().zip(other) {
        *s += factor * o;
    }
}

/// The dot product by eight running sums that are added up in order: one fixed order of
/// operations that still fills vector registers.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    const WAYS: usize = 8;
    let mut sums = [0.0; WAYS];
    let (left, left_rest) = left.as_chunks::<WAYS>();
    let (right, right_rest) = right.as_chunks::<WAYS>();
    for (l, r) in left.iter().zip(right) {
        for way in 0..WAYS {
            sums[way] += l[way] * r[way];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(l, r)| l * r).sum();
    sums.iter().sum::<f64>() + rest
}
