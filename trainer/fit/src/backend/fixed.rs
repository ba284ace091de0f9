//! Units and bounds of the fixed-point arithmetic in a fit.

/// The number of fixed-point steps per disc for the weight of a parameter.
pub const WEIGHTS_PER_DISC: i32 = 1 << 18;

/// The largest absolute weight of a parameter, in 2⁻¹⁸ disc: just below 64 discs. The sum of up to
/// [`MAX_FEATURES`](crate::model::MAX_FEATURES) weights, the value of a position, is below 2³¹.
pub const WEIGHT_LIMIT: i32 = (1 << 24) - 1;

/// The number of fixed-point steps per disc for a residual.
pub const RESIDUALS_PER_DISC: i32 = 1 << 10;

/// Weights of positions are integers: a position with this weight counts as one occurrence.
pub const WEIGHTS_PER_OCCURRENCE: i32 = 64;

/// The number of bits, including the sign, of the integers to which the conjugate-gradient method
/// rounds the elements of a search direction.
pub const DIRECTION_BITS: i32 = 24;

const LABEL_SHIFT: u32 = 10;
const RESIDUAL_SHIFT: u32 = 8;

/// The largest total weight of the rows of a batch: 134 million occurrences of positions, each with
/// the weight 64. Residuals are below 2²³ (in 2⁻¹⁰ disc), and a parameter occurs at most 80 < 2⁷
/// times in a position, so sums of weight · residual stay below 2³³ · 2²³ · 2⁷ = 2⁶³.
pub const MAX_TOTAL_WEIGHT: u64 = 1 << 33;

/// Returns `label` (in 2⁻⁸ disc) minus `sum` (in 2⁻¹⁸ disc), rounded to units of 2⁻¹⁰ disc.
#[inline]
pub(super) fn residual(label: i16, sum: i32) -> i32 {
    ((i32::from(label) << LABEL_SHIFT) - sum + (1 << (RESIDUAL_SHIFT - 1))) >> RESIDUAL_SHIFT
}

#[inline]
pub(super) fn clamped_error(label: i16, sum: i32) -> i32 {
    const LIMIT: i32 = 64 << 18;
    residual(label, sum.clamp(-LIMIT, LIMIT))
}

#[inline]
pub(super) fn combined_weight(weight: u16, factor: u16) -> u16 {
    ((u32::from(weight) * u32::from(factor) + 128) >> 8) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MAX_FEATURES;

    #[test]
    fn residuals_are_rounded_differences() {
        assert_eq!(residual(256, 0), RESIDUALS_PER_DISC);
        assert_eq!(residual(-64 * 256, 65 * WEIGHT_LIMIT), (-64 - 64 * 65) * 1024);
        assert_eq!(clamped_error(0, 100 * WEIGHTS_PER_DISC), -64 * 1024);
        assert_eq!((combined_weight(64, 256), combined_weight(64, 64)), (64, 16));
        assert_eq!(combined_weight(u16::MAX, 256), u16::MAX);
    }

    #[test]
    fn no_sum_can_overflow() {
        let largest = WEIGHT_LIMIT.checked_mul(MAX_FEATURES as i32).unwrap();
        let residual_bound = i128::from(residual(-64 * 256, largest)).abs();
        assert!(residual_bound < 1 << 23);
        let sum = i128::from(MAX_TOTAL_WEIGHT) * residual_bound * MAX_FEATURES as i128;
        assert!(sum < i128::from(i64::MAX));
    }
}
