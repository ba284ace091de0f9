//! The sum of factor vectors without vector instructions.

use super::Places;
use crate::eval::layout::MARGIN;

/// Returns the element-wise sum of the vectors at `places`. The index of each vector is checked.
#[inline]
pub(super) fn sum<const DIMENSIONS: usize>(
    vectors: &[[i8; DIMENSIONS]],
    places: Places<'_>,
) -> [i16; DIMENSIONS] {
    let mut sum = [0i16; DIMENSIONS];
    let mut add = |place: usize| {
        let vector = &vectors[MARGIN.wrapping_add(place)];
        sum = std::array::from_fn(|dimension| sum[dimension] + i16::from(vector[dimension]));
    };
    places.lanes().into_iter().for_each(|place| add(place as usize));
    places.others.iter().for_each(|&place| add(place as usize));
    sum
}
