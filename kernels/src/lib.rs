//! The trainer's CUDA sources, a typed index of them, and launchers on a GPU and on the CPU.
//!
//! A [`Program`] is the text of kernels for one pattern set. The trainer generates the header
//! that describes the set. [`cuda`] compiles the program by NVRTC for a GPU. [`host`] compiles it
//! by the machine's C compiler for the CPU, so that tests can compare its results with the
//! trainer's reference implementation without a GPU. Each of the two modules has a [`Launcher`].
//! This crate depends neither on the engine nor on the meaning of the kernels' results.
//!
//! ```
//! use othello_kernels::Program;
//!
//! // The header defines the pattern set. The CUDA source ends with the text for all platforms.
//! let program = Program::new("#define DIMENSIONS 0\n", &["errors.cu"]);
//! assert!(program.cuda().ends_with(program.text()));
//! ```

pub mod cuda;
pub mod host;
pub mod index;
mod launcher;
mod program;

pub use index::{Argument, Kernel};
pub use launcher::{LaunchError, Launcher, Limits, Value};
pub use program::Program;
