//! A library without embedded weights: every position is worth 0, as with `OTHELLO_WEIGHTS=none`.

use super::EmbeddedIdentity;
use crate::eval::{Tables, Weights};
use crate::pattern::PatternSet;

const PATTERN_SET: &str = "name = \"none\"\n[[pattern]]\nsquares = \"a1\"";

/// Returns the identity that stands for no weights.
pub const fn identity() -> EmbeddedIdentity {
    EmbeddedIdentity { pattern_set: PATTERN_SET, provenance: "{}", sha256: "none" }
}

/// Returns tables of weights that are all 0.
pub fn tables() -> Tables {
    Tables::new(&weights())
}

/// Returns weights by class that are all 0.
#[expect(clippy::expect_used, reason = "the set is written above")]
pub fn weights() -> Weights {
    Weights::zero(PatternSet::from_toml(PATTERN_SET).expect("a set of one square"))
}
