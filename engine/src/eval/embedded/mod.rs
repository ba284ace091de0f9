//! The weights inside the binary; without the feature `embedded`, weights that are all 0.

#[cfg_attr(feature = "embedded", path = "carried.rs")]
#[cfg_attr(not(feature = "embedded"), path = "absent.rs")]
mod content;

pub use content::{provenance, sha256, tables, weights};
