//! Weights, games and positions in the formats of other programs.
//!
//! | module | format |
//! |---|---|
//! | `edax`, `egaroucid`, `zebra` | evaluation files of Edax, Egaroucid and Zebra, written and read |
//! | `arrays`, `read_npz` | arrays of NumPy, `.npz` |
//! | `raw` | plain bytes, with a C header that describes them |
//! | `wthor` | games as a WTHOR database |
//!
//! ```
//! use othello_engine::eval::Weights;
//! use othello_fit::export::Program;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let weights = Weights::zero(Program::Zebra.set());
//! let file = Program::Zebra.write(&weights)?;
//! // Values are rounded by at most half a step of 1/32 disc.
//! assert!(Program::Zebra.read(&file)?.rounding.largest <= 1.0 / 64.0);
//! # Ok(())
//! # }
//! ```

pub mod arrays;
pub mod edax;
pub mod egaroucid;
pub mod raw;
pub mod read_npz;
pub mod tables;
pub mod wthor;
pub mod zebra;

use std::fmt::Display;

use ndarray_npy::WriteNpzError;
use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use othello_engine::pattern::PatternSet;
use othello_engine::text::Invalid;

use crate::memory::MemoryError;
use tables::ReadTables;

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
    /// Returns the shipped pattern set with the patterns of this program's evaluation.
    pub fn set(self) -> PatternSet {
        PatternSet::shipped(&self.to_string().to_lowercase()).expect("the set is shipped")
    }

    /// Returns the content of an evaluation file for this program, with these weights.
    pub fn write(self, weights: &Weights) -> Result<Vec<u8>, ExportError> {
        match self {
            Self::Edax => edax::edax(weights),
            Self::Egaroucid => egaroucid::egaroucid(weights),
            Self::Zebra => zebra::zebra(weights),
        }
    }

    /// Reads weights from an evaluation file of this program.
    pub fn read(self, bytes: &[u8]) -> Result<ReadTables, ExportError> {
        match self {
            Self::Edax => edax::read_edax(bytes),
            Self::Egaroucid => egaroucid::read_egaroucid(bytes),
            Self::Zebra => zebra::read_zebra(bytes),
        }
    }

    fn refused(self, reason: impl Display) -> ExportError {
        Invalid(format!("not an evaluation file of {self}: {reason}")).into()
    }

    fn too_large(self, phase: Phase, discs: f64, most: f64) -> ExportError {
        let reason = format!(
            "a weight of phase {phase} is {discs:.2} discs; the maximum in {self}'s file is \
             {most:.2}; fit with a larger `--ridge`"
        );
        Invalid(reason).into()
    }

    fn lacks(self, what: impl Display) -> ExportError {
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
