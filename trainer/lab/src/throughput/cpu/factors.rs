//! The speed of a fit with factors, compared with its limit.

use std::hint::black_box;

use othello_engine::board::Phase;
use othello_engine::record::ScoredPosition;
use othello_engine::simd::compiled_for;
use serde::Serialize;

use super::super::stopwatch::{Candidate, rates};
use super::super::{BenchError, stream, weights};
use othello_fit::backend::cpu::for_dimensions;
use othello_fit::backend::{
    AdamStep, Backend as _, BackendError, Batch, Cpu, Group, GroupUpdate, Moments, Rows,
};
use othello_fit::model::{InstructionSet, Model};

const BATCH: usize = 8192;

const STEP: AdamStep = AdamStep {
    unit: 1e-9,
    ridge: 1e-2,
    clip: 1.0,
    keep_first: 0.9,
    take_first: 0.1,
    keep_second: 0.999,
    take_second: 0.001,
    rate: 1e-3,
    correction: 1.0,
    epsilon: 1e-8,
    decay: 0.0,
};

/// Rates of weights and factors in positions per second, by processor time of one thread.
#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display(
    "{dimensions} factors of {parameters} parameters: updates {:.2}, limit {:.2}, ratio {ratio:.2}",
    positions_per_second / 1e6,
    limit_positions_per_second / 1e6
)]
pub(super) struct FactorRates {
    /// The number of factors of a parameter.
    dimensions: usize,
    /// The number of parameters that occur in the positions.
    parameters: usize,
    /// The rate of updates of weights and factors.
    positions_per_second: f64,
    /// The rate of only moving the data that an update must move.
    limit_positions_per_second: f64,
    /// The rate divided by its limit.
    ratio: f64,
}

pub(super) fn measure(
    model: &Model,
    rows: &[Rows<'_>],
    repetitions: u32,
) -> Result<Option<FactorRates>, BenchError> {
    let cpu = Cpu::new(model);
    let Some(group) = group_of(&cpu, model, rows)? else { return Ok(None) };
    let cpu = cpu.of_group(&group)?;
    let initial = weights(group.length()).iter().map(|&w| f64::from(w) / 1e7).collect::<Vec<f64>>();
    let zero = vec![0.0; group.length()];
    let mut fixed = cpu.zero_fixed()?;
    cpu.round_weights(&initial, &mut fixed)?;
    let positions = cpu.positions(rows)?;
    let count: usize = rows.iter().map(|rows| rows.positions.len()).sum();
    let batches = (count / BATCH).max(1) as u32;
    let mut limit = Limit::new(model, &group, rows, count / batches as usize, &fixed);
    let mut scratch = cpu.scratch()?;
    let mut moments =
        Moments { weights: initial.clone(), first: cpu.upload(&zero)?, second: cpu.upload(&zero)? };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let candidates = vec![
        Candidate::new(|| (0..batches).for_each(|_| limit.run())),
        Candidate::new(|| {
            for batch in (0..batches).filter_map(|number| Batch::new(number, batches)) {
                let (moments, fixed) = (&mut moments, &mut fixed);
                let update = GroupUpdate { step: &STEP, initial: &initial, moments, fixed };
                let updated = one.install(|| cpu.descend(&positions, batch, update, &mut scratch));
                // The CPU cannot fail.
                black_box(updated.unwrap_or_default());
            }
        }),
    ];
    let measured = rates(candidates, count, repetitions);
    let [limit, found] = measured[..] else {
        return Err(BenchError::Unfit("nothing was measured".to_owned()));
    };
    Ok(Some(FactorRates {
        dimensions: group.dimensions,
        parameters: group.parameters.len(),
        positions_per_second: found.by_processor,
        limit_positions_per_second: limit.by_processor,
        ratio: found.by_processor / limit.by_processor,
    }))
}

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

/// The memory accesses of an update alone: a position's vectors are loaded and added, and the sum
/// is stored; these sums are added to the three doubles of each parameter and factor, and to its
/// vector.
struct Limit {
    dimensions: usize,
    instructions: InstructionSet,
    /// The numbers of the batch's positions, one position after another.
    numbers: Vec<u32>,
    features: usize,
    /// Each number of the batch, and the end of its list in `positions`.
    ends: Vec<(u32, usize)>,
    positions: Vec<u32>,
    vectors: Vec<i32>,
    sums: Vec<i32>,
    state: [Vec<f64>; 3],
}

impl Limit {
    /// Selects `size` of the rows, distributed like a batch, and the factors of a rounded vector.
    fn new(model: &Model, group: &Group, rows: &[Rows<'_>], size: usize, rounded: &[i32]) -> Self {
        let all: Vec<&ScoredPosition> = rows.iter().flat_map(|rows| rows.positions).collect();
        let batch = (0..size).map(|number| all[number * all.len() / size]);
        let numbers = stream(model, batch).into_iter();
        let numbers: Vec<u32> =
            numbers.map(|parameter| group.numbers[parameter as usize]).collect();
        // Without features there are no numbers.
        let features = model.feature_count().max(1);
        let mut entries: Vec<(u32, u32)> = numbers.iter().copied().zip(0..).collect();
        entries.sort_unstable();
        let mut end = 0;
        let ends = entries.chunk_by(|one, next| one.0 == next.0).map(|entries| {
            end += entries.len();
            (entries[0].0, end)
        });
        let ends = ends.collect();
        let positions = entries.iter().map(|&(_, entry)| entry / features as u32).collect();
        let vectors = rounded[group.factors()].to_vec();
        Self {
            dimensions: group.dimensions,
            instructions: model.instructions(),
            sums: vec![0; size * group.dimensions],
            state: std::array::from_fn(|_| vec![0.0; vectors.len()]),
            numbers,
            features,
            ends,
            positions,
            vectors,
        }
    }

    fn run(&mut self) {
        for_dimensions!(self.dimensions, D => self.move_all::<D>());
        black_box(&self.state);
    }

    #[compiled_for(self.instructions.within())]
    fn move_all<const DIMENSIONS: usize>(&mut self) {
        let (vectors, _) = self.vectors.as_chunks_mut::<DIMENSIONS>();
        let (sums, _) = self.sums.as_chunks_mut::<DIMENSIONS>();
        for (sum, numbers) in sums.iter_mut().zip(self.numbers.chunks_exact(self.features)) {
            *sum = [0; DIMENSIONS];
            for number in numbers {
                add(sum, &vectors[opaque(number)]);
            }
        }
        let mut begin = 0;
        for &(number, end) in &self.ends {
            let mut total = [0; DIMENSIONS];
            for position in &self.positions[begin..end] {
                add(&mut total, &sums[opaque(position)]);
            }
            begin = end;
            add(&mut vectors[number as usize], &total.map(|total| total & 1));
            for state in &mut self.state {
                let (state, _) = state.as_chunks_mut::<DIMENSIONS>();
                let state = state[number as usize].iter_mut();
                state.zip(&total).for_each(|(state, &total)| *state += f64::from(total));
            }
        }
    }
}

#[inline(always)]
fn add<const DIMENSIONS: usize>(sum: &mut [i32; DIMENSIONS], terms: &[i32; DIMENSIONS]) {
    sum.iter_mut().zip(terms).for_each(|(sum, &term)| *sum = sum.wrapping_add(term));
}

/// Reads a number in a way that prevents compilers from gathering several at a time, which is
/// slower.
#[inline(always)]
fn opaque(number: &u32) -> usize {
    // SAFETY: a reference is valid to read.
    let number = unsafe { std::ptr::read_volatile(number) };
    number as usize
}
