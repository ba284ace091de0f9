//! Weights, games and positions in the formats of other programs.
//!
//! | module | format |
//! |---|---|
//! | `program` | evaluation files of Edax, Egaroucid and Zebra, written and read |
//! | `arrays`, `positions`, `read_npz` | arrays of NumPy, `.npz` |
//! | `raw` | plain bytes, with a C header that describes them |
//! | `wthor` | games as a WTHOR database |
//!
//! ```
//! use othello_engine::eval::Weights;
//! use othello_fit::export::program::Program;
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
pub mod positions;
pub mod program;
pub mod raw;
pub mod read_npz;
pub mod tables;
pub mod wthor;
pub mod zebra;

use othello_engine::eval::Weights;

pub use program::ExportError;
use program::Program;
use tables::ReadTables;

impl Program {
    /// Returns the program's evaluation file with these weights.
    pub fn write(self, weights: &Weights) -> Result<Vec<u8>, ExportError> {
        match self {
            Self::Edax => edax::edax(weights),
            Self::Egaroucid => egaroucid::egaroucid(weights),
            Self::Zebra => zebra::zebra(weights),
        }
    }

    /// Reads weights from the program's evaluation file.
    pub fn read(self, bytes: &[u8]) -> Result<ReadTables, ExportError> {
        match self {
            Self::Edax => edax::read_edax(bytes),
            Self::Egaroucid => egaroucid::read_egaroucid(bytes),
            Self::Zebra => zebra::read_zebra(bytes),
        }
    }
}
