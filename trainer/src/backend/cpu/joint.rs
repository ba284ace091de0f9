//! Weights and factors of a group of phases: the values of positions, and the sums of their residuals.
//!
//! The vector of such a fit has the weights of every phase of the group, one phase after another, and
//! then the factors of all parameters, one vector after another. The value of a position is the sum of
//! its weights, and of the products of any two of its vectors: half the squares of the vectors' sum, less
//! half the squares of each vector; those of the first half of the elements are added, those of the second
//! half taken away.
//!
//! | quantity | unit | bound |
//! |---|---|---|
//! | factor | 2⁻¹⁶ | ±127/64, less than 2¹⁷ |
//! | sum of a position's factors | 2⁻¹⁶ | 80 · 2¹⁷ < 2²⁴ |
//! | sum of squares of 32 such sums | 2⁻³² disc | 2⁵³ |
//! | value | 2⁻¹⁸ disc | limited to ±2³⁰ |
//! | residual, for the factors | 2⁻¹⁰ disc | limited to ±2¹⁷, 128 discs |
//! | what the other vectors sum to | 2⁻¹² | limited to ±2¹⁶, 16 |
//! | what a position adds for a factor | 2⁻¹⁶ disc · occurrence | 2¹⁷ · 2¹⁶ / 2¹² = 2²¹ an occurrence's 64th |
//!
//! With at most 2³³ sixty-fourths of an occurrence ([`MAX_TOTAL_WEIGHT`](crate::backend::MAX_TOTAL_WEIGHT))
//! and less than 2⁷ features a position, sums of the last stay below 2⁶¹.

use std::ops::RangeInclusive;

use othello_engine::board::Phase;
use othello_engine::eval::{FACTORS_PER_UNIT, MAX_FACTOR};
use othello_engine::record::ScoredPosition;
use rayon::prelude::*;

use super::rows::{for_each_row, gather, scatter};
use super::sums::add_by_shares;
use crate::backend::fixed::{clamped_error, combined_weight, residual};
use crate::backend::{Errors, Rows};
use crate::model::Model;

/// Steps of a factor in 1.
const FACTOR_STEPS: i32 = 1 << 16;

/// The largest factor that the file has a place for, in these steps.
const FACTOR_LIMIT: i32 = MAX_FACTOR as i32 * (FACTOR_STEPS / FACTORS_PER_UNIT);

/// A group of phases that share factors, and the place of everything in the vector of its fit.
#[derive(Clone, Debug)]
pub struct Group {
    phases: RangeInclusive<Phase>,
    parameters: usize,
    dimensions: usize,
}

impl Group {
    /// The group of these phases; `None` where the model has no factors.
    pub fn new(model: &Model, phases: RangeInclusive<Phase>) -> Option<Self> {
        let dimensions = model.set().factors()?.dimensions();
        Some(Self { phases, parameters: model.parameters(), dimensions })
    }

    /// The group of these phases, in ascending order; `None` without any, too.
    pub fn of_phases(model: &Model, phases: &[Phase]) -> Option<Self> {
        Self::new(model, *phases.first()?..=*phases.last()?)
    }

    /// The phases of the group.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + use<> {
        let phases = self.phases.clone();
        Phase::all().filter(move |phase| phases.contains(phase))
    }

    /// The place of the weights of a phase of the group.
    pub fn weights(&self, phase: Phase) -> std::ops::Range<usize> {
        let first = phase.index().saturating_sub(self.phases.start().index()) * self.parameters;
        first..first + self.parameters
    }

    /// The place of the factors: [`Self::dimensions`] for each parameter.
    pub fn factors(&self) -> std::ops::Range<usize> {
        let first = self.weights(*self.phases.end()).end;
        first..first + self.parameters * self.dimensions
    }

    /// The number of factors of a parameter.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The length of the vector.
    pub fn length(&self) -> usize {
        self.factors().end
    }
}

