//! Reads and writes the evaluation files of other programs.

use othello_engine::eval::Weights;

use super::edax::{edax, read_edax};
use super::egaroucid::{egaroucid, read_egaroucid};
use super::program::{ExportError, Program};
use super::tables::ReadTables;
use super::zebra::{read_zebra, zebra};

impl Program {
    /// Returns the program's evaluation file with these weights.
    pub fn write(self, weights: &Weights) -> Result<Vec<u8>, ExportError> {
        match self {
            Self::Edax => edax(weights),
            Self::Egaroucid => egaroucid(weights),
            Self::Zebra => zebra(weights),
        }
    }

    /// Reads weights from the program's evaluation file.
    pub fn read(self, bytes: &[u8]) -> Result<ReadTables, ExportError> {
        match self {
            Self::Edax => read_edax(bytes),
            Self::Egaroucid => read_egaroucid(bytes),
            Self::Zebra => read_zebra(bytes),
        }
    }
}
