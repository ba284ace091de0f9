//! A typed index of the trainer's CUDA sources. There are none yet: see `README.md` beside it.

/// One `.cu` source: a family of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The family, which is the file's name without `.cu`.
    pub name: &'static str,
    /// The whole text of the file.
    pub text: &'static str,
    /// The `extern "C"` entry points it defines.
    pub entry_points: &'static [&'static str],
}

/// Every source in this crate.
pub const SOURCES: &[Source] = &[];
