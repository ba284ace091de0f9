//! Sums over positions. They are sums of integers, so their division among threads has no effect.

use othello_engine::record::ScoredPosition;
use rayon::prelude::*;

use super::rows::{gather_all, gather_and_scatter, scatter_all};
use crate::backend::fixed::{clamped_error, combined_weight, residual};
use crate::backend::{Errors, Rows, Target};
use crate::model::Model;

/// The least number of positions for each worker. With fewer, more workers would not save time.
const POSITIONS_PER_WORKER: usize = 1 << 17;

pub(super) fn residual_sums(
    model: &Model,
    rows: &[Rows<'_>],
    vector: &[i32],
    target: Target,
    sums: &mut [i64],
) -> u128 {
    add_by_shares(rows, sums, |rows, sums| match target {
        Target::Label => add_residuals(model, rows, vector, |row| row.label().steps(), sums),
        Target::Zero => add_residuals(model, rows, vector, |_| 0, sums),
    })
}

/// Adds weight · residual to the sums of a position's parameters; returns Σ weight · residual².
#[inline]
fn add_residuals(
    model: &Model,
    rows: Rows<'_>,
    vector: &[i32],
    label: impl Fn(&ScoredPosition) -> i16,
    sums: &mut [i64],
) -> u128 {
    let mut squared = 0;
    gather_and_scatter(model, rows.positions, vector, sums, |row, sum| {
        let residual = i64::from(residual(label(row), sum));
        let weighted = residual * i64::from(combined_weight(row.weight().steps(), rows.factor));
        squared += (weighted * residual) as u128;
        weighted
    });
    squared
}

pub(super) fn occurrences(model: &Model, rows: &[Rows<'_>], sums: &mut [i64]) {
    add_by_shares(rows, sums, |rows, sums| {
        scatter_all(model, rows.positions, sums, |row| {
            i64::from(combined_weight(row.weight().steps(), rows.factor))
        });
        0
    });
}

pub(super) fn errors(model: &Model, rows: &[Rows<'_>], vector: &[i32]) -> Errors {
    errors_by_chunks(rows, |Rows { positions, factor }| {
        let mut errors = Errors::default();
        gather_all(model, positions, vector, |row, sum| {
            let weight = combined_weight(row.weight().steps(), factor);
            errors.add(weight, clamped_error(row.label().steps(), sum));
        });
        errors
    })
}

pub(super) fn errors_by_chunks(
    rows: &[Rows<'_>],
    of_chunk: impl Fn(Rows<'_>) -> Errors + Sync,
) -> Errors {
    let of_rows = |&Rows { positions, factor }: &Rows<'_>| {
        let chunks = positions.par_chunks(1 << 14).map(|positions| Rows { positions, factor });
        chunks.map(&of_chunk).reduce(Errors::default, |all, more| all + more)
    };
    rows.iter().map(of_rows).fold(Errors::default(), |all, more| all + more)
}

/// Calls `add` for all rows. Each call adds numbers by parameter to an array, and returns a number.
/// Sets `sums` to the total of the arrays, and returns the total of the returned numbers. If there
/// are enough positions, several workers, each with its own array, share the rows.
pub(super) fn add_by_shares(
    rows: &[Rows<'_>],
    sums: &mut [i64],
    add: impl Fn(Rows<'_>, &mut [i64]) -> u128 + Sync,
) -> u128 {
    let work = |share: &[Rows<'_>], sums: &mut [i64]| -> u128 {
        share.iter().map(|&rows| add(rows, sums)).sum()
    };
    sums.fill(0);
    let shares = shares(rows);
    let Some((first, others)) = shares.split_first() else { return 0 };
    let parameters = sums.len();
    let of_others = || {
        let of_share = |share: &Vec<Rows<'_>>| {
            let mut sums = vec![0; parameters];
            let squared = work(share, &mut sums);
            (sums, squared)
        };
        others.par_iter().map(of_share).reduce_with(|(mut left, squared), (right, other)| {
            add_elements(&mut left, &right);
            (left, squared + other)
        })
    };
    let (squared, others) = rayon::join(|| work(first, sums), of_others);
    let Some((more, more_squared)) = others else { return squared };
    add_elements(sums, &more);
    squared + more_squared
}

fn add_elements(sums: &mut [i64], others: &[i64]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

/// Divides rows into shares of about equal size, one for each worker. Uses several workers only
/// with at least [`POSITIONS_PER_WORKER`] positions each, on average.
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
