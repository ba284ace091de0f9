//! The text that is compiled.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::index::FAMILIES;

const COMMON: (&str, &str) = ("common.cuh", include_str!("../cuda/common.cuh"));
const POSITIONS: (&str, &str) = ("positions.cuh", include_str!("../cuda/positions.cuh"));
const CUDA: (&str, &str) = ("platform_cuda.cuh", include_str!("../cuda/platform_cuda.cuh"));
pub(crate) const HOST: (&str, &str) = ("platform_host.h", include_str!("../cuda/platform_host.h"));

/// All kernels for one pattern set, without the platform.
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
}

impl Program {
    /// The program whose pattern set `header` describes: see `positions.cuh` for what it defines.
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

    /// This program with every `from` in it replaced, for tests that must see a change.
    #[must_use]
    pub fn with(&self, from: &str, to: &str) -> Self {
        Self { text: self.text.replace(from, to) }
    }

    /// The text without the platform: the same bytes on every one.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The program whose text for NVRTC this is; `None` where it is none.
    pub fn of_cuda(text: &str) -> Option<Self> {
        let empty = Self { text: String::new() };
        Some(Self { text: text.strip_prefix(&empty.cuda())?.to_owned() })
    }

    /// The text for NVRTC.
    pub fn cuda(&self) -> String {
        self.on(CUDA)
    }

    /// The text behind a platform's own part.
    pub(crate) fn on(&self, platform: (&str, &str)) -> String {
        let mut text = String::new();
        append(&mut text, platform);
        text + &self.text
    }

    /// SHA-256 of [`Self::text`], in hexadecimal.
    pub fn sha256(&self) -> String {
        hex::encode(Sha256::digest(self.text.as_bytes()))
    }
}

/// SHA-256 of the sources without any pattern set's header, in hexadecimal.
pub fn sources_sha256() -> String {
    Program::new("").sha256()
}

/// Adds a file; compilers name it and count its lines in their messages.
fn append(text: &mut String, (name, file): (&str, &str)) {
    let _ = writeln!(text, "#line 1 \"{name}\"");
    text.push_str(file);
}
