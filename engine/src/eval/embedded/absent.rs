//! A library without embedded weights: the value of every position is 0, as with
//! `OTHELLO_WEIGHTS=none`.

use crate::eval::{Tables, Weights};
use crate::file::Provenance;
use crate::pattern::PatternSet;

/// Returns the name that replaces the checksum if there are no weights.
pub fn sha256() -> &'static str {
    "none"
}

/// Returns an empty provenance.
pub fn provenance() -> Provenance {
    Provenance::new("none")
}

/// Returns tables of weights that are all 0.
pub fn tables() -> Tables {
    Tables::new(&weights())
}

/// Returns weights by class that are all 0.
#[expect(clippy::expect_used, reason = "the set is written above")]
pub fn weights() -> Weights {
    let set = "name = \"none\"\n[[pattern]]\nsquares = \"a1\"";
    Weights::zero(PatternSet::from_toml(set).expect("a set of one square"))
}