/// See [`Backend::round_weights`](crate::backend::Backend::round_weights); factors are rounded to 2⁻¹⁶.
pub(super) fn round_factors(factors: &[f64], fixed: &mut [i32]) {
    let limit = f64::from(FACTOR_LIMIT);
    for (fixed, &factor) in fixed.iter_mut().zip(factors) {
        *fixed = (factor * f64::from(FACTOR_STEPS)).round_ties_even().clamp(-limit, limit) as i32;
    }
}

/// See [`Backend::residual_sums`](crate::backend::Backend::residual_sums), with the label as target.
pub(super) fn residual_sums(
    model: &Model,
    group: &Group,
    rows: &[Rows<'_>],
    vector: &[i32],
    sums: &mut [i64],
) -> u128 {
    add_by_shares(rows, sums, |rows, sums| match group.dimensions {
        8 => add_residuals::<8>(model, group, rows, vector, sums),
        16 => add_residuals::<16>(model, group, rows, vector, sums),
        _ => add_residuals::<32>(model, group, rows, vector, sums),
    })
}

/// Adds the residuals of `rows` to `sums`; returns Σ weight · residual².
fn add_residuals<const DIMENSIONS: usize>(
    model: &Model,
    group: &Group,
    rows: Rows<'_>,
    vector: &[i32],
    sums: &mut [i64],
) -> u128 {
    let Some(weights) = weights_of(group, rows.positions) else { return 0 };
    let (vectors, _) = vector[group.factors()].as_chunks::<DIMENSIONS>();
    let (sums_of_weights, sums_of_factors) = sums.split_at_mut(group.factors().start);
    let sums_of_weights = &mut sums_of_weights[weights.clone()];
    let (sums_of_factors, _) = sums_of_factors.as_chunks_mut::<DIMENSIONS>();
    let weights = &vector[weights];
    let mut squared = 0;
    for_each_row(model, rows.positions, |row, parameters| {
        let (value, sum) = value(weights, vectors, parameters);
        let residual = residual(row.label().steps(), value);
        let weight = i64::from(combined_weight(row.weight().steps(), rows.factor));
        let weighted = i64::from(residual) * weight;
        squared += (weighted * i64::from(residual)) as u128;
        // SAFETY: rows hold numbers below `Model::parameters`, the length of a phase's weights.
        unsafe { scatter(sums_of_weights, parameters, weighted) };
        let limited = i64::from(residual.clamp(-RESIDUAL_LIMIT, RESIDUAL_LIMIT)) * weight;
        for &parameter in parameters {
            let own = &vectors[parameter as usize];
            let sums = &mut sums_of_factors[parameter as usize];
            for dimension in 0..DIMENSIONS {
                let others = sum[dimension] - own[dimension] + (1 << (OTHERS_SHIFT - 1));
                let others = others >> OTHERS_SHIFT;
                let others = i64::from(others.clamp(-OTHERS_LIMIT, OTHERS_LIMIT));
                let residual = if dimension < DIMENSIONS / 2 { limited } else { -limited };
                sums[dimension] += (residual * others + (1 << (SUM_SHIFT - 1))) >> SUM_SHIFT;
            }
        }
    });
    squared
}

/// 128 discs in 2⁻¹⁰ disc.
const RESIDUAL_LIMIT: i32 = 1 << 17;
/// From 2⁻¹⁶ to 2⁻¹².
const OTHERS_SHIFT: u32 = 4;
/// 16 in 2⁻¹².
const OTHERS_LIMIT: i32 = 1 << 16;
/// From 2⁻¹² to 1.
const SUM_SHIFT: u32 = 12;

/// The value of a position in 2⁻¹⁸ disc, and the sum of its vectors in 2⁻¹⁶.
#[inline]
fn value<const DIMENSIONS: usize>(
    weights: &[i32],
    vectors: &[[i32; DIMENSIONS]],
    parameters: &[u32],
) -> (i32, [i32; DIMENSIONS]) {
    let mut sum = [0i32; DIMENSIONS];
    let mut own = [0i64; DIMENSIONS];
    for &parameter in parameters {
        let vector = &vectors[parameter as usize];
        for dimension in 0..DIMENSIONS {
            let factor = vector[dimension];
            sum[dimension] += factor;
            own[dimension] += i64::from(factor) * i64::from(factor);
        }
    }
    let products: [i64; DIMENSIONS] = std::array::from_fn(|dimension| {
        i64::from(sum[dimension]) * i64::from(sum[dimension]) - own[dimension]
    });
    let (added, taken) = products.split_at(DIMENSIONS / 2);
    let together = added.iter().sum::<i64>() - taken.iter().sum::<i64>();
    // SAFETY: rows hold numbers below `Model::parameters`, the length of a phase's weights.
    let alone = unsafe { gather(weights, parameters) };
    // Half of 2⁻³², in 2⁻¹⁸.
    const SHIFT: u32 = 32 - 18 + 1;
    const LIMIT: i64 = (1 << 30) - 1;
    let value = i64::from(alone) + ((together + (1 << (SHIFT - 1))) >> SHIFT);
    (value.clamp(-LIMIT, LIMIT) as i32, sum)
}

/// See [`Backend::occurrences`](crate::backend::Backend::occurrences): those of the weights, and of a factor
/// the occurrences of its parameter in all phases.
pub(super) fn occurrences(model: &Model, group: &Group, rows: &[Rows<'_>], sums: &mut [i64]) {
    add_by_shares(rows, sums, |rows, sums| {
        let Some(weights) = weights_of(group, rows.positions) else { return 0 };
        let (of_weights, of_factors) = sums.split_at_mut(group.factors().start);
        let of_weights = &mut of_weights[weights];
        for_each_row(model, rows.positions, |row, parameters| {
            let weight = i64::from(combined_weight(row.weight().steps(), rows.factor));
            for &parameter in parameters {
                let parameter = parameter as usize;
                of_weights[parameter] += weight;
                let vector = &mut of_factors[parameter * group.dimensions..][..group.dimensions];
                vector.iter_mut().for_each(|sum| *sum += weight);
            }
        });
        0
    });
}

/// See [`Backend::errors`](crate::backend::Backend::errors).
pub(super) fn errors(model: &Model, group: &Group, rows: &[Rows<'_>], vector: &[i32]) -> Errors {
    let of_chunk = |chunk: &[ScoredPosition], factor: u16| match group.dimensions {
        8 => errors_of::<8>(model, group, chunk, factor, vector),
        16 => errors_of::<16>(model, group, chunk, factor, vector),
        _ => errors_of::<32>(model, group, chunk, factor, vector),
    };
    let of_rows = |rows: &Rows<'_>| {
        let chunks = rows.positions.par_chunks(1 << 14);
        chunks.map(|chunk| of_chunk(chunk, rows.factor)).reduce(Errors::default, Errors::plus)
    };
    rows.iter().map(of_rows).fold(Errors::default(), Errors::plus)
}

fn errors_of<const DIMENSIONS: usize>(
    model: &Model,
    group: &Group,
    positions: &[ScoredPosition],
    factor: u16,
    vector: &[i32],
) -> Errors {
    let mut errors = Errors::default();
    let Some(weights) = weights_of(group, positions) else { return errors };
    let (vectors, _) = vector[group.factors()].as_chunks::<DIMENSIONS>();
    for_each_row(model, positions, |row, parameters| {
        let (value, _) = value(&vector[weights.clone()], vectors, parameters);
        let weight = combined_weight(row.weight().steps(), factor);
        errors.add(weight, clamped_error(row.label().steps(), value));
    });
    errors
}

/// The place of the weights of positions, which are all of one phase; `None` without any.
fn weights_of(group: &Group, positions: &[ScoredPosition]) -> Option<std::ops::Range<usize>> {
    let phase = Phase::of(&positions.first()?.position())?;
    debug_assert!(positions.iter().all(|row| Phase::of(&row.position()) == Some(phase)));
    Some(group.weights(phase))
}

#[cfg(test)]
mod tests {
    use othello_engine::pattern::{FactorShape, PatternSet};
    use othello_engine::record::{Label, Weight};

    use super::*;
    use crate::backend::{Backend as _, Batch, Target};
    use crate::model::random_positions;

    /// Against sums over pairs of features, in floating point.
    #[test]
    fn values_and_gradients_are_those_of_all_pairs_of_features() {
        for dimensions in FactorShape::DIMENSIONS {
            let set = PatternSet::shipped("small").unwrap();
            let model = Model::new(set.with_factors(FactorShape::new(dimensions, 60)));
            let phases: Vec<Phase> = (20..=21).filter_map(Phase::new).collect();
            let group = Group::of_phases(&model, &phases).unwrap();
            let cpu = super::super::Cpu::of_group(&model, group.clone());
            let mut random = othello_engine::random::Generator::new(3);
            let mut number = || f64::from(random.below(2001)) / 1000.0 - 1.0;
            let mut vector: Vec<f64> = (0..group.length()).map(|_| number()).collect();
            vector[group.factors()].iter_mut().for_each(|factor| *factor *= 0.3);
            let mut fixed = cpu.zero_fixed().unwrap();
            cpu.round_weights(&vector, &mut fixed).unwrap();

            let positions = random_positions(30);
            let rows: Vec<Vec<ScoredPosition>> = (phases.iter())
                .map(|&phase| {
                    let of_phase = positions.iter().filter(|p| Phase::of(p) == Some(phase));
                    let row =
                        |p: &_| ScoredPosition::new(*p, Label::new(700).unwrap(), Weight::ONE);
                    of_phase.map(row).collect()
                })
                .collect();
            let mut expected = vec![0.0; group.length()];
            let mut expected_squares = 0.0;
            for (rows, &phase) in rows.iter().zip(&phases) {
                let first = group.weights(phase).start;
                for row in rows {
                    let features = model.features(&row.position());
                    let features: Vec<usize> =
                        features.parameters().iter().map(|&p| p as usize).collect();
                    let of = |feature: usize, dimension: usize| {
                        group.factors().start + feature * dimensions + dimension
                    };
                    let sign =
                        |dimension: usize| if 2 * dimension < dimensions { 1.0 } else { -1.0 };
                    let mut value: f64 = features.iter().map(|&f| vector[first + f]).sum();
                    for (number, &one) in features.iter().enumerate() {
                        for &other in &features[number + 1..] {
                            value += (0..dimensions)
                                .map(|d| sign(d) * vector[of(one, d)] * vector[of(other, d)])
                                .sum::<f64>();
                        }
                    }
                    let residual = 700.0 / 256.0 - value;
                    expected_squares += residual * residual;
                    for (number, &one) in features.iter().enumerate() {
                        expected[first + one] += residual;
                        for (other, &feature) in features.iter().enumerate() {
                            for d in (0..dimensions).filter(|_| other != number) {
                                expected[of(one, d)] += residual * sign(d) * vector[of(feature, d)];
                            }
                        }
                    }
                }
            }
            let rows: Vec<Rows<'_>> = rows.iter().map(|rows| Rows::full(rows)).collect();
            let mut sums = cpu.zero_sums().unwrap();
            let label = Target::Label;
            let squares = cpu.residual_sums(&rows, Batch::WHOLE, &fixed, label, &mut sums).unwrap();
            let squares = squares as f64 / f64::from(1u32 << 26);
            assert!(
                (squares / expected_squares - 1.0).abs() < 1e-3,
                "{squares} {expected_squares}"
            );
            let found = sums.iter().map(|&sum| sum as f64 / f64::from(1u32 << 16));
            for (place, (found, expected)) in found.zip(expected).enumerate() {
                let allowed = 0.02 + 0.002 * f64::abs(expected);
                assert!((found - expected).abs() < allowed, "{place}: {found} {expected}");
            }
            assert!(
                cpu.residual_sums(&rows, Batch::WHOLE, &fixed, Target::Zero, &mut sums).is_err()
            );
        }
    }
}
