//! The weights inside the binary, if the binary was built with the feature `embedded`.

#[cfg_attr(feature = "embedded", path = "carried.rs")]
#[cfg_attr(not(feature = "embedded"), path = "absent.rs")]
mod content;

pub use content::{provenance, sha256};
#[cfg(feature = "embedded")]
pub use content::{tables, weights};
