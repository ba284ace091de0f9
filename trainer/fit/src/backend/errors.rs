//! Sums of an evaluation's errors on positions, as integers.

use super::{RESIDUALS_PER_DISC, WEIGHTS_PER_OCCURRENCE};

/// Sums of the errors of values clamped to ±64 discs. Each position counts by its weight.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, derive_more::Add)]
pub struct Errors {
    /// The number of positions whose errors are included.
    pub positions: u64,
    /// The total weight of the positions, in 1/64 occurrence.
    pub weight: u64,
    /// Σ weight · |error|, in units of 1/64 occurrence · 1/[`RESIDUALS_PER_DISC`] disc.
    pub(super) absolute: u128,
    /// Σ weight · error², in units of 1/64 occurrence · 1/[`RESIDUALS_PER_DISC`]² disc².
    pub(super) squared: u128,
}

impl Errors {
    /// Adds a position with its weight (1/64 occurrence) and error (1/[`RESIDUALS_PER_DISC`] disc).
    #[inline]
    pub fn add(&mut self, weight: u16, error: i32) {
        let size = u64::from(error.unsigned_abs());
        self.positions += 1;
        self.weight += u64::from(weight);
        self.absolute += u128::from(u64::from(weight) * size);
        self.squared += u128::from(u64::from(weight) * size * size);
    }

    /// Returns Σ weight · |error| in occurrences · discs.
    pub fn absolute_discs(&self) -> f64 {
        self.absolute as f64 / f64::from(RESIDUALS_PER_DISC) / f64::from(WEIGHTS_PER_OCCURRENCE)
    }

    /// Returns the sum of the weights of all positions, in occurrences.
    pub fn occurrences(&self) -> f64 {
        self.weight as f64 / f64::from(WEIGHTS_PER_OCCURRENCE)
    }

    /// Returns the mean squared error in discs²; `None` without positions.
    pub fn mse(&self) -> Option<f64> {
        self.mean(self.squared, f64::from(RESIDUALS_PER_DISC).powi(2))
    }

    /// Returns the mean absolute error in discs; `None` without positions.
    pub fn mae(&self) -> Option<f64> {
        self.mean(self.absolute, f64::from(RESIDUALS_PER_DISC))
    }

    fn mean(&self, sum: u128, unit: f64) -> Option<f64> {
        (self.weight > 0).then(|| sum as f64 / unit / self.weight as f64)
    }
}
