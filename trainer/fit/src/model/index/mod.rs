//! Computes the parameters of positions from their bitboards, one [`Row`] for each position.
//!
//! Each instruction set has its own code, which computes the classes of all instances at once. All
//! give the same numbers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512bw;
#[cfg(target_arch = "x86_64")]
mod avx512vbmi;
mod disc_sums;
mod instruction_set;
#[cfg(target_arch = "x86_64")]
mod places;
#[cfg(test)]
mod tests;

use othello_engine::board::Position;
use othello_engine::pattern::{LANES, Scalar};

use super::class::Lane;
pub use instruction_set::InstructionSet;

/// Room for scalars: the most features of a position besides its instances.
const MAX_SCALARS: usize = 16;
const _: () = assert!(Scalar::ALL.len() <= MAX_SCALARS);

/// The most features that a position has.
pub const MAX_FEATURES: usize = LANES + MAX_SCALARS;

/// The numbers of one position's parameters: one for each instance, then one for each scalar. The
/// elements after them have no meaning, but are valid parameter numbers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row(pub(super) [u32; MAX_FEATURES]);

impl Row {
    /// A row to write to.
    pub const EMPTY: Self = Self([0; MAX_FEATURES]);

    /// Returns the parameters of the instances; lanes without an instance have numbers without
    /// meaning.
    #[inline]
    pub fn instances(&self) -> &[u32; LANES] {
        // The array is longer.
        self.0.first_chunk().unwrap_or(&[0; LANES])
    }

    /// Returns the parameters of a position of `model`.
    #[inline]
    pub fn features(&self, model: &super::Model) -> &[u32] {
        &self.0[..model.feature_count()]
    }
}

/// Computes the parameters of instances with one instruction set.
#[derive(Clone, Debug)]
pub(super) struct Indexer {
    kernel: Kernel,
    mapped: Vec<MappedLane>,
}

/// A lane whose class comes from a map.
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
    Avx512Bw(avx512bw::Shuffles),
    #[cfg(target_arch = "x86_64")]
    Avx512Vbmi(avx512vbmi::Permutes),
}

impl Indexer {
    /// Creates the tables of an instruction set; those of the portable code if this processor lacks
    /// it.
    pub(super) fn new(lanes: &[Lane], instructions: InstructionSet) -> Self {
        // A mapped lane computes only c; its map and first parameter are applied afterwards.
        let mut plain = lanes.to_vec();
        let mut mapped = vec![];
        for (number, lane) in plain.iter_mut().enumerate() {
            if let Some(map) = lane.map.take() {
                let first_parameter = std::mem::take(&mut lane.first_parameter);
                mapped.push(MappedLane { lane: number, first_parameter, map });
            }
        }
        let portable = || Kernel::Portable(disc_sums::DiscSums::new(&plain));
        let kernel = match instructions {
            InstructionSet::Portable => None,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => avx2::Shuffles::new(&plain).map(Kernel::Avx2),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Bw => avx512bw::Shuffles::new(&plain).map(Kernel::Avx512Bw),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512Vbmi => avx512vbmi::Permutes::new(&plain).map(Kernel::Avx512Vbmi),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        };
        Self { kernel: kernel.unwrap_or_else(portable), mapped }
    }

    /// Returns the instruction set in use.
    pub(super) fn instruction_set(&self) -> InstructionSet {
        match self.kernel {
            Kernel::Portable(_) => InstructionSet::Portable,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => InstructionSet::Avx2,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Bw(_) => InstructionSet::Avx512Bw,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512Vbmi(_) => InstructionSet::Avx512Vbmi,
        }
    }

    /// Writes the parameters of the instances of each position; there are as many rows as
    /// positions.
    #[inline]
    pub(super) fn write<I>(&self, positions: I, rows: &mut [Row])
    where
        I: Iterator<Item = Position>,
    {
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
