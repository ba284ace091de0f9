//! The trainer's CUDA sources, a typed index of them, and launchers on a GPU and on the CPU.
//!
//! A [`Program`] is the text of all families for one pattern set, whose header the trainer
//! generates. NVRTC compiles it for a GPU ([`cuda`]). The C compiler of the machine compiles it for
//! the CPU ([`host`]), so that tests can compare the results with the reference without a GPU. Both
//! are a [`Launcher`]. This crate depends neither on the engine nor on the purpose of the kernels.
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
pub use program::Program;
