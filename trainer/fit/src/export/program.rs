//! The programs that have their own evaluation file, and the errors of exports.

use ndarray_npy::WriteNpzError;
use othello_engine::board::Phase;
use othello_engine::pattern::{PatternSet, Scalar};

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
}

/// The error type of reading and writing weights in other formats.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ExportError {
    #[error(
        "pattern {number} ({name}) is not a pattern of {program}, up to a symmetry of the board; {}",
        remedy(set)
    )]
    Pattern { program: Program, set: String, number: usize, name: String },
    #[error("{program}'s file cannot contain the scalar feature `{scalar}`; {}", remedy(set))]
    Scalar { program: Program, set: String, scalar: Scalar },
    #[error("the weights have factors, which {program}'s file cannot contain; {}", remedy(set))]
    Factors { program: Program, set: String },
    #[error(
        "a weight of phase {phase} is {discs:.2} discs; the maximum in {program}'s file is \
        {most:.2}; fit with a larger `--ridge`"
    )]
    Large { program: Program, phase: Phase, discs: f64, most: f64 },
    #[error("not {expected}: {reason}")]
    Format { expected: String, reason: String },
    #[error("the arrays cannot be packed: {0}")]
    Arrays(#[from] WriteNpzError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl Program {
    pub(super) fn refused(self, reason: String) -> ExportError {
        let expected = format!("an evaluation file of {self}");
        ExportError::Format { expected, reason }
    }
}

fn remedy(set: &str) -> String {
    format!("export weights of `fit GAMES --patterns {set}`")
}
