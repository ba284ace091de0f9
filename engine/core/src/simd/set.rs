//! The names of the instruction sets, and the choice of one.

use std::str::FromStr;

use super::{AnyInstructions, Instructions};
use crate::text::excerpt;

/// The environment variable that names the set to use in place of the fastest one.
pub const VARIABLE: &str = "OTHELLO_INSTRUCTIONS";

/// An instruction set that the hot functions are compiled for.
/// [`compiled_for`](super::compiled_for) knows the numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, derive_more::Display)]
#[display("{}", self.name())]
pub enum InstructionSet {
    /// The instructions that every processor of the target has.
    Portable = 0,
    /// x86-64-v3: vectors of 32 bytes, and counts of bits. Haswell, Zen, and later.
    Avx2 = 1,
    /// x86-64-v4: vectors of 64 bytes, and masks. Skylake-X, Zen 4, and later.
    Avx512 = 2,
}

/// The error for a set that has no name here, or that the processor does not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum NoInstructionsError {
    #[error("{VARIABLE} is `{0}`: expected portable, avx2 or avx512")]
    Unknown(String),
    #[error("{VARIABLE} is `{0}`, which this processor does not have: leave it unset")]
    Missing(InstructionSet),
}

impl InstructionSet {
    /// All sets, the slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Returns the sets that this processor has, the slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&set| AnyInstructions::of(set).is_some())
    }

    /// Returns the set that this process uses.
    #[inline(always)]
    pub fn chosen() -> Self {
        crate::with_instructions!(|set| Self::of(set))
    }

    #[inline(always)]
    fn of<I: Instructions>(_: I) -> Self {
        I::SET
    }

    /// Returns the fastest set of this processor, or the lesser one that [`VARIABLE`] names.
    ///
    /// # Errors
    /// If the variable names no set, or one that the processor does not have.
    pub fn asked_for() -> Result<Self, NoInstructionsError> {
        let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
            return Ok(Self::available().last().unwrap_or(Self::Portable));
        };
        let name = name.to_string_lossy();
        let set: Self = name.parse()?;
        AnyInstructions::of(set).map(|_| set).ok_or(NoInstructionsError::Missing(set))
    }

    /// Returns the name of the set.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl FromStr for InstructionSet {
    type Err = NoInstructionsError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|set| set.name() == name);
        named.ok_or_else(|| NoInstructionsError::Unknown(excerpt(name)))
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
        let unknown = NoInstructionsError::Unknown("sse".to_owned());
        assert_eq!("sse".parse::<InstructionSet>(), Err(unknown));
    }

    #[test]
    fn the_chosen_set_is_one_that_the_processor_has() {
        assert!(InstructionSet::available().any(|set| set == InstructionSet::chosen()));
        assert_eq!(InstructionSet::available().next(), Some(InstructionSet::Portable));
    }
}
