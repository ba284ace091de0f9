//! Pattern sets: squares → instances → classes, and the indices that follow a game.
//!
//! A [`Pattern`] is written once, as squares. Its instances, and the classes that tie mirrored
//! configurations, are computed from the eight symmetries; nothing is rotated by hand.

mod coverage;
mod factor_shape;
mod geometry;
mod images;
mod indices;
mod scalar;
mod set;
mod shipped;

pub use coverage::{Coverage, lines};
pub use factor_shape::{FactorChoice, FactorShape};
pub use geometry::{Geometry, Instance, PatternGeometry, configurations, permuted};
pub use indices::{Indices, Lanes};
pub use scalar::{Scalar, ScalarCounts};
pub use set::{Pattern, PatternSet, PatternSetError};

/// The greatest number of instances. Lanes without an instance stay 0.
pub const LANES: usize = 64;

/// The greatest number of squares of a pattern.
pub const MAX_SQUARES: usize = 10;
