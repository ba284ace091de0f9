//! Runs the kernels on an NVIDIA GPU. Driver and NVRTC are loaded at run time, so a machine without
//! them builds and runs everything else.

mod architecture;
mod compile;
mod find;
mod launch;
#[cfg(test)]
mod tests;

pub use architecture::Architecture;
pub use compile::{NvrtcError, compile};
pub use find::{Gpu, Unavailable, find};
pub use launch::CudaLauncher;

use super::BackendError;

fn failed(what: &str, error: &dyn std::fmt::Display) -> BackendError {
    BackendError { device: "cuda".to_owned(), reason: format!("{what}: {error}") }
}
