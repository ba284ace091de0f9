//! The primitives a fit is made of, in fixed point, so that every way to compute them gives the
//! same bytes.
//!
//! | quantity | unit | bound |
//! |---|---|---|
//! | label | 2⁻⁸ disc | ±64 discs |
//! | weight of a parameter | 2⁻¹⁸ disc | ±2²⁴ |
//! | sum over a position's features | 2⁻¹⁸ disc | 65 · 2²⁴ < 2³¹ |
//! | residual | 2⁻¹⁰ disc | ±2²³ |
//! | weight of a position | 1/64 occurrence | < 2¹⁶ |
//! | sum of residuals of a parameter | 2⁻¹⁶ disc · occurrence | [`MAX_TOTAL_WEIGHT`] |

pub mod cpu;
mod fixed;

use othello_engine::record::ScoredPosition;

pub use fixed::{
    DIRECTION_BITS, MAX_TOTAL_WEIGHT, RESIDUALS_PER_DISC, WEIGHT_LIMIT, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE,
};

/// Positions that take part in a fit with the same factor on their weights.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The positions, each with label and weight.
    pub positions: &'a [ScoredPosition],
    /// The factor in 1/256, 0..=256.
    pub factor: u16,
}

/// What the sum over a position's features is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The position's label: residual = label − sum.
    Label,
    /// Nothing: residual = −sum, for the product with the normal matrix.
    Zero,
}

/// The residuals of all rows, added up by parameter.
#[derive(Clone, Debug)]
pub struct ResidualSums {
    /// For each parameter Σ weight · residual over the positions that have it, in units of
    /// 1/([`RESIDUALS_PER_DISC`] · [`WEIGHTS_PER_OCCURRENCE`]).
    pub by_parameter: Vec<i64>,
    /// Σ weight · residual², in units of 1/([`RESIDUALS_PER_DISC`]² · [`WEIGHTS_PER_OCCURRENCE`]).
    pub squared: u128,
}

/// Errors of weights on positions, each position counted with its weight; values are clamped to
/// ±64 discs first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Errors {
    /// How many positions there are.
    pub positions: u64,
    /// Σ weight in 1/64 occurrence.
    weight: u64,
    /// Σ weight · |error|.
    absolute: u128,
    /// Σ weight · error².
    squared: u128,
}

impl Errors {
    /// Adds the errors of other positions.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            positions: self.positions + other.positions,
            weight: self.weight + other.weight,
            absolute: self.absolute + other.absolute,
            squared: self.squared + other.squared,
        }
    }

    /// Adds one position: its weight in 1/64 occurrence and its error in
    /// 1/[`RESIDUALS_PER_DISC`] disc.
    #[inline]
    pub fn add(&mut self, weight: u16, error: i32) {
        let size = u64::from(error.unsigned_abs());
        self.positions += 1;
        self.weight += u64::from(weight);
        self.absolute += u128::from(u64::from(weight) * size);
        self.squared += u128::from(u64::from(weight) * size * size);
    }

    /// Mean squared error in discs²; `None` without positions.
    pub fn mse(&self) -> Option<f64> {
        self.mean(self.squared, f64::from(RESIDUALS_PER_DISC).powi(2))
    }

    /// Mean absolute error in discs; `None` without positions.
    pub fn mae(&self) -> Option<f64> {
        self.mean(self.absolute, f64::from(RESIDUALS_PER_DISC))
    }

    fn mean(&self, sum: u128, unit: f64) -> Option<f64> {
        (self.weight > 0).then(|| sum as f64 / unit / self.weight as f64)
    }
}
