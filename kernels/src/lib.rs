//! The trainer's CUDA sources, a typed index of them, and their run on a GPU or on the CPU.
//!
//! A [`Program`] is the text of all families for one pattern set, whose header the trainer
//! generates: for NVRTC ([`cuda`]), or for the C compiler of the machine ([`host`]), so that the
//! same bytes can be compared with the CPU's reference without a GPU. Each of both is a
//! [`Launcher`]. This crate depends neither on the engine nor on the purpose of the kernels.
//!
//! ```
//! use othello_kernels::Program;
//!
//! // The header defines the pattern set; the text after a platform's part is the same everywhere.
//! let program = Program::new("#define DIMENSIONS 0\n");
//! assert!(program.cuda().ends_with(program.text()));
//! ```

pub mod cuda;
pub mod host;
pub mod index;
mod launcher;
mod program;

pub use index::{Argument, Kernel};
pub use launcher::{LaunchError, Launcher, Limits, Value};
pub use program::{Program, sources_sha256};
