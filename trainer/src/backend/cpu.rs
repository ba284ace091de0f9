//! The reference: all primitives on the CPU. Sums are of integers, so that they do not depend on
//! how the work was divided.

mod rows;

use othello_engine::record::ScoredPosition;
use rayon::prelude::*;

use super::fixed::{clamped_error, combined_weight, residual};
use super::{Errors, ResidualSums, Rows, Target};
use crate::model::Model;

/// Positions for which a worker with sums of its own pays: the sums have to be added up again.
const POSITIONS_PER_WORKER: usize = 1 << 17;

/// The residuals of `rows` under the weights `vector`, added up by parameter. `vector` has one
/// entry below [`super::WEIGHT_LIMIT`] for each parameter of `model`; the rows' weights stay below
/// [`super::MAX_TOTAL_WEIGHT`] together.
pub fn residual_sums(
    model: &Model,
    rows: &[Rows<'_>],
    vector: &[i32],
    target: Target,
) -> ResidualSums {
    let work = |share: Vec<Rows<'_>>| {
        let mut sums = ResidualSums { by_parameter: vec![0; vector.len()], squared: 0 };
        for rows in share {
            match target {
                Target::Label => {
                    add_residuals(model, rows, vector, |row| row.label().steps(), &mut sums);
                }
                Target::Zero => add_residuals(model, rows, vector, |_| 0, &mut sums),
            }
        }
        sums
    };
    let zero = || ResidualSums { by_parameter: vec![0; vector.len()], squared: 0 };
    shares(rows).into_par_iter().map(work).reduce_with(add_sums).unwrap_or_else(zero)
}

#[inline]
fn add_residuals(
    model: &Model,
    rows: Rows<'_>,
    vector: &[i32],
    label: impl Fn(&ScoredPosition) -> i16,
    sums: &mut ResidualSums,
) {
    let Rows { positions, factor } = rows;
    rows::for_each(model, positions, |row, parameters| {
        let residual = i64::from(residual(label(row), rows::gather(vector, parameters)));
        let weighted = residual * i64::from(combined_weight(row.weight().steps(), factor));
        sums.squared += (weighted * residual) as u128;
        rows::scatter(&mut sums.by_parameter, parameters, weighted);
    });
}

fn add_sums(mut left: ResidualSums, right: ResidualSums) -> ResidualSums {
    left.by_parameter.iter_mut().zip(&right.by_parameter).for_each(|(sum, other)| *sum += other);
    left.squared += right.squared;
    left
}

/// How much weight the rows give each parameter, in 1/64 occurrence.
pub fn occurrences(model: &Model, rows: &[Rows<'_>]) -> Vec<u64> {
    let work = |share: Vec<Rows<'_>>| {
        let mut counts = vec![0u64; model.parameters()];
        for rows in share {
            let Rows { positions, factor } = rows;
            rows::for_each(model, positions, |row, parameters| {
                let weight = u64::from(combined_weight(row.weight().steps(), factor));
                for &parameter in parameters {
                    counts[parameter as usize] += weight;
                }
            });
        }
        counts
    };
    let add = |mut left: Vec<u64>, right: Vec<u64>| {
        left.iter_mut().zip(&right).for_each(|(count, other)| *count += other);
        left
    };
    let counts = shares(rows).into_par_iter().map(work).reduce_with(add);
    counts.unwrap_or_else(|| vec![0; model.parameters()])
}

/// The errors of the weights `vector` on positions.
pub fn errors(model: &Model, positions: &[ScoredPosition], vector: &[i32]) -> Errors {
    let work = |chunk: &[ScoredPosition]| {
        let mut errors = Errors::default();
        rows::for_each(model, chunk, |row, parameters| {
            let sum = rows::gather(vector, parameters);
            errors.add(row.weight().steps(), clamped_error(row.label().steps(), sum));
        });
        errors
    };
    positions.par_chunks(1 << 14).map(work).reduce(Errors::default, Errors::plus)
}

/// Divides rows into shares of about equal numbers of positions, one for each worker that pays.
fn shares<'a>(rows: &[Rows<'a>]) -> Vec<Vec<Rows<'a>>> {
    let total: usize = rows.iter().map(|rows| rows.positions.len()).sum();
    let workers = (total / POSITIONS_PER_WORKER).clamp(1, rayon::current_num_threads());
    let mut shares = vec![vec![]; workers];
    for rows in rows {
        let size = rows.positions.len().div_ceil(workers).max(1);
        for (share, positions) in shares.iter_mut().zip(rows.positions.chunks(size)) {
            share.push(Rows { positions, factor: rows.factor });
        }
    }
    shares
}
