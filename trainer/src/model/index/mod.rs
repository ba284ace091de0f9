//! The parameters of positions, computed from their bitboards.
//!
//! One [`Row`] for each position. Several ways to compute the classes of all instances at once,
//! of which the processor decides; all of them give the same numbers.

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

/// The most features a position has besides its instances: room for scalars.
const MAX_SCALARS: usize = 16;
const _: () = assert!(Scalar::ALL.len() <= MAX_SCALARS);

/// The most features that a position has.
pub const MAX_FEATURES: usize = LANES + MAX_SCALARS;

/// The numbers of one position's parameters, one for each instance and then one for each scalar.
/// What stands behind them has no meaning, but is a parameter's number too.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row(pub(super) [u32; MAX_FEATURES]);

impl Row {
    /// A row to write to.
    pub const EMPTY: Self = Self([0; MAX_FEATURES]);

    /// The parameters of the instances, and numbers without meaning in the place of missing ones.
    #[inline]
    pub fn instances(&self) -> &[u32; LANES] {
        // The array is longer.
        self.0.first_chunk().unwrap_or(&[0; LANES])
    }

    /// The parameters of a position of `model`.
    #[inline]
    pub fn features(&self, model: &super::Model) -> &[u32] {
        &self.0[..model.feature_count()]
    }
}

/// Computes the parameters of instances by one instruction set.
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
    /// The tables of an instruction set; those of the portable way where this processor lacks it.
    pub(super) fn new(lanes: &[Lane], instructions: InstructionSet) -> Self {
        // A mapped lane computes c; the map and the first parameter come after.
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

    /// The instruction set that is used.
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

    /// Writes the parameters of the instances of each position; as many rows as positions.
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
