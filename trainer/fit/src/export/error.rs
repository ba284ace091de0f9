//! The errors of exports, and of reading the files of other programs.

use ndarray_npy::WriteNpzError;
use othello_engine::board::Phase;
use othello_engine::pattern::Scalar;

use super::program::Program;

/// Errors of writing weights in another format, or of reading them.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ExportError {
    #[error(
        "pattern {number} ({name}) is not a pattern of {program}, up to a symmetry of the board; {}",
        remedy(*program, set)
    )]
    Pattern { program: Program, set: String, number: usize, name: String },
    #[error(
        "{program}'s file cannot contain the scalar feature `{scalar}`; {}",
        remedy(*program, set)
    )]
    Scalar { program: Program, set: String, scalar: Scalar },
    #[error(
        "the weights have factors, which {program}'s file cannot contain; {}",
        remedy(*program, set)
    )]
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
}

impl ExportError {
    /// Returns true if the weights belong to other patterns than those of the program.
    pub const fn is_of_the_set(&self) -> bool {
        matches!(self, Self::Pattern { .. } | Self::Scalar { .. } | Self::Factors { .. })
    }
}

impl Program {
    pub(super) fn refused(self, reason: String) -> ExportError {
        let expected = format!("an evaluation file of {self}");
        ExportError::Format { expected, reason }
    }
}

fn remedy(program: Program, set: &str) -> String {
    format!(
        "add `--data GAMES` to fit tables to {program}'s patterns and to report the loss, or first run \
         `fit GAMES --patterns {set}`"
    )
}
