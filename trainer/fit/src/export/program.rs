//! The programs that have their own evaluation file.

use othello_engine::pattern::PatternSet;

use super::error::ExportError;

/// A program with its own evaluation file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// Edax, with `eval.dat`.
    Edax,
    /// Egaroucid, with `eval.egev2`.
    Egaroucid,
    /// Zebra, with `coeffs2.bin`.
    Zebra,
}

impl Program {
    /// Returns the program's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Edax => "Edax",
            Self::Egaroucid => "Egaroucid",
            Self::Zebra => "Zebra",
        }
    }

    /// Returns the program's patterns.
    pub fn set(self) -> PatternSet {
        PatternSet::shipped(&self.name().to_lowercase()).expect("the set is shipped")
    }

    pub(super) fn refused(self, reason: String) -> ExportError {
        let expected = format!("an evaluation file of {}", self.name());
        ExportError::Format { expected, reason }
    }
}
