//! The program text of all kernels, which a compiler for the GPU or the CPU compiles.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::index::FAMILIES;

const COMMON: (&str, &str) = ("common.cuh", include_str!("../cuda/common.cuh"));
const POSITIONS: (&str, &str) = ("positions.cuh", include_str!("../cuda/positions.cuh"));
const CUDA: (&str, &str) = ("platform_cuda.cuh", include_str!("../cuda/platform_cuda.cuh"));
pub(crate) const HOST: (&str, &str) = ("platform_host.h", include_str!("../cuda/platform_host.h"));

/// The source text of all kernels for one pattern set. The definitions for the platform, CUDA or
/// the CPU, precede this text when it is compiled.
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
}

impl Program {
    /// Builds the program for the pattern set that `header` describes. The file `positions.cuh`
    /// lists the definitions that a header must contain.
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

    /// Returns the program with each occurrence of `from` in its text replaced by `to`. Tests use
    /// this function to check that they detect small errors in kernels.
    #[must_use]
    pub fn with(&self, from: &str, to: &str) -> Self {
        Self { text: self.text.replace(from, to) }
    }

    /// Returns the text that is the same on every platform: the program without the platform's
    /// definitions.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the program whose CUDA source ([`Self::cuda`]) is `text`; `None` if `text` does not
    /// begin with the definitions for CUDA.
    pub fn of_cuda(text: &str) -> Option<Self> {
        let empty = Self { text: String::new() };
        Some(Self { text: text.strip_prefix(&empty.cuda())?.to_owned() })
    }

    /// Returns the complete source for NVRTC: the definitions for CUDA, then [`Self::text`].
    pub fn cuda(&self) -> String {
        self.on(CUDA)
    }

    /// Returns the complete source for a platform. `platform` is the name and the text of the file
    /// with the platform's definitions, which precede [`Self::text`].
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

/// Appends a source file (name, text) to a program, after a `#line` directive, so that compiler
/// messages name the file and the line.
fn append(text: &mut String, (name, file): (&str, &str)) {
    let _ = writeln!(text, "#line 1 \"{name}\"");
    text.push_str(file);
}
