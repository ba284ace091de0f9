//! What a GPU can compute.

use std::fmt;

/// A compute capability.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Architecture {
    /// The number of the generation.
    pub major: u32,
    /// The number of the step in that generation.
    pub minor: u32,
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "compute_{}{}", self.major, self.minor)
    }
}
