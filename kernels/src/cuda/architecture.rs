//! The architecture of a GPU.

use std::fmt;

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
