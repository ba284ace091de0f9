//! The programs that have their own evaluation file.

use othello_engine::pattern::PatternSet;

/// A program with its own evaluation file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display)]
pub enum Program {
    /// Edax, with `eval.dat`.
    Edax,
    /// Egaroucid, with `eval.egev2`.
    Egaroucid,
    /// Zebra, with `coeffs2.bin`.
    Zebra,
}

impl Program {
    /// Returns the program's patterns.
    pub fn set(self) -> PatternSet {
        PatternSet::shipped(&self.to_string().to_lowercase()).expect("the set is shipped")
    }
}
