//! Runs the kernels on an NVIDIA GPU. Driver and NVRTC are loaded at run time, so a machine without
//! them builds and runs everything else.

mod architecture;
mod compile;
mod find;
mod launch;

pub use architecture::Architecture;
pub use compile::{NvrtcError, compile};
pub use find::{DRIVER_ENTRIES, Gpu, Unavailable, find};
pub use launch::CudaLauncher;

use crate::launcher::LaunchError;

fn failed(what: &str, error: &dyn std::fmt::Display) -> LaunchError {
    LaunchError { device: "cuda", reason: format!("{what}: {error}") }
}
