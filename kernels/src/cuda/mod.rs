//! Runs the kernels on an NVIDIA GPU. The driver and NVRTC are loaded at run time, so that programs
//! with this crate can be built and started on a machine without these libraries.

mod compile;
mod find;
mod launch;

pub use compile::compile;
pub use find::{DRIVER_ENTRIES, Gpu, Unavailable, find, nvrtc_is_there};
pub use launch::CudaLauncher;

use std::fmt;

use crate::launcher::LaunchError;

/// The architecture of a GPU, as its compute capability, such as 9.0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Architecture {
    /// The major number of the compute capability: the generation of the GPU, such as 9 for Hopper.
    pub major: u32,
    /// The minor number of the compute capability: the revision within the generation.
    pub minor: u32,
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "compute_{}{}", self.major, self.minor)
    }
}

fn failed(what: &str, error: &dyn fmt::Display) -> LaunchError {
    LaunchError { device: "cuda", reason: format!("{what}: {error}") }
}
