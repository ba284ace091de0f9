//! Pattern sets, their instances and classes, and indices that are updated move by move.
//!
//! A [`Pattern`] is written once, as a list of squares. Its instances (the distinct images under
//! the eight symmetries) and its classes (sets of configurations that a symmetry maps onto each
//! other) follow:
//!
//! ```text
//! squares        a1 b1 c1
//! instances      a1 b1 c1   h1 g1 f1   a8 b8 c8   …   (1, 2, 4 or 8 instances)
//! configuration  s₀ + 3 s₁ + 9 s₂ (−13 to 13); sₖ = +1 player, 0 empty, −1 opponent on square k
//! value          Σ over instances weight[phase][class] + Σ over scalars weight[phase][count]
//! ```
//!
//! ```
//! use othello_core::board::Position;
//! use othello_core::pattern::{Geometry, PatternSet};
//!
//! let set = PatternSet::from_toml("name = \"corners\"\n[[pattern]]\nsquares = \"a1 h1 a8 h8\"")?;
//! let geometry = Geometry::new(&set);
//! // Four corners in three states, up to the eight symmetries: 21 classes.
//! assert_eq!((geometry.instances.len(), geometry.patterns[0].classes), (1, 21));
//! // A position has one parameter for each instance and scalar feature.
//! assert_eq!(geometry.parameters_of(&Position::START).count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod factor_shape;
mod geometry;
mod indices;
mod scalar;
mod set;

pub use factor_shape::{FactorChoice, FactorShape};
pub use geometry::{Coverage, Geometry, Instance, PatternGeometry, configurations, permuted};
pub use indices::{Indices, Lanes};
pub use scalar::{Scalar, ScalarCounts};
pub use set::{Pattern, PatternSet, names};

/// The greatest number of instances of a pattern set, which is the number of lanes of [`Indices`].
pub const LANES: usize = 64;

/// The greatest number of squares of a pattern.
pub const MAX_SQUARES: usize = 10;
