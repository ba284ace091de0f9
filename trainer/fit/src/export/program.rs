//! The evaluation files of other programs.

use othello_engine::eval::Weights;
use othello_engine::pattern::PatternSet;

use super::edax::{edax, read_edax};
use super::egaroucid::{egaroucid, read_egaroucid};
use super::error::ExportError;
use super::tables::ReadTables;
use super::zebra::{read_zebra, zebra};

/// A program with an evaluation file of its own.
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

    /// Returns the program's file with these weights.
    pub fn write(self, weights: &Weights) -> Result<Vec<u8>, ExportError> {
        match self {
            Self::Edax => edax(weights),
            Self::Egaroucid => egaroucid(weights),
            Self::Zebra => zebra(weights),
        }
    }

    /// Reads the program's file.
    pub fn read(self, bytes: &[u8]) -> Result<ReadTables, ExportError> {
        match self {
            Self::Edax => read_edax(bytes),
            Self::Egaroucid => read_egaroucid(bytes),
            Self::Zebra => read_zebra(bytes),
        }
    }

    pub(super) fn refused(self, reason: String) -> ExportError {
        let expected = format!("an evaluation file of {}", self.name());
        ExportError::Format { expected, reason }
    }
}
