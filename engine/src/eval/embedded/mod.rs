//! The weights inside the binary, if the binary was built with the feature `embedded`.

#[cfg(feature = "embedded")]
mod carried;

#[cfg(feature = "embedded")]
pub use carried::{provenance, tables, weights};

/// Returns the SHA-256 of the embedded weights file, as `sha256sum` prints it; `none` without one.
pub fn sha256() -> &'static str {
    option_env!("OTHELLO_EMBEDDED_SHA256").unwrap_or("none")
}

/// Returns an empty provenance, because the program has no embedded weights.
#[cfg(not(feature = "embedded"))]
pub fn provenance() -> crate::file::Provenance {
    crate::file::Provenance::new("none")
}
