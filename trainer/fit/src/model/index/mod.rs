//! Computes a [`Row`] of parameter indices for each position, from the position's bitboards.
//!
//! Each instruction set has its own code for the classes (sets of symmetric configurations) of all
//! pattern instances. All sets give equal results.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod byte_shuffles;
mod disc_sums;
#[cfg(target_arch = "x86_64")]
mod places;
#[cfg(test)]
mod tests;

use derive_more::Display;
use othello_engine::board::Position;
use othello_engine::pattern::{LANES, Scalar};
use othello_engine::simd::{self, AnyInstructions};
use schemars::JsonSchema;
use serde::Serialize;

use super::class::Lane;

/// An instruction set for computing parameter indices; all sets compute the same indices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema, Display)]
#[display(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
#[schemars(with = "String")]
pub enum InstructionSet {
    /// Instructions that every processor has.
    Portable,
    /// AVX2 (x86-64-v3): shuffles of 32 bytes at once, within groups of 16 bytes.
    Avx2,
    /// AVX-512BW (x86-64-v4): shuffles of 64 bytes at once, within groups of 16 bytes.
    Avx512Bw,
    /// AVX-512VBMI (Ice Lake, Zen 4 and later): permutations of 64 bytes at once.
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

    /// Returns the fastest available set whose vectors are at most as long as the engine's.
    pub fn fastest() -> Self {
        let chosen = simd::InstructionSet::chosen();
        Self::available().rfind(|set| set.within() <= chosen).unwrap_or(Self::Portable)
    }

    /// Returns the widest of the engine's instruction sets whose instructions are all in this set.
    pub const fn within(self) -> simd::InstructionSet {
        match self {
            Self::Portable => simd::InstructionSet::Portable,
            Self::Avx2 => simd::InstructionSet::Avx2,
            Self::Avx512Bw | Self::Avx512Vbmi => simd::InstructionSet::Avx512,
        }
    }
}

const MAX_SCALARS: usize = 16;
const _: () = assert!(Scalar::ALL.len() <= MAX_SCALARS);

/// The greatest number of features of a position: instances of patterns and scalar features.
pub const MAX_FEATURES: usize = LANES + MAX_SCALARS;

/// The parameter indices of one position: one for each pattern instance, then one for each scalar
/// feature. The array's remaining elements are unused, but are valid indices.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row(pub(super) [u32; MAX_FEATURES]);

impl Row {
    /// A row of zeros, into which parameter indices are written.
    pub const EMPTY: Self = Self([0; MAX_FEATURES]);

    /// Returns the parameter indices of the pattern instances. If there are fewer than [`LANES`]
    /// instances, the elements after theirs have no meaning.
    #[inline]
    pub fn instances(&self) -> &[u32; LANES] {
        // The array has more than `LANES` elements, so the default is never used.
        self.0.first_chunk().unwrap_or(&[0; LANES])
    }

    /// Returns the parameter indices of all features, from a row that `model` has written.
    #[inline]
    pub fn features(&self, model: &super::Model) -> &[u32] {
        &self.0[..model.feature_count()]
    }
}

#[derive(Clone, Debug)]
pub(super) struct Indexer {
    pub(super) instructions: InstructionSet,
    kernel: Kernel,
    mapped: Vec<MappedLane>,
}

#[derive(Clone, Debug)]
struct MappedLane {
    lane: usize,
    first_parameter: u32,
    map: Vec<u16>,
}

#[derive(Clone, Debug)]
enum Kernel {
    Portable(disc_sums::DiscSums),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Shuffles),
    #[cfg(target_arch = "x86_64")]
    Avx512Bw(avx512::Shuffles),
    #[cfg(target_arch = "x86_64")]
    Avx512Vbmi(avx512::Permutes),
}

impl Indexer {
    /// Creates the lookup tables for an instruction set; portable ones if the processor lacks it.
    pub(super) fn new(lanes: &[Lane], instructions: InstructionSet) -> Self {
        // The kernel computes only c (see `class.rs`) of a lane with a map, which `write` applies.
        let mut plain = lanes.to_vec();
        plain
            .iter_mut()
            .filter(|lane| lane.map.is_some())
            .for_each(|lane| lane.first_parameter = 0);
        let mapped = lanes.iter().enumerate().filter_map(|(number, lane)| {
            let (first_parameter, map) = (lane.first_parameter, lane.map.clone()?);
            Some(MappedLane { lane: number, first_parameter, map })
        });
        let kernel = match instructions {
            InstructionSet::Portable => None,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => avx2::Shuffles::new(&plain).map(Kernel::Avx2),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bw => avx512::Shuffles::new(&plain).map(Kernel::Avx512Bw),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vbmi => avx512::Permutes::new(&plain).map(Kernel::Avx512Vbmi),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        };
        let instructions = kernel.as_ref().map_or(InstructionSet::Portable, |_| instructions);
        let kernel = kernel.unwrap_or_else(|| Kernel::Portable(disc_sums::DiscSums::new(&plain)));
        Self { instructions, kernel, mapped: mapped.collect() }
    }

    #[inline]
    pub(super) fn write(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
        match &self.kernel {
            Kernel::Portable(sums) => sums.write(positions, rows),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(shuffles) => shuffles.write(positions, rows),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Bw(shuffles) => shuffles.write(positions, rows),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vbmi(permutes) => permutes.write(positions, rows),
        }
        for MappedLane { lane, first_parameter, map } in &self.mapped {
            for Row(parameters) in rows.iter_mut() {
                let class = map[parameters[*lane] as usize];
                parameters[*lane] = first_parameter + u32::from(class);
            }
        }
    }
}
