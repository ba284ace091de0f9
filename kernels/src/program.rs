//! The program text that is compiled.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::index::FAMILIES;

const COMMON: (&str, &str) = ("common.cuh", include_str!("../cuda/common.cuh"));
const POSITIONS: (&str, &str) = ("positions.cuh", include_str!("../cuda/positions.cuh"));
const CUDA: (&str, &str) = ("platform_cuda.cuh", include_str!("../cuda/platform_cuda.cuh"));
pub(crate) const HOST: (&str, &str) = ("platform_host.h", include_str!("../cuda/platform_host.h"));

/// The source of all kernels for one pattern set, without the definitions for CUDA or for the CPU
/// that precede it.
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
}

impl Program {
    /// Builds the program for the pattern set that `header` describes; `positions.cuh` states what
    /// a header defines.
    pub fn new(header: &str) -> Self {
        let mut text = String::new();
        append(&mut text, COMMON);
        append(&mut text, ("pattern_set.cuh", header));
        append(&mut text, POSITIONS);
        for family in FAMILIES {
            append(&mut text, (family.file, family.text));
        }
        Self { text }
    }

    /// Returns the program with every `from` in its sources replaced by `to`. Tests use it to check
    /// that they detect such a small change.
    #[must_use]
    pub fn with(&self, from: &str, to: &str) -> Self {
        Self { text: self.text.replace(from, to) }
    }

    /// Returns the program's text without the beginning that depends on the platform. The remaining
    /// text is the same on every platform.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the program whose CUDA source ([`Self::cuda`]) is `text`; `None` if there is none.
    pub fn of_cuda(text: &str) -> Option<Self> {
        let empty = Self { text: String::new() };
        Some(Self { text: text.strip_prefix(&empty.cuda())?.to_owned() })
    }

    /// Returns the text for NVRTC.
    pub fn cuda(&self) -> String {
        self.on(CUDA)
    }

    /// Returns the complete text for a platform: the platform's own file, then [`Self::text`].
    pub(crate) fn on(&self, platform: (&str, &str)) -> String {
        let mut text = String::new();
        append(&mut text, platform);
        text + &self.text
    }

    /// Returns the SHA-256 of [`Self::text`], in hexadecimal.
    pub fn sha256(&self) -> String {
        hex::encode(Sha256::digest(self.text.as_bytes()))
    }
}

/// Adds a file, preceded by a line directive so that compiler messages name the file and line.
fn append(text: &mut String, (name, file): (&str, &str)) {
    let _ = writeln!(text, "#line 1 \"{name}\"");
    text.push_str(file);
}
