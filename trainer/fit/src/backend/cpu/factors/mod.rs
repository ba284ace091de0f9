//! Weights and factors of a group of phases: the values of positions, and the sums of their
//! residuals.
//!
//! The value of a position is the sum of its weights, plus the product of every pair of its factor
//! vectors. In the product of two vectors, the products of the first half of the elements are
//! added, and those of the second half are subtracted. The signed square of a vector is its product
//! with itself. The products of all pairs total half the signed square of the vectors' sum, minus
//! half the signed square of each single vector. These halves for single vectors are subtracted
//! from the weights once, when the weights are rounded, not for every position.
//!
//! The derivative with respect to a factor is the residual times the sum of the other vectors. The
//! sum of all vectors is the same for all features of a position, so the residual times this sum is
//! computed once and added up for each feature. At the end, the share of the feature's own vector
//! is subtracted: the factor times the sum of the residuals of its parameter.
//!
//! The bounds in the following table are for 128 factors in a vector and 80 features in a position.
//! The unit of factors is √disc, since the product of two factors is in discs. A position's weight
//! is an integer in units of 1/64 (64 is one occurrence). “In sums” means: clamped before it enters
//! the sums of derivatives. The product in the last row is shifted right by 16 bits.
//!
//! | quantity | unit | bound |
//! |---|---|---|
//! | factor | 2⁻¹⁶ √disc | ±127 · 2¹⁰, less than 2¹⁷ |
//! | half the signed square of a vector | 2⁻¹⁸ disc | 64 squares of at most 2³⁴, / 2¹⁵: 2²⁵ |
//! | parameter's weight minus half the signed square | 2⁻¹⁸ disc | clamped to ±2²⁴ |
//! | sum of a position's factors | 2⁻¹⁶ √disc | 80 · 2¹⁷ < 2²⁴ |
//! | sum of squares of 128 of these sums | 2⁻³² disc | 128 · 2⁴⁸ = 2⁵⁵ |
//! | value | 2⁻¹⁸ disc | clamped to ±2³⁰ |
//! | residual, in sums | 2⁻¹⁰ disc | clamped to ±2¹⁷ (128 discs) |
//! | sum of a position's factors, in sums | 2⁻¹⁶ √disc | clamped to ±2²⁰ (16.0) |
//! | position's weight · residual · factor sum | 2⁻¹⁶ disc·√disc | weight · 2²¹, clamped to ±2³¹ |
//!
//! A total weight of at most 2³³ ([`MAX_TOTAL_WEIGHT`](crate::backend::MAX_TOTAL_WEIGHT)) and fewer
//! than 2⁷ features per position bound the sums. Sums of weight · residual stay below 2⁵⁷, and sums
//! of the table's last row below 2⁶¹. The amounts subtracted for single vectors stay below 2⁵⁸.

mod descend;
mod rows;
#[cfg(test)]
mod tests;

use othello_engine::board::Phase;
use othello_engine::eval::{FACTORS_PER_UNIT, MAX_FACTOR};
use othello_engine::simd::{InstructionSet, compiled_for};

use super::sums::errors_by_chunks;
use crate::backend::{AdamStep, Errors, Group, Rows, WEIGHT_LIMIT};
use crate::model::Model;
use descend::rounded_factor;
use rows::Values;

pub(in crate::backend) use descend::Vectors;
pub(in crate::backend) use rows::Scratch;

/// The number of fractional bits of a factor in fixed point: the factor 1 is 2¹⁶.
const FACTOR_SHIFT: u32 = 16;

/// The largest factor that a weights file can contain, in units of 2⁻¹⁶.
const FACTOR_LIMIT: i32 = MAX_FACTOR as i32 * ((1 << FACTOR_SHIFT) / FACTORS_PER_UNIT);

/// The right shift that halves the signed square of a vector (the squares of the first half of its
/// elements minus those of the second half), and converts it from 2⁻³² disc to 2⁻¹⁸ disc.
const SQUARE_SHIFT: u32 = 32 - 18 + 1;

/// Evaluates an expression in which the constant `$name` equals `$dimensions`, one of
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

/// The second step of rounding `vector` to `fixed`, after the weights of all phases were rounded:
/// sets the factors, which come after the weights, to integers in units of 2⁻¹⁶ √disc. Subtracts
/// each parameter's [`own_square`] from its weight in every phase.
pub(super) fn round_factors(group: &Group, vector: &[f64], fixed: &mut [i32]) {
    for_dimensions!(group.dimensions, D => round_factors_of::<D>(group, vector, fixed));
}

#[compiled_for(InstructionSet::chosen())]
fn round_factors_of<const DIMENSIONS: usize>(group: &Group, vector: &[f64], fixed: &mut [i32]) {
    let (weights, factors) = fixed.split_at_mut(group.factors().start);
    for (fixed, &factor) in factors.iter_mut().zip(&vector[group.factors()]) {
        *fixed = rounded_factor(factor);
    }
    let (vectors, _) = factors.as_chunks::<DIMENSIONS>();
    for weights in weights.chunks_exact_mut(group.count()) {
        for (weight, vector) in weights.iter_mut().zip(vectors) {
            *weight = (*weight - own_square(vector)).clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
    }
}

/// Returns half the signed square of a factor vector ([`signed_squares`]), in 2⁻¹⁸ disc.
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

/// Returns half of `squares`, a signed square ([`signed_squares`]) in units of 2⁻³² disc, rounded
/// to units of 2⁻¹⁸ disc.
#[inline(always)]
fn halved(squares: i64) -> i64 {
    (squares + (1 << (SQUARE_SHIFT - 1))) >> SQUARE_SHIFT
}

pub(super) fn descend(
    model: &Model,
    group: &Group,
    rows: &[Rows<'_>],
    step: &AdamStep,
    mut vectors: Vectors<'_>,
    scratch: &mut Scratch,
) -> u128 {
    for_dimensions!(group.dimensions, D => {
        descend::descend::<D>(model, group, rows, step, &mut vectors, scratch)
    })
}

/// Subtracts `vector` · `residuals` (negated in the second half of the elements) from the gradient
/// sums of a parameter's factors, since a position's value has no product of a vector with itself.
/// `residuals` is Σ weight · residual over the parameter's occurrences.
#[inline(always)]
fn take_own<const DIMENSIONS: usize>(
    sums: &mut [i64; DIMENSIONS],
    vector: &[i32; DIMENSIONS],
    residuals: i64,
) {
    let (high, low) = (residuals >> FACTOR_SHIFT, residuals & ((1 << FACTOR_SHIFT) - 1));
    for (dimension, (sum, &factor)) in sums.iter_mut().zip(vector).enumerate() {
        let factor = i64::from(factor);
        // `factor * residuals` may need more than 64 bits; the products with `high` and `low` fit.
        let own = factor * high + ((factor * low) >> FACTOR_SHIFT);
        *sum -= if dimension < DIMENSIONS / 2 { own } else { -own };
    }
}

pub(super) fn errors(model: &Model, group: &Group, rows: &[Rows<'_>], vector: &[i32]) -> Errors {
    errors_by_chunks(rows, |rows| {
        let Some(phase) = rows.phase() else { return Errors::default() };
        debug_assert!(rows.positions.iter().all(|row| Phase::of(&row.position()) == Some(phase)));
        for_dimensions!(group.dimensions, D => {
            Values::<D>::new(model, group, vector, group.weights(phase)).errors(rows)
        })
    })
}
