//! The checks of the engine's parsers.

mod files;
mod protocols;
mod texts;

pub use files::{container, games, positions, weights};
pub use protocols::protocols;
pub use texts::{arguments, boards, pattern_set, transcript};
