//! The programs that have their own evaluation file, and the errors of exports.

use std::fmt::Display;

use ndarray_npy::WriteNpzError;
use othello_engine::board::Phase;
use othello_engine::pattern::PatternSet;
use othello_engine::text::Invalid;

use crate::memory::MemoryError;

/// Another Othello program that has its own format of evaluation files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, derive_more::Display)]
pub enum Program {
    /// Edax, whose evaluation file is `eval.dat`.
    Edax,
    /// Egaroucid, whose evaluation file is `eval.egev2`.
    Egaroucid,
    /// Zebra, whose evaluation file is `coeffs2.bin`.
    Zebra,
}

impl Program {
    /// Returns the shipped pattern set of the program's evaluation.
    pub fn set(self) -> PatternSet {
        PatternSet::shipped(&self.to_string().to_lowercase()).expect("the set is shipped")
    }

    pub(super) fn refused(self, reason: impl Display) -> ExportError {
        Invalid(format!("not an evaluation file of {self}: {reason}")).into()
    }

    pub(super) fn too_large(self, phase: Phase, discs: f64, most: f64) -> ExportError {
        let reason = format!(
            "a weight of phase {phase} is {discs:.2} discs; the maximum in {self}'s file is \
             {most:.2}; fit with a larger `--ridge`"
        );
        Invalid(reason).into()
    }

    /// Returns the error for weights that the file cannot contain, with what to do.
    pub(super) fn lacks(self, what: impl Display) -> ExportError {
        let set = self.set();
        Invalid(format!("{what}; export weights of `fit GAMES --patterns {}`", set.name())).into()
    }
}

/// The error type of reading and writing weights in other formats.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ExportError {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error("the arrays cannot be packed: {0}")]
    Arrays(#[from] WriteNpzError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
}
