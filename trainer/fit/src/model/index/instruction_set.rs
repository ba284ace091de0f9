//! The instruction sets with code for computing the parameter indices of positions.

use derive_more::Display;
use othello_engine::simd::{self, AnyInstructions};
use schemars::JsonSchema;
use serde::Serialize;

/// An instruction set for computing parameter indices. The indices do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema, Display)]
#[display(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
#[schemars(with = "String")]
pub enum InstructionSet {
    /// Instructions that every processor has.
    Portable,
    /// Byte shuffles within 16 bytes, 32 bytes at once: x86-64-v3.
    Avx2,
    /// Byte shuffles within 16 bytes, 64 bytes at once: x86-64-v4.
    Avx512Bw,
    /// Byte permutes over 64 bytes: Ice Lake, Zen 4 and later.
    Avx512Vbmi,
}

impl InstructionSet {
    /// All instruction sets, the slowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512Bw, Self::Avx512Vbmi];

    /// Returns true if this processor has the instruction set.
    pub fn is_available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        if self == Self::Avx512Vbmi && !is_x86_feature_detected!("avx512vbmi") {
            return false;
        }
        AnyInstructions::of(self.within()).is_some()
    }

    /// Returns the instruction sets that this processor has, the slowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL.into_iter().filter(|instructions| instructions.is_available())
    }

    /// Returns the fastest available set that is part of the set that the engine uses,
    /// [`simd::InstructionSet::chosen`].
    pub fn fastest() -> Self {
        let chosen = simd::InstructionSet::chosen();
        Self::available().rfind(|set| set.within() <= chosen).unwrap_or(Self::Portable)
    }

    /// Returns the smallest of the engine's instruction sets that includes this one.
    pub const fn within(self) -> simd::InstructionSet {
        match self {
            Self::Portable => simd::InstructionSet::Portable,
            Self::Avx2 => simd::InstructionSet::Avx2,
            Self::Avx512Bw | Self::Avx512Vbmi => simd::InstructionSet::Avx512,
        }
    }
}
