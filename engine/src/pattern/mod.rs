//! Pattern sets: squares → instances → classes, and the indices that follow a game.
//!
//! A [`Pattern`] is written once, as squares. Its instances and the classes that tie mirrored
//! configurations are computed from the eight symmetries; nothing is rotated by hand.

mod geometry;
mod indices;
mod set;

pub use geometry::{Geometry, Instance, PatternGeometry, configurations};
pub use indices::{Indices, LANES, Lanes};
pub use set::{Pattern, PatternSet, PatternSetError, Scalar};

/// The most squares a pattern may have.
pub const MAX_SQUARES: usize = 10;
