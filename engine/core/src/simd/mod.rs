//! Instruction sets of the processor, chosen at run time. All sets give equal results.
//!
//! Inner functions are generic over the set. They take a token, which proves that the processor
//! supports the set, from [`with_instructions`](crate::with_instructions). [`compiled_for`]
//! compiles larger functions for every set. A function without a token looks up the chosen set at
//! each call ([`InstructionSet::chosen`]), which costs a load and a predictable branch.

#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::fmt::Debug;
use std::str::FromStr;

pub use othello_macros::compiled_for;
#[cfg(target_arch = "x86_64")]
pub use x86_64::{Avx2, Avx512};

use crate::text::{Invalid, excerpt};

/// A token of an instruction set: a value of this type proves that the processor supports the set.
pub trait Instructions: Copy + Debug + Send + Sync + sealed::Sealed + 'static {
    /// The instruction set that the token represents.
    const SET: InstructionSet;
}

mod sealed {
    /// A supertrait that only `simd` can implement, so that no other module can define a token.
    pub trait Sealed {}
}

/// The token for the instructions that every processor of the target architecture has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl sealed::Sealed for Portable {}

impl Instructions for Portable {
    const SET: InstructionSet = InstructionSet::Portable;
}

/// The token (proof of support) of an instruction set that is known only at run time.
#[derive(Clone, Copy, Debug)]
pub enum AnyInstructions {
    /// The token (proof of support) of [`InstructionSet::Portable`].
    Portable(Portable),
    /// The token (proof of support) of [`InstructionSet::Avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// The token (proof of support) of [`InstructionSet::Avx512`].
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl AnyInstructions {
    /// Returns the token (proof of support) of the instruction set that this process uses.
    #[inline(always)]
    pub fn chosen() -> Self {
        #[cfg(target_arch = "x86_64")]
        return x86_64::chosen();
        #[cfg(not(target_arch = "x86_64"))]
        return Self::Portable(Portable);
    }

    /// Returns the token (proof of support) of an instruction set; `None` if the processor does not
    /// support it.
    pub fn of(set: InstructionSet) -> Option<Self> {
        match set {
            InstructionSet::Portable => Some(Self::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => Avx2::new().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => Avx512::new().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    /// Returns a token for each instruction set that the processor supports, the slowest set first.
    pub fn available() -> impl Iterator<Item = Self> {
        InstructionSet::ALL.into_iter().filter_map(Self::of)
    }
}

/// Evaluates an expression with a token (proof of support): a given token, or the token of the
/// instruction set that this process uses.
///
/// ```
/// use othello_core::simd::{AnyInstructions, Instructions, compiled_for};
/// use othello_core::with_instructions;
///
/// #[compiled_for(I::SET)]
/// fn ones<I: Instructions>(_: I, numbers: &[u64]) -> u32 {
///     numbers.iter().map(|number| number.count_ones()).sum()
/// }
///
/// assert_eq!(with_instructions!(|set| ones(set, &[1, 3])), 3);
/// for any in AnyInstructions::available() {
///     assert_eq!(with_instructions!(any, |set| ones(set, &[1, 3])), 3);
/// }
/// ```
#[macro_export]
macro_rules! with_instructions {
    (|$set:ident| $work:expr) => {
        $crate::with_instructions!($crate::simd::AnyInstructions::chosen(), |$set| $work)
    };
    ($any:expr, |$set:ident| $work:expr) => {
        match $any {
            #[cfg(target_arch = "x86_64")]
            $crate::simd::AnyInstructions::Avx512($set) => $work,
            #[cfg(target_arch = "x86_64")]
            $crate::simd::AnyInstructions::Avx2($set) => $work,
            $crate::simd::AnyInstructions::Portable($set) => $work,
        }
    };
}

/// The environment variable that selects an instruction set instead of the fastest one.
pub const VARIABLE: &str = "OTHELLO_INSTRUCTIONS";

/// An instruction set. The macro [`compiled_for`] relies on the numbers of the variants.
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
        #[inline(always)]
        fn of<I: Instructions>(_: I) -> InstructionSet {
            I::SET
        }
        crate::with_instructions!(|set| of(set))
    }

    /// Returns the set that the environment variable [`VARIABLE`] names; without it, the fastest
    /// set. Refuses an unknown set, and one that the processor does not support.
    pub fn asked_for() -> Result<Self, Invalid> {
        let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
            return Ok(Self::available().last().unwrap_or(Self::Portable));
        };
        let set: Self = name.to_string_lossy().parse()?;
        let reason = "which this processor does not support: unset it";
        let missing = || Invalid(format!("{VARIABLE} is `{set}`, {reason}"));
        AnyInstructions::of(set).map(|_| set).ok_or_else(missing)
    }
}

impl FromStr for InstructionSet {
    type Err = Invalid;

    fn from_str(name: &str) -> Result<Self, Invalid> {
        let named = Self::ALL.into_iter().find(|set| set.to_string() == name);
        let expected = "expected portable, avx2 or avx512";
        named.ok_or_else(|| Invalid(format!("{VARIABLE} is `{}`: {expected}", excerpt(name))))
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
