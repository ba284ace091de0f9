//! The speed of a fit with factors beside its limit.

use std::fmt;
use std::hint::black_box;

use othello_engine::board::Phase;
use serde::Serialize;

use super::super::stopwatch::{Candidate, rates};
use super::super::{BenchError, stream, weights};
use crate::backend::cpu::{gather, scatter};
use crate::backend::{Backend as _, BackendError, Batch, Cpu, Group, Rows, Target};
use crate::model::{InstructionSet, Model};

/// Rates of weights and factors in positions per second, by processor time of one thread.
#[derive(Serialize)]
pub(super) struct FactorRates {
    /// The number of factors of a parameter.
    dimensions: usize,
    /// The number of parameters that the positions have.
    parameters: usize,
    /// The rate of residual sums of weights and factors.
    positions_per_second: f64,
    /// The rate of loading and adding a position's vectors alone.
    limit_positions_per_second: f64,
    /// The rate divided by its limit.
    ratio: f64,
}

impl fmt::Display for FactorRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dimensions, parameters, ratio, .. } = self;
        let [rate, limit] =
            [self.positions_per_second, self.limit_positions_per_second].map(|rate| rate / 1e6);
        write!(
            f,
            "{dimensions} factors of {parameters} parameters: residual sums {rate:.2}, limit \
             {limit:.2}, ratio {ratio:.2}"
        )
    }
}

/// Measures one thread; `None` if the set has no factors.
pub(super) fn measure(
    model: &Model,
    rows: &[Rows<'_>],
    repetitions: u32,
) -> Result<Option<FactorRates>, BenchError> {
    let cpu = Cpu::new(model);
    let Some(group) = group_of(&cpu, model, rows)? else { return Ok(None) };
    let cpu = cpu.of_group(&group)?;
    let initial = weights(group.length()).iter().map(|&w| f64::from(w) / 1e7).collect::<Vec<f64>>();
    let mut fixed = cpu.zero_fixed()?;
    cpu.round_weights(&initial, &mut fixed)?;
    let positions = cpu.positions(rows)?;
    let mut sums = cpu.zero_sums()?;
    let limit = Limit::new(model, &group, rows);
    let count = rows.iter().map(|rows| rows.positions.len()).sum();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let candidates = vec![
        Candidate::new(|| limit.run(&fixed)),
        Candidate::new(|| {
            let label = Target::Label;
            let sums = one
                .install(|| cpu.residual_sums(&positions, Batch::WHOLE, &fixed, label, &mut sums));
            // The CPU cannot fail.
            black_box(sums.unwrap_or_default());
        }),
    ];
    let measured = rates(candidates, count, repetitions);
    let [limit, found] = measured[..] else {
        return Err(BenchError::Unfit("nothing was measured".to_owned()));
    };
    Ok(Some(FactorRates {
        dimensions: group.dimensions(),
        parameters: group.parameters().len(),
        positions_per_second: found.by_processor,
        limit_positions_per_second: limit.by_processor,
        ratio: found.by_processor / limit.by_processor,
    }))
}

/// Returns the group of all phases of the rows; `None` if the set has no factors.
fn group_of(
    cpu: &Cpu<'_>,
    model: &Model,
    rows: &[Rows<'_>],
) -> Result<Option<Group>, BackendError> {
    let mut occurrences = cpu.zero_sums()?;
    cpu.occurrences(&cpu.positions(rows)?, &mut occurrences)?;
    let first = |rows: &Rows<'_>| Phase::of(&rows.positions.first()?.position());
    let phases: Vec<Phase> = rows.iter().filter_map(first).collect();
    let none = vec![0; model.parameters()];
    Ok(Group::new(model, &phases, &occurrences, &none))
}

/// The memory accesses of residual sums alone: with numbers computed beforehand, vectors are loaded
/// and added, and a vector is added to the sums of each.
struct Limit<'a> {
    group: &'a Group,
    instructions: InstructionSet,
    stream: Vec<u32>,
    features: usize,
}

impl<'a> Limit<'a> {
    fn new(model: &Model, group: &'a Group, rows: &[Rows<'_>]) -> Self {
        let stream = stream(model, rows.iter().flat_map(|rows| rows.positions)).into_iter();
        let stream = stream.map(|parameter| group.numbers()[parameter as usize]).collect();
        Self { group, instructions: model.instructions(), stream, features: model.feature_count() }
    }

    fn run(&self, vector: &[i32]) {
        match self.group.dimensions() {
            8 => self.run_of::<8>(vector),
            16 => self.run_of::<16>(vector),
            _ => self.run_of::<32>(vector),
        }
    }

    fn run_of<const DIMENSIONS: usize>(&self, vector: &[i32]) {
        let weights = &vector[..self.group.count()];
        let (vectors, _) = vector[self.group.factors()].as_chunks::<DIMENSIONS>();
        let mut of_weights = vec![0; weights.len()];
        let mut of_factors = vec![[0; DIMENSIONS]; vectors.len()];
        // Without features the stream is empty.
        for row in self.stream.chunks_exact(self.features.max(1)) {
            // SAFETY: the stream holds numbers below the group's `count`, the length of all four;
            // and the model computes by these instructions, so the processor has them.
            unsafe {
                let alone = gather(weights, row);
                scatter(&mut of_weights, row, i64::from(alone));
                match self.instructions {
                    #[cfg(target_arch = "x86_64")]
                    InstructionSet::Avx512Bw | InstructionSet::Avx512Vbmi => {
                        load_and_add_avx512(vectors, &mut of_factors, row);
                    }
                    #[cfg(target_arch = "x86_64")]
                    InstructionSet::Avx2 => load_and_add_avx2(vectors, &mut of_factors, row),
                    _ => load_and_add(vectors, &mut of_factors, row),
                }
            }
        }
        black_box((of_weights, of_factors));
    }
}

/// Adds the vectors of numbers, and adds their sum to the sums of each number.
///
/// # Safety
///
/// Every number must be below the length of both slices.
#[inline(always)]
unsafe fn load_and_add<const DIMENSIONS: usize>(
    vectors: &[[i32; DIMENSIONS]],
    sums: &mut [[i64; DIMENSIONS]],
    numbers: &[u32],
) {
    let mut sum = [0i32; DIMENSIONS];
    for &number in numbers {
        // SAFETY: the caller's promise.
        let vector = unsafe { vectors.get_unchecked(number as usize) };
        sum.iter_mut().zip(vector).for_each(|(sum, factor)| *sum += factor);
    }
    let added = sum.map(i64::from);
    for &number in numbers {
        // SAFETY: the caller's promise.
        let sums = unsafe { sums.get_unchecked_mut(number as usize) };
        sums.iter_mut().zip(&added).for_each(|(sum, added)| *sum += added);
    }
}

/// Runs [`load_and_add`] with AVX-512 instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw")]
unsafe fn load_and_add_avx512<const DIMENSIONS: usize>(
    vectors: &[[i32; DIMENSIONS]],
    sums: &mut [[i64; DIMENSIONS]],
    numbers: &[u32],
) {
    // SAFETY: the caller's promise.
    unsafe { load_and_add(vectors, sums, numbers) }
}

/// Runs [`load_and_add`] with AVX2 instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn load_and_add_avx2<const DIMENSIONS: usize>(
    vectors: &[[i32; DIMENSIONS]],
    sums: &mut [[i64; DIMENSIONS]],
    numbers: &[u32],
) {
    // SAFETY: the caller's promise.
    unsafe { load_and_add(vectors, sums, numbers) }
}
