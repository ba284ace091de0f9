//! A library without weights inside: every position is worth 0, as where `OTHELLO_WEIGHTS` is `none`.

use super::EmbeddedIdentity;
use crate::eval::{Tables, Weights};
use crate::pattern::PatternSet;

const PATTERN_SET: &str = "name = \"none\"\n[[pattern]]\nsquares = \"a1\"";

/// Says that there are no weights.
pub const fn identity() -> EmbeddedIdentity {
    EmbeddedIdentity { pattern_set: PATTERN_SET, provenance: "{}", sha256: "none" }
}

/// Weights that are all 0, ready to play from.
pub fn tables() -> Tables {
    Tables::new(&weights())
}

/// Weights that are all 0, by class.
#[expect(clippy::expect_used, reason = "the set is written above")]
pub fn weights() -> Weights {
    Weights::zero(PatternSet::from_toml(PATTERN_SET).expect("a set of one square"))
}
