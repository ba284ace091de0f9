//! The weights inside the binary; without the feature `embedded`, weights that are all 0.

#[cfg_attr(feature = "embedded", path = "carried.rs")]
#[cfg_attr(not(feature = "embedded"), path = "absent.rs")]
mod content;

pub use content::{identity, tables, weights};

/// The identity of the embedded weights.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedIdentity {
    /// The pattern set, as TOML.
    pub pattern_set: &'static str,
    /// The settings and inputs that decided the weights, as JSON.
    pub provenance: &'static str,
    /// The checksum of the decoded content of the weights file.
    pub sha256: &'static str,
}
