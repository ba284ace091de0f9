//! Errors of evaluations on data: bias, mean absolute and mean squared error, for each phase and
//! for groups of positions. Values are static or found by searches.
//!
//! With the value vᵢ, the label yᵢ and the weight ωᵢ of a position, the bias is
//! b = Σᵢ ωᵢ (vᵢ − yᵢ) / Σᵢ ωᵢ. Its standard error s counts each of the G games g as one sample:
//! s² = G / (G − 1) · Σ_g (Σ_(i ∈ g) ωᵢ (vᵢ − yᵢ − b))² / (Σᵢ ωᵢ)².
//!
//! ```
//! use othello_fit::metrics::{BiasSums, GroupErrors};
//!
//! // `add`: weight in 1/64 occurrence, error yᵢ − vᵢ (opposite sign of the bias) in 1/1024 disc.
//! let mut sums = BiasSums::default();
//! for error in [-2048, 0] { sums.add(64, error); sums.end_game(); }
//! assert_eq!(GroupErrors::from(&sums).bias, Some(1.0));
//! ```

mod errors;
mod explain;
mod held_out;
mod measuring;

pub use errors::{BiasSums, Group, GroupErrors, PhaseErrors, Place, Valued};
pub use explain::{Explainer, Explanation, InstanceRow, Total, WorstPosition};
pub use held_out::{Overlap, Trained};
pub use measuring::{ErrorLimits, ErrorsByGame, GameErrors, Measured, Measuring, TestGames};
