//! The sum with ordinary loads.

use super::Places;
use crate::eval::layout::MARGIN;

/// The sum of the vectors, with a bound checked for each.
#[inline]
pub(super) fn sum<const DIMENSIONS: usize>(
    vectors: &[[i8; DIMENSIONS]],
    places: Places<'_>,
) -> [i16; DIMENSIONS] {
    let mut sum = [0i16; DIMENSIONS];
    let lanes = places.lanes().into_iter().map(|place| place as usize);
    for place in lanes.chain(places.others.iter().map(|&place| place as usize)) {
        let vector = &vectors[MARGIN.wrapping_add(place)];
        sum.iter_mut().zip(vector).for_each(|(sum, &factor)| *sum += i16::from(factor));
    }
    sum
}
