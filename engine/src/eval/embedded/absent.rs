//! A library without embedded weights.

use crate::file::Provenance;

/// Returns the name that replaces the checksum if there are no weights.
pub fn sha256() -> &'static str {
    "none"
}

/// Returns an empty provenance.
pub fn provenance() -> Provenance {
    Provenance::new("none")
}
