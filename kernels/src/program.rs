use sha2::{Digest as _, Sha256};

use crate::index::{FAMILIES, Family, Kernel};

const COMMON: (&str, &str) = ("common.cuh", include_str!("../cuda/common.cuh"));
const POSITIONS: (&str, &str) = ("positions.cuh", include_str!("../cuda/positions.cuh"));
const CUDA: (&str, &str) = ("platform_cuda.cuh", include_str!("../cuda/platform_cuda.cuh"));
pub(crate) const HOST: (&str, &str) = ("platform_host.h", include_str!("../cuda/platform_host.h"));

#[cfg(test)]
pub(crate) fn whole() -> Program {
    Program::new(HEADER, &FAMILIES.iter().map(|family| family.file).collect::<Vec<_>>())
}

#[cfg(test)]
const HEADER: &str = "#define FEATURES 1u
#define DIMENSIONS 8u
#define EACH_FEATURE PLAYER_DISCS(0, 0u)
";

/// The source of kernels for one pattern set, without the definitions for CUDA or the CPU.
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
}

impl Program {
    /// Builds the program for a pattern set, with the kernels of the source files `files`. The file
    /// `positions.cuh` lists what `header` must define.
    pub fn new(header: &str, files: &[&str]) -> Self {
        let families = FAMILIES.iter().filter(|family| files.contains(&family.file));
        let families = families.map(|family| (family.file, family.text));
        let before = [COMMON, ("pattern_set.cuh", header), POSITIONS];
        Self { text: before.into_iter().chain(families).map(numbered).collect() }
    }

    /// Returns the program with the text `from` replaced by `to`, so that tests can insert an error
    /// into its source.
    #[must_use]
    pub fn with(&self, from: &str, to: &str) -> Self {
        Self { text: self.text.replace(from, to) }
    }

    /// Iterates over the kernels of the program.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel> {
        let is_there = |family: &&Family| self.text.contains(&numbered((family.file, "")));
        FAMILIES.iter().filter(is_there).flat_map(|family| family.kernels)
    }

    /// Returns the part of the source that is the same for CUDA and for the CPU.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the program whose source for NVRTC ([`Self::cuda`]) is `text`; `None` if `text` does
    /// not begin with the definitions for CUDA.
    pub fn of_cuda(text: &str) -> Option<Self> {
        Some(Self { text: text.strip_prefix(&numbered(CUDA))?.to_owned() })
    }

    /// Returns the complete source for NVRTC: the definitions for CUDA, then [`Self::text`].
    pub fn cuda(&self) -> String {
        self.on(CUDA)
    }

    pub(crate) fn on(&self, platform: (&str, &str)) -> String {
        numbered(platform) + &self.text
    }

    /// Returns the SHA-256 of [`Self::text`], in hexadecimal.
    pub fn sha256(&self) -> String {
        hex::encode(Sha256::digest(self.text.as_bytes()))
    }
}

/// Returns the source text `file` after a `#line` directive, so that compiler messages refer to it
/// by `name`.
fn numbered((name, file): (&str, &str)) -> String {
    format!("#line 1 \"{name}\"\n{file}")
}
