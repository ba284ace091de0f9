//! Instruction sets of the processor, chosen at run time. All sets give equal results.
//!
//! A search or a perft looks up the set once. Its functions are generic over the set, and take a
//! token: a value that proves that the processor supports the set, from
//! [`with_instructions`](crate::with_instructions). [`compiled_for`] compiles larger functions for
//! every set. A function without a token looks up the set ([`InstructionSet::chosen`]), which costs
//! a load and a predictable branch.

mod set;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::fmt::Debug;

pub use othello_macros::compiled_for;
pub use set::{InstructionSet, VARIABLE};
#[cfg(target_arch = "x86_64")]
pub use x86_64::{Avx2, Avx512};

/// A token of an instruction set: a value of this type proves that the processor supports the set.
pub trait Instructions: Copy + Debug + Send + Sync + sealed::Sealed + 'static {
    /// The instruction set that the token represents.
    const SET: InstructionSet;
}

mod sealed {
    /// Inaccessible outside `simd`, so that no other module can declare a type to be a token.
    pub trait Sealed {}
}

/// The token of the instructions that every processor of the target architecture has.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl sealed::Sealed for Portable {}

impl Instructions for Portable {
    const SET: InstructionSet = InstructionSet::Portable;
}

/// A token of any of the instruction sets, for a set that is known only at run time.
#[derive(Clone, Copy, Debug)]
pub enum AnyInstructions {
    /// The token of [`InstructionSet::Portable`].
    Portable(Portable),
    /// The token of [`InstructionSet::Avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// The token of [`InstructionSet::Avx512`].
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl AnyInstructions {
    /// Returns the token of the set that this process uses.
    #[inline(always)]
    pub fn chosen() -> Self {
        #[cfg(target_arch = "x86_64")]
        return x86_64::chosen();
        #[cfg(not(target_arch = "x86_64"))]
        return Self::Portable(Portable);
    }

    /// Returns the token of an instruction set; `None` if the processor does not support the set.
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

    /// Returns the tokens of all instruction sets that the processor supports, the slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        InstructionSet::ALL.into_iter().filter_map(Self::of)
    }
}

/// Evaluates an expression with a token of the process's instruction set, or with a given token.
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
