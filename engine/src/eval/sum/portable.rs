//! The sum of weights without vector instructions.

use super::Aligned;
use crate::eval::layout::MARGIN;
use crate::pattern::Indices;

/// Returns the sum of one weight for each lane. A single bounds check for each lane suffices: it is
/// for the slice of all weights that a 16-bit index can reach from the lane's middle.
#[inline]
pub(super) fn sum(tables: &[i16], start: usize, middles: &Aligned, indices: &Indices) -> i32 {
    let lanes = middles.0.iter().zip(&indices.0);
    lanes
        .map(|(&middle, &index)| {
            let around = &tables[start + middle as usize - MARGIN..][..2 * MARGIN];
            i32::from(around[MARGIN.wrapping_add_signed(index.into())])
        })
        .sum()
}
