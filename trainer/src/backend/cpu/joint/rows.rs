//! The inner loop of a fit with factors. It loads and adds the vectors of a position's features,
//! and adds one vector to the sums of each.
//!
//! A position with 73 features and 16 factors loads 73 lines of 64 bytes and adds to 146, besides
//! the gathers and additions of a fit without factors; see `othello-trainer bench`.

use std::ops::Range;

use othello_engine::record::ScoredPosition;

use super::super::rows::{gather, scatter};
use super::{FACTOR_SHIFT, halved, signed_squares};
use crate::backend::fixed::{clamped_error, combined_weight, residual};
use crate::backend::{Errors, Group, Rows};
use crate::model::{InstructionSet, MAX_FEATURES, Model, Row};

/// 128 discs in 2⁻¹⁰ disc.
const RESIDUAL_LIMIT: i32 = 1 << 17;
/// 16 in 2⁻¹⁶.
const SUM_LIMIT: i32 = 1 << 20;
/// The bound of a value, in 2⁻¹⁸ disc.
const VALUE_LIMIT: i64 = (1 << 30) - 1;

/// The number of positions whose parameters are computed together.
const BLOCK: usize = 16;

/// The values of positions of one phase of a group.
#[derive(Clone, Copy)]
pub(super) struct Values<'a, const DIMENSIONS: usize> {
    model: &'a Model,
    /// The number of each parameter of the model in `weights` and `vectors`.
    numbers: &'a [u32],
    /// The weights, less half the squares of each parameter's vector.
    weights: &'a [i32],
    vectors: &'a [[i32; DIMENSIONS]],
}

/// The value of a position in 2⁻¹⁸ disc, and the sum of its vectors in 2⁻¹⁶.
struct Value<const DIMENSIONS: usize> {
    value: i32,
    sum: [i32; DIMENSIONS],
}

/// The numbers of one position's features.
type Numbers = [u32; MAX_FEATURES];

impl<'a, const DIMENSIONS: usize> Values<'a, DIMENSIONS> {
    /// Creates the values of a group's rounded vector, with the phase's weights at `weights`.
    pub(super) fn new(
        model: &'a Model,
        group: &'a Group,
        vector: &'a [i32],
        weights: Range<usize>,
    ) -> Self {
        let (vectors, _) = vector[group.factors()].as_chunks();
        let numbers = group.numbers();
        let weights = &vector[weights];
        // The loops below rely on these lengths.
        assert_eq!((weights.len(), vectors.len()), (group.count(), group.count()));
        assert_eq!(numbers.len(), model.parameters());
        Self { model, numbers, weights, vectors }
    }

    /// Adds the residuals of rows to the sums of weights, and residuals times the sums of vectors
    /// to those of factors; returns Σ weight · residual².
    pub(super) fn add_residuals(
        &self,
        rows: Rows<'_>,
        of_weights: &mut [i64],
        of_factors: &mut [[i64; DIMENSIONS]],
    ) -> u128 {
        assert_eq!((of_weights.len(), of_factors.len()), (self.weights.len(), self.vectors.len()));
        let mut squared = 0;
        let mut numbers = [[0; MAX_FEATURES]; BLOCK];
        for positions in rows.positions.chunks(BLOCK) {
            let numbers = self.write_numbers(positions, &mut numbers);
            let rows = Rows { positions, factor: rows.factor };
            squared += match self.model.instructions() {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512Bw | InstructionSet::Avx512Vbmi => {
                    // SAFETY: the model computes by these instructions, so the processor has them.
                    unsafe { self.add_block_avx512(rows, numbers, of_weights, of_factors) }
                }
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => {
                    // SAFETY: as above.
                    unsafe { self.add_block_avx2(rows, numbers, of_weights, of_factors) }
                }
                _ => self.add_block(rows, numbers, of_weights, of_factors),
            };
        }
        squared
    }

    /// Returns the errors of the values of rows.
    pub(super) fn errors(&self, rows: Rows<'_>) -> Errors {
        let mut errors = Errors::default();
        let mut numbers = [[0; MAX_FEATURES]; BLOCK];
        for positions in rows.positions.chunks(BLOCK) {
            for (row, numbers) in positions.iter().zip(self.write_numbers(positions, &mut numbers))
            {
                let Value { value, .. } = self.value(&numbers[..self.model.feature_count()]);
                let weight = combined_weight(row.weight().steps(), rows.factor);
                errors.add(weight, clamped_error(row.label().steps(), value));
            }
        }
        errors
    }

