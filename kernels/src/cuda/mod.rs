//! Runs the kernels on an NVIDIA GPU. Driver and NVRTC are loaded at run time, so a machine without
//! them can build and run everything else.

mod compile;
mod find;
mod launch;

pub use compile::{NvrtcError, compile};
pub use find::{DRIVER_ENTRIES, Gpu, Unavailable, find};
pub use launch::CudaLauncher;

use std::fmt;

use crate::launcher::LaunchError;

/// A compute capability of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Architecture {
    /// The generation.
    pub major: u32,
    /// The revision within the generation.
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
