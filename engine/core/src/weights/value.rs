use std::fmt;

use derive_more::{Add, Neg, Sub};

use crate::board::Discs;

/// The number of steps in a disc. A step is the unit of values and weights.
pub const STEPS_PER_DISC: i32 = 32;

/// The greatest weight in steps of 1/32 disc: the sum of eight such weights fits into an `i16`.
pub const MAX_STEPS: i16 = 4095;

/// An estimate of the score for the player to move, in steps of 1/32 disc: −2048..=2048, which is
/// −64..=64 discs. The bounds of a search window may be outside this range, at most ±65 discs.
/// The format `{value:+.2}` prints the value in discs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Add, Neg, Sub)]
#[repr(transparent)]
pub struct Value(i32);

impl Value {
    /// The value of a draw.
    pub const ZERO: Self = Self(0);
    /// The smallest positive difference between two values: 1/32 disc.
    pub const STEP: Self = Self(1);
    /// The largest value: 64 discs.
    pub const MAX: Self = Self(64 * STEPS_PER_DISC);
    /// The smallest value: −64 discs.
    pub const MIN: Self = Self(-Self::MAX.0);
    /// A search bound that is greater than all values: one step above the largest value.
    pub const INFINITE: Self = Self(Self::MAX.0 + 1);

    /// Returns the value of `steps` steps of 1/32 disc; `None` if the value is outside ±64 discs.
    pub const fn from_steps(steps: i32) -> Option<Self> {
        if Self::MIN.0 <= steps && steps <= Self::MAX.0 { Some(Self(steps)) } else { None }
    }

    /// Returns the value of `steps` steps of 1/32 disc, clamped to ±64 discs.
    #[inline]
    pub fn clamped(steps: i32) -> Self {
        Self(steps.clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Converts a score in discs, from −64 to 64, to a value.
    #[inline]
    pub const fn from_score(score: Discs) -> Self {
        debug_assert!(-64 <= score && score <= 64, "a score is at most 64 discs");
        Self(score * STEPS_PER_DISC)
    }

    /// Returns this value plus `steps`/32 disc, at most [`Self::INFINITE`].
    #[inline]
    #[must_use]
    pub fn raised(self, steps: i32) -> Self {
        Self((self.0 + steps).min(Self::INFINITE.0))
    }

    /// Returns this value minus `steps`/32 disc, at least −[`Self::INFINITE`].
    #[inline]
    #[must_use]
    pub fn lowered(self, steps: i32) -> Self {
        Self((self.0 - steps).max(-Self::INFINITE.0))
    }

    /// Returns the value in steps of 1/32 disc.
    pub const fn steps(self) -> i32 {
        self.0
    }

    /// Converts the value to discs. The conversion is exact.
    #[inline]
    pub fn discs(self) -> f64 {
        f64::from(self.0) / f64::from(STEPS_PER_DISC)
    }

    /// Converts an exact value, which must be a whole number of discs, to a score in discs.
    #[inline]
    pub const fn score(self) -> Discs {
        debug_assert!(self.0 % STEPS_PER_DISC == 0, "an exact value is a whole number of discs");
        self.0 / STEPS_PER_DISC
    }

    /// Rounds the value to the nearest whole number of discs, halves away from zero.
    #[inline]
    pub const fn nearest_disc(self) -> Discs {
        self.nearest_multiple_of(1)
    }

    /// Rounds to the nearest multiple of `discs`, halves away from zero.
    #[inline]
    pub const fn nearest_multiple_of(self, discs: Discs) -> Discs {
        let unit = discs * STEPS_PER_DISC;
        (self.0 + unit / 2 * self.0.signum()) / unit * discs
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.discs().fmt(f)
    }
}

/// Converts a weight from steps of 1/32 disc to discs. The conversion is exact.
#[inline]
pub fn weight_in_discs(steps: i16) -> f64 {
    f64::from(steps) / f64::from(STEPS_PER_DISC)
}

/// Rounds a weight to steps of 1/32 disc, halves away from zero, and clamps it to ±[`MAX_STEPS`].
pub fn nearest_weight(discs: f64) -> i16 {
    let limit = f64::from(MAX_STEPS);
    (discs * f64::from(STEPS_PER_DISC)).round().clamp(-limit, limit) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_rounded_as_floating_point_numbers_are() {
        for value in (-2048..=2048).map(|steps| Value::from_steps(steps).unwrap()) {
            assert_eq!(f64::from(value.nearest_disc()), value.discs().round());
            assert_eq!(
                f64::from(value.nearest_multiple_of(2)),
                (value.discs() / 2.0).round() * 2.0
            );
        }
    }

    #[test]
    fn steps_beyond_64_discs_are_no_value() {
        assert_eq!(Value::from_steps(2049), None);
        assert_eq!(Value::from_steps(-2049), None);
        assert_eq!(Value::clamped(i32::MAX), Value::MAX);
        assert_eq!(Value::clamped(i32::MIN), Value::MIN);
        let scores: Vec<Discs> = (-64..=64).collect();
        assert!(scores.iter().all(|&score| Value::from_score(score).score() == score));
    }

    #[test]
    fn a_weight_is_rounded_to_the_nearest_step_within_its_limits() {
        let discs = [0.0, 1.0, -0.5 / 32.0, 0.49 / 32.0, 200.0, -1e300];
        assert_eq!(discs.map(nearest_weight), [0, 32, -1, 0, MAX_STEPS, -MAX_STEPS]);
        assert!((-MAX_STEPS..=MAX_STEPS).all(|step| nearest_weight(weight_in_discs(step)) == step));
    }

    #[test]
    fn a_value_is_printed_in_discs() {
        let value = Value::from_steps(-40).unwrap();
        assert_eq!(format!("{value:+.2} {:+.1}", Value::MAX), "-1.25 +64.0");
    }
}
