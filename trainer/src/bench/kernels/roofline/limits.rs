//! The limits of the device: see `limits.cu`.

use othello_engine::record::ScoredPosition;
use othello_kernels::{Kernel, Launcher, Value, index};

use super::{blocks_over, checked_count, failed, upload};
use crate::backend::BackendError;
use crate::bench::stream;
use crate::model::Model;

/// One kind of work of gradient kernels, done alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bench) enum Limit {
    /// Computing the parameters of positions from their boards.
    IndexOnly,
    /// A 32-bit gather in global memory for each feature.
    GlobalGathers,
    /// A 64-bit integer atomic in global memory for each feature.
    GlobalAtomics,
}

impl Limit {
    /// All limits.
    pub(in crate::bench) const ALL: [Self; 3] =
        [Self::IndexOnly, Self::GlobalGathers, Self::GlobalAtomics];

    /// Returns the name of the limit in the report, which is that of its kernel.
    pub(in crate::bench) const fn name(self) -> &'static str {
        self.kernel().name
    }

    const fn kernel(self) -> Kernel {
        match self {
            Self::IndexOnly => index::INDEX_ONLY,
            Self::GlobalGathers => index::GLOBAL_GATHERS,
            Self::GlobalAtomics => index::GLOBAL_ATOMICS,
        }
    }
}

/// The kernels of all limits with their inputs, for the same positions and weights.
#[derive(Debug)]
pub(in crate::bench) struct LimitKernels<'l, L: Launcher> {
    launcher: &'l L,
    positions: u32,
    rows: L::Buffer,
    /// The parameter of each feature of each position.
    stream: L::Buffer,
    weights: L::Buffer,
    sums: L::Buffer,
    parameters: usize,
    checksum: L::Buffer,
    /// The sum that each limit's kernel should give, by the limit's number.
    expected: [u64; Limit::ALL.len()],
}

impl<'l, L: Launcher> LimitKernels<'l, L> {
    /// Computes the stream of at most [`MOST_POSITIONS`](super::MOST_POSITIONS) positions and
    /// copies it to the device. `launcher` must have the model's program; there is a weight for
    /// each parameter.
    pub(in crate::bench) fn new(
        model: &Model,
        launcher: &'l L,
        positions: &[ScoredPosition],
        weights: &[i32],
    ) -> Result<Self, BackendError> {
        assert_eq!(weights.len(), model.parameters(), "weights of another model");
        let count = checked_count(positions)?;
        let stream = by_feature(model, positions);
        Ok(Self {
            launcher,
            positions: count,
            rows: upload(launcher, positions)?,
            weights: upload(launcher, weights)?,
            sums: launcher.allocate(weights.len() * size_of::<u64>())?,
            parameters: weights.len(),
            checksum: launcher.allocate(size_of::<u64>())?,
            expected: expected(&stream, positions.len(), weights),
            stream: upload(launcher, &stream)?,
        })
    }

    /// Does the work of a limit once for all positions, `passes` times, and waits for its end.
    pub(in crate::bench) fn run(&mut self, limit: Limit, passes: u32) -> Result<(), BackendError> {
        for _ in 0..passes {
            self.launch(limit)?;
        }
        self.read_checksum().map(|_| ())
    }

    /// Checks that every limit's kernel accesses exactly the intended elements.
    pub(in crate::bench) fn verify(&mut self) -> Result<(), BackendError> {
        for (limit, expected) in Limit::ALL.into_iter().zip(self.expected) {
            let found = self.checksum(limit)?;
            if found != expected {
                let name = limit.name();
                return Err(failed(format!("{name} adds up to {found} instead of {expected}")));
            }
        }
        Ok(())
    }

    /// Returns the sum of one pass.
    pub(super) fn checksum(&mut self, limit: Limit) -> Result<u64, BackendError> {
        self.launcher.clear(&mut self.checksum)?;
        self.launcher.clear(&mut self.sums)?;
        self.launch(limit)?;
        match limit {
            Limit::GlobalAtomics => {
                let sums = self.sums()?;
                let terms = sums.iter().zip(1u64..).map(|(sum, number)| sum.wrapping_mul(number));
                Ok(terms.fold(0, u64::wrapping_add))
            }
            _ => self.read_checksum(),
        }
    }

    /// Returns the sums that [`Limit::GlobalAtomics`] added to each parameter.
    pub(super) fn sums(&self) -> Result<Vec<u64>, BackendError> {
        let mut sums = vec![0; self.parameters];
        self.launcher.read(&self.sums, bytemuck::cast_slice_mut(&mut sums))?;
        Ok(sums)
    }

    fn read_checksum(&self) -> Result<u64, BackendError> {
        let mut checksum = [0];
        self.launcher.read(&self.checksum, bytemuck::cast_slice_mut(&mut checksum))?;
        Ok(checksum[0])
    }

    fn launch(&mut self, limit: Limit) -> Result<(), BackendError> {
        let kernel = limit.kernel();
        let blocks = blocks_over(self.launcher, &kernel, self.positions as usize);
        let positions = Value::U32(self.positions);
        let (stream, weights) = (Value::In(&self.stream), Value::In(&self.weights));
        let checksum = Value::Out(&mut self.checksum);
        let mut arguments = match limit {
            Limit::IndexOnly => vec![Value::In(&self.rows), positions, checksum],
            Limit::GlobalGathers => vec![stream, positions, weights, checksum],
            Limit::GlobalAtomics => vec![stream, positions, Value::Out(&mut self.sums)],
        };
        // SAFETY: the arguments of the index; a stream of the model's own parameters, for which
        // weights and sums have an element each.
        unsafe { self.launcher.launch(&kernel, blocks, &mut arguments) }
    }
}

/// Returns the sum that each limit's kernel should give.
fn expected(stream: &[u32], positions: usize, weights: &[i32]) -> [u64; Limit::ALL.len()] {
    let total = |terms: &mut dyn Iterator<Item = u64>| terms.fold(0, u64::wrapping_add);
    let parameters = total(&mut stream.iter().map(|&parameter| parameter.into()));
    // Sums of 65 weights fit 32 bits, and all of them 64.
    let gathered = total(&mut stream.iter().map(|&parameter| weights[parameter as usize] as u64));
    let by_position =
        stream.chunks(positions.max(1)).flat_map(|feature| feature.iter().enumerate());
    let added = total(&mut by_position.map(|(at, &parameter)| weighted_term(at, parameter)));
    [parameters, gathered, added]
}

/// Returns the parameters as `parameters[feature * positions + position]`.
fn by_feature(model: &Model, positions: &[ScoredPosition]) -> Vec<u32> {
    let (by_position, features) = (stream(model, positions.iter()), model.feature_count());
    let of_feature = |feature| by_position.iter().skip(feature).step_by(features).copied();
    (0..features).flat_map(of_feature).collect()
}

/// Returns the number that element `at` of a stream adds to a parameter, times the parameter's
/// number counted from 1.
fn weighted_term(at: usize, parameter: u32) -> u64 {
    (1 + at as u64 % 16) * (u64::from(parameter) + 1)
}
