use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::sealed::Sealed;
use super::{AnyInstructions, InstructionSet, Instructions, Portable};

/// A token: proof that the processor supports [`InstructionSet::Avx2`].
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// A token: proof that the processor supports [`InstructionSet::Avx512`].
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx2 {
    /// Returns the proof that the processor supports AVX2; `None` if it does not support it.
    pub fn new() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe")
            && is_x86_feature_detected!("popcnt");
        is_there.then_some(Self(()))
    }
}

impl Avx512 {
    /// Returns the proof that the processor supports AVX-512; `None` if it does not support it.
    pub fn new() -> Option<Self> {
        let is_there = Avx2::new().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        is_there.then_some(Self(()))
    }
}

impl Sealed for Avx2 {}
impl Instructions for Avx2 {
    const SET: InstructionSet = InstructionSet::Avx2;
}

impl Sealed for Avx512 {}
impl Instructions for Avx512 {
    const SET: InstructionSet = InstructionSet::Avx512;
}

/// The process's instruction set as a number: 1 portable, 2 AVX2, 3 AVX-512; 0 before the choice.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

#[inline(always)]
pub(super) fn chosen() -> AnyInstructions {
    match CHOSEN.load(Relaxed) {
        1 => AnyInstructions::Portable(Portable),
        // `choose` has checked that the processor supports the set whose number it stores.
        2 => AnyInstructions::Avx2(Avx2(())),
        3 => AnyInstructions::Avx512(Avx512(())),
        _ => choose(),
    }
}

/// Chooses the set that `OTHELLO_INSTRUCTIONS` names; without a valid name, the fastest set.
#[cold]
#[inline(never)]
fn choose() -> AnyInstructions {
    let fastest = || AnyInstructions::available().last();
    let asked_for = InstructionSet::asked_for().ok().and_then(AnyInstructions::of);
    let any = asked_for.or_else(fastest).unwrap_or(AnyInstructions::Portable(Portable));
    let number = match any {
        AnyInstructions::Portable(_) => 1,
        AnyInstructions::Avx2(_) => 2,
        AnyInstructions::Avx512(_) => 3,
    };
    CHOSEN.store(number, Relaxed);
    any
}
