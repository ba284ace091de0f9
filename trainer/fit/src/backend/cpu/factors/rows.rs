//! Computes the values of positions in a fit with factors. For each feature of a position, it reads
//! a weight and a factor vector. A vector of 16 factors fills one cache line of 64 bytes.

use std::ptr::read_volatile;

use othello_engine::board::Phase;
use othello_engine::record::ScoredPosition;
use othello_engine::simd::compiled_for;

use super::super::sums::gather;
use super::{FACTOR_SHIFT, halved, signed_squares};
use crate::backend::fixed::{clamped_error, combined_weight, residual};
use crate::backend::{Errors, Group, Rows};
use crate::model::{MAX_FEATURES, Model, Row};

/// A residual is clamped to ±128 discs (2¹⁷ · 2⁻¹⁰ disc) before it enters sums of derivatives.
const RESIDUAL_LIMIT: i32 = 1 << 17;
/// Each element of a position's sum of factor vectors is clamped to ±16 √disc (2²⁰ · 2⁻¹⁶) before
/// it enters a sum of derivatives.
const SUM_LIMIT: i32 = 1 << 20;
const TERM_LIMIT: i64 = i32::MAX as i64;
/// The value of a position is clamped to this limit, in units of 2⁻¹⁸ disc: ±4096 discs.
const VALUE_LIMIT: i64 = (1 << 30) - 1;

const BLOCK: usize = 16;

#[derive(Clone, Copy)]
pub(super) struct Values<'a, const DIMENSIONS: usize> {
    model: &'a Model,
    /// For each parameter of the model, its index in `weights` and `vectors` ([`Group::numbers`]).
    numbers: &'a [u32],
    /// For each parameter index of the group, the weight in the evaluated phase minus
    /// [`own_square`](super::own_square) of the factor vector, in 2⁻¹⁸ disc. To the sum of these
    /// weights over a position, [`Self::value`] adds half the signed square of the sum of its
    /// vectors.
    weights: &'a [i32],
    vectors: &'a [[i32; DIMENSIONS]],
}

type Numbers = [u32; MAX_FEATURES];

impl<'a, const DIMENSIONS: usize> Values<'a, DIMENSIONS> {
    pub(super) fn new(model: &'a Model, group: &'a Group, vector: &'a [i32], phase: Phase) -> Self {
        let (vectors, _) = vector[group.factors()].as_chunks();
        let (numbers, weights) = (&*group.numbers, &vector[group.weights(phase)]);
        // The unchecked reads in `value` rely on these lengths.
        assert_eq!((weights.len(), vectors.len()), (group.count(), group.count()));
        assert_eq!(numbers.len(), model.parameters());
        Self { model, numbers, weights, vectors }
    }

    /// Appends the positions `rows`, their residuals and their parameters to `batch`. Returns Σ
    /// weight · residual² times 2²⁶, an integer, for weights in occurrences and residuals in discs.
    #[compiled_for(self.model.instructions().within())]
    pub(super) fn measure(&self, rows: Rows<'_>, batch: &mut Scratch) -> u128 {
        let mut squared = 0;
        let mut numbers = [[0; MAX_FEATURES]; BLOCK];
        for positions in rows.positions.chunks(BLOCK) {
            let numbers = self.write_numbers(positions, &mut numbers);
            for (row, numbers) in positions.iter().zip(numbers) {
                let weight = combined_weight(row.weight().steps(), rows.factor);
                if weight > 0 {
                    squared += self.add(row, weight, &numbers[..self.model.feature_count()], batch);
                }
            }
        }
        squared
    }

    #[inline(always)]
    fn add(&self, row: &ScoredPosition, weight: u16, numbers: &[u32], batch: &mut Scratch) -> u128 {
        let (value, sum) = self.value(numbers);
        let residual = residual(row.label().steps(), value);
        let squared = i64::from(residual) * i64::from(residual) * i64::from(weight);
        let residual = residual.clamp(-RESIDUAL_LIMIT, RESIDUAL_LIMIT);
        let weighted = i64::from(residual) * i64::from(weight);
        batch.numbers.extend_from_slice(numbers);
        batch.weights.push(weight);
        batch.weighted.push(weighted);
        let mut added = [0; DIMENSIONS];
        for (dimension, (added, &sum)) in added.iter_mut().zip(&sum).enumerate() {
            let residual = if dimension < DIMENSIONS / 2 { weighted } else { -weighted };
            let sum = i64::from(sum.clamp(-SUM_LIMIT, SUM_LIMIT));
            let term = (residual * sum + (1 << (FACTOR_SHIFT - 1))) >> FACTOR_SHIFT;
            *added = term.clamp(-TERM_LIMIT, TERM_LIMIT) as i32;
        }
        batch.added.extend_from_slice(&added);
        squared as u128
    }

