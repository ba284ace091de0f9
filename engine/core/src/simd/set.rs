//! The names of the instruction sets, and the choice of the set that the process uses.

use std::str::FromStr;

use super::{AnyInstructions, Instructions};
use crate::text::{Invalid, excerpt};

/// The environment variable that selects an instruction set instead of the fastest one.
pub const VARIABLE: &str = "OTHELLO_INSTRUCTIONS";

/// An instruction set for which the most time-consuming functions are compiled. The macro
/// [`compiled_for`](super::compiled_for) uses the discriminants of the variants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, derive_more::Display)]
#[display(rename_all = "lowercase")]
pub enum InstructionSet {
    /// Only the instructions that every processor of the target architecture has.
    Portable = 0,
    /// x86-64-v3 (Haswell, Zen, and later): vectors of 32 bytes, and bit counting.
    Avx2 = 1,
    /// x86-64-v4 (Skylake-X, Zen 4, and later): vectors of 64 bytes, and masks.
    Avx512 = 2,
}

impl InstructionSet {
    /// All instruction sets, the slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Returns the instruction sets that this processor supports, the slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&set| AnyInstructions::of(set).is_some())
    }

    /// Returns the instruction set that this process uses.
    #[inline(always)]
    pub fn chosen() -> Self {
        crate::with_instructions!(|set| Self::of(set))
    }

    #[inline(always)]
    fn of<I: Instructions>(_: I) -> Self {
        I::SET
    }

    /// Returns the set that the environment variable [`VARIABLE`] names; without it, the fastest
    /// set. Returns an error for an unknown set, or one that the processor does not support.
    pub fn asked_for() -> Result<Self, Invalid> {
        let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
            return Ok(Self::available().last().unwrap_or(Self::Portable));
        };
        let name = name.to_string_lossy();
        let set: Self = name.parse()?;
        let missing =
            || format!("{VARIABLE} is `{set}`, which this processor does not support: unset it");
        AnyInstructions::of(set).map(|_| set).ok_or_else(|| Invalid(missing()))
    }
}

impl FromStr for InstructionSet {
    type Err = Invalid;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|set| set.to_string() == name);
        let unknown =
            || format!("{VARIABLE} is `{}`: expected portable, avx2 or avx512", excerpt(name));
        named.ok_or_else(|| Invalid(unknown()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_as_they_are_written() {
        for set in InstructionSet::ALL {
            assert_eq!(set.to_string().parse(), Ok(set));
        }
        let unknown = "sse".parse::<InstructionSet>().unwrap_err().to_string();
        assert!(unknown.contains("is `sse`: expected portable"), "{unknown}");
    }

    #[test]
    fn the_chosen_set_is_one_that_the_processor_has() {
        assert!(InstructionSet::available().any(|set| set == InstructionSet::chosen()));
        assert_eq!(InstructionSet::available().next(), Some(InstructionSet::Portable));
    }
}
