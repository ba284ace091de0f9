//! The inner loop of everything: the features of positions, block by block, and what is gathered
//! from and scattered to them.

use othello_engine::record::ScoredPosition;

use crate::model::{Model, Row};

/// Positions whose rows are computed together: they stay in the first-level cache until they are
/// used.
const BLOCK: usize = 16;

/// Hands each position and its parameters to `work`.
#[inline]
pub(super) fn for_each(
    model: &Model,
    positions: &[ScoredPosition],
    mut work: impl FnMut(&ScoredPosition, &[u32]),
) {
    let mut rows = [Row::EMPTY; BLOCK];
    for positions in positions.chunks(BLOCK) {
        let rows = &mut rows[..positions.len()];
        model.write_rows(positions, rows);
        for (position, row) in positions.iter().zip(rows) {
            work(position, row.features(model));
        }
    }
}

/// The sum of a position's weights.
#[inline]
pub(super) fn gather(weights: &[i32], parameters: &[u32]) -> i32 {
    parameters.iter().map(|&parameter| weights[parameter as usize]).sum()
}

/// Adds `value` to the sums of a position's parameters.
#[inline]
pub(super) fn scatter(sums: &mut [i64], parameters: &[u32], value: i64) {
    for &parameter in parameters {
        sums[parameter as usize] += value;
    }
}