    pub(super) fn errors(&self, rows: Rows<'_>) -> Errors {
        let mut errors = Errors::default();
        let mut numbers = [[0; MAX_FEATURES]; BLOCK];
        for positions in rows.positions.chunks(BLOCK) {
            let numbers = self.write_numbers(positions, &mut numbers);
            for (row, numbers) in positions.iter().zip(numbers) {
                let (value, _) = self.value(&numbers[..self.model.feature_count()]);
                let weight = combined_weight(row.weight().steps(), rows.factor);
                errors.add(weight, clamped_error(row.label().steps(), value));
            }
        }
        errors
    }

    fn write_numbers<'n>(
        &self,
        positions: &[ScoredPosition],
        numbers: &'n mut [Numbers; BLOCK],
    ) -> &'n [Numbers] {
        let mut rows = [Row::EMPTY; BLOCK];
        let boards = positions.iter().map(ScoredPosition::position);
        self.model.write_rows(boards, &mut rows[..positions.len()]);
        for (numbers, row) in numbers.iter_mut().zip(&rows[..positions.len()]) {
            for (number, &parameter) in numbers.iter_mut().zip(row.features(self.model)) {
                *number = self.numbers[parameter as usize];
            }
        }
        &numbers[..positions.len()]
    }

    /// Returns a position's value in 2⁻¹⁸ disc, and the sum of its factor vectors in 2⁻¹⁶ √disc.
    #[inline(always)]
    fn value(&self, numbers: &[u32]) -> (i32, [i32; DIMENSIONS]) {
        let mut sum = [0i32; DIMENSIONS];
        for number in numbers {
            // SAFETY: a reference is valid to read. Each number is an index in the group, which has
            // one vector and one weight for each index. A volatile read is a plain load. Without
            // it, compilers add up one factor of eight vectors at a time, gathered from eight cache
            // lines.
            let vector = unsafe { self.vectors.get_unchecked(read_volatile(number) as usize) };
            for (sum, factor) in sum.iter_mut().zip(vector) {
                *sum += factor;
            }
        }
        // SAFETY: each number is an index in the group, which has one weight for each index.
        let alone = unsafe { gather(self.weights, numbers) };
        let value = i64::from(alone) + halved(signed_squares(&sum));
        (value.clamp(-VALUE_LIMIT, VALUE_LIMIT) as i32, sum)
    }
}

/// The residuals of a batch's positions, and the positions in which each parameter occurs.
#[derive(Debug, Default)]
pub struct Scratch {
    /// For each position in turn, the indices in the [`Group`] of the parameters that occur in it.
    pub(super) numbers: Vec<u32>,
    /// For each position, 2¹⁶ · weight (in occurrences) · residual (in discs, within ±128).
    pub(super) weighted: Vec<i64>,
    pub(super) weights: Vec<u16>,
    /// For each position in turn, the vector weight · residual · S in 2⁻¹⁶ disc·√disc. S is the sum
    /// of the position's factor vectors, with the second half of its elements negated. The gradient
    /// of a parameter's factors contains the sum of these vectors over the parameter's positions.
    pub(super) added: Vec<i32>,
    /// For each phase of the group, the index in the batch at which the phase's positions end.
    pub(super) ends_of_phases: Vec<u32>,
    /// For each parameter, the index in `positions` where its list ends and the next one begins.
    pub(super) ends: Vec<u32>,
    /// The joined lists of the positions (indices in the batch) in which each parameter occurs.
    pub(super) positions: Vec<u32>,
}

impl Scratch {
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.weighted.clear();
        self.weights.clear();
        self.added.clear();
        self.ends_of_phases.clear();
    }

    /// Lists the positions in which each of the `count` parameters occurs, in `self.positions` and
    /// `self.ends`. `features` is the number of parameters of each position in `self.numbers`.
    pub(super) fn list(&mut self, count: usize, features: usize) {
        self.ends.clear();
        self.ends.resize(count, 0);
        for &number in &self.numbers {
            self.ends[number as usize] += 1;
        }
        let mut begin = 0;
        for end in &mut self.ends {
            begin += std::mem::replace(end, begin);
        }
        self.positions.resize(self.numbers.len(), 0);
        for (position, numbers) in self.numbers.chunks_exact(features).enumerate() {
            for &number in numbers {
                let end = &mut self.ends[number as usize];
                self.positions[*end as usize] = position as u32;
                *end += 1;
            }
        }
    }
}