    /// Writes the numbers of the features of up to [`BLOCK`] positions.
    fn write_numbers<'n>(
        &self,
        positions: &[ScoredPosition],
        numbers: &'n mut [Numbers; BLOCK],
    ) -> &'n [Numbers] {
        let mut rows = [Row::EMPTY; BLOCK];
        self.model.write_rows(positions, &mut rows[..positions.len()]);
        for (numbers, row) in numbers.iter_mut().zip(&rows[..positions.len()]) {
            for (number, &parameter) in numbers.iter_mut().zip(row.features(self.model)) {
                *number = self.numbers[parameter as usize];
            }
        }
        &numbers[..positions.len()]
    }

    /// Does the work of [`Self::add_residuals`] for one block.
    #[inline(always)]
    fn add_block(
        &self,
        rows: Rows<'_>,
        numbers: &[Numbers],
        of_weights: &mut [i64],
        of_factors: &mut [[i64; DIMENSIONS]],
    ) -> u128 {
        let features = self.model.feature_count();
        let mut squared = 0;
        for (row, numbers) in rows.positions.iter().zip(numbers) {
            let numbers = &numbers[..features];
            let Value { value, sum } = self.value(numbers);
            let residual = residual(row.label().steps(), value);
            let weight = i64::from(combined_weight(row.weight().steps(), rows.factor));
            squared += (i64::from(residual) * i64::from(residual) * weight) as u128;
            let weighted = i64::from(residual.clamp(-RESIDUAL_LIMIT, RESIDUAL_LIMIT)) * weight;
            // SAFETY: numbers are those of a group, as many as there are weights and vectors.
            unsafe { scatter(of_weights, numbers, weighted) };
            let mut added = [0i64; DIMENSIONS];
            for (dimension, (added, &sum)) in added.iter_mut().zip(&sum).enumerate() {
                let residual = if dimension < DIMENSIONS / 2 { weighted } else { -weighted };
                let sum = i64::from(sum.clamp(-SUM_LIMIT, SUM_LIMIT));
                *added = (residual * sum + (1 << (FACTOR_SHIFT - 1))) >> FACTOR_SHIFT;
            }
            for &number in numbers {
                // SAFETY: as above.
                let sums = unsafe { of_factors.get_unchecked_mut(number as usize) };
                for (sum, added) in sums.iter_mut().zip(&added) {
                    *sum += added;
                }
            }
        }
        squared
    }

    #[inline(always)]
    fn value(&self, numbers: &[u32]) -> Value<DIMENSIONS> {
        let mut sum = [0i32; DIMENSIONS];
        for &number in numbers {
            // SAFETY: numbers are those of a group, as many as there are vectors and weights.
            let vector = unsafe { self.vectors.get_unchecked(number as usize) };
            for (sum, factor) in sum.iter_mut().zip(vector) {
                *sum += factor;
            }
        }
        // SAFETY: as above.
        let alone = unsafe { gather(self.weights, numbers) };
        let value = i64::from(alone) + halved(signed_squares(&sum));
        Value { value: value.clamp(-VALUE_LIMIT, VALUE_LIMIT) as i32, sum }
    }
}

/// The same loop, compiled with the instructions that each function may use.
#[cfg(target_arch = "x86_64")]
impl<const DIMENSIONS: usize> Values<'_, DIMENSIONS> {
    #[target_feature(enable = "avx512bw")]
    fn add_block_avx512(
        &self,
        rows: Rows<'_>,
        numbers: &[Numbers],
        of_weights: &mut [i64],
        of_factors: &mut [[i64; DIMENSIONS]],
    ) -> u128 {
        self.add_block(rows, numbers, of_weights, of_factors)
    }

    #[target_feature(enable = "avx2")]
    fn add_block_avx2(
        &self,
        rows: Rows<'_>,
        numbers: &[Numbers],
        of_weights: &mut [i64],
        of_factors: &mut [[i64; DIMENSIONS]],
    ) -> u128 {
        self.add_block(rows, numbers, of_weights, of_factors)
    }
}
