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
mod program_files;
pub mod raw;
pub mod read_npz;
pub mod tables;
pub mod wthor;
pub mod zebra;

pub use program::ExportError;
