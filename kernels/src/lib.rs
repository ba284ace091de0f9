//! The trainer's CUDA sources, a typed index of them, and their run on the CPU.
//!
//! A [`Program`] is the text of all families for one pattern set, whose header the trainer
//! generates: for NVRTC, or for the C compiler of the machine ([`host`]), so that the same bytes
//! can be compared with the CPU's reference where there is no GPU. This crate knows nothing of the
//! engine.

pub mod host;
pub mod index;
mod program;

pub use index::{Argument, Kernel};
pub use program::{Program, sources_sha256};
