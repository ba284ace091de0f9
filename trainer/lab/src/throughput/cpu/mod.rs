//! The CPU: residual sums with every instruction set, computing indices alone, and the limit.

mod factors;
mod limit;

use std::fmt;
use std::hint::black_box;

use othello_engine::pattern::PatternSet;
use serde::Serialize;

use super::BenchError;
use super::stopwatch::{Candidate, rates};
use factors::FactorRates;
use limit::Limit;
use othello_fit::backend::{Backend as _, Batch, Cpu, Rows, Target};
use othello_fit::model::{InstructionSet, Model, Row};

/// Rates in positions per second. Those on one thread are by processor time.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Rates {
    /// The fastest instruction set of this processor.
    instructions: InstructionSet,
    /// The rates of each instruction set, on one thread.
    instruction_sets: Vec<InstructionRates>,
    /// The number of threads of the rate below.
    threads: usize,
    threads_positions_per_second: f64,
    /// The rate on several threads divided by the rate on one, both by wall time.
    speedup: f64,
    /// The processor time of a position on one thread divided by that on several: 1 if threads do
    /// not slow each other down.
    efficiency: f64,
    /// The rates of weights and factors together, if the set has factors.
    #[serde(skip_serializing_if = "Option::is_none")]
    factors: Option<FactorRates>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct InstructionRates {
    instructions: InstructionSet,
    /// The rate of only computing the parameters of all instances.
    index_positions_per_second: f64,
    /// The rate of residual sums.
    positions_per_second: f64,
    /// The rate of residual sums divided by the limit.
    ratio: f64,
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rates in &self.instruction_sets {
            let [indices, sums] =
                [rates.index_positions_per_second, rates.positions_per_second].map(|r| r / 1e6);
            let InstructionRates { instructions, ratio, .. } = rates;
            write!(f, "{instructions:<12} indices {indices:>7.2}  residual sums {sums:>6.2}  ")?;
            writeln!(f, "ratio {ratio:.2}")?;
        }
        let rate = self.threads_positions_per_second / 1e6;
        let Self { threads, speedup, efficiency, .. } = self;
        write!(f, "{threads} threads: {rate:.2}, {speedup:.2} times one, ")?;
        write!(f, "efficiency {efficiency:.2}")?;
        self.factors.iter().try_for_each(|factors| write!(f, "\n{factors}"))
    }
}

/// Measures all subjects in one run, in turn. Returns the rate of residual sums on one thread with
/// the fastest instructions, the limit of the machine, and all rates.
pub fn measure(
    set: &PatternSet,
    rows: &[Rows<'_>],
    threads: usize,
    repetitions: u32,
) -> Result<(f64, f64, Rates), BenchError> {
    let positions: usize = rows.iter().map(|rows| rows.positions.len()).sum();
    let models: Vec<Model> = InstructionSet::available()
        .map(|instructions| Model::with_instructions(set.clone(), instructions))
        .collect();
    let fastest = Model::new(set.clone());
    let weights = super::weights(fastest.parameters());
    let limit = Limit::new(&fastest, rows);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut candidates = vec![Candidate::new(|| drop(black_box(limit.run(&weights))))];
    for model in &models {
        candidates.push(Candidate::new(|| indices(model, rows)));
        candidates.push(Candidate::new(|| one.install(|| residual_sums(model, rows, &weights))));
    }
    candidates.push(Candidate::new(|| residual_sums(&fastest, rows, &weights)));
    let rates = rates(candidates, positions, repetitions);
    let [limit, ref by_instructions @ .., with_threads] = rates[..] else {
        return Err(BenchError::Unfit("nothing was measured".to_owned()));
    };
    let limit = limit.by_processor;
    let measured = models.iter().zip(by_instructions.as_chunks::<2>().0);
    let instruction_sets = measured.map(|(model, [indices, sums])| InstructionRates {
        instructions: model.instructions(),
        index_positions_per_second: indices.by_processor,
        positions_per_second: sums.by_processor,
        ratio: sums.by_processor / limit,
    });
    // The portable code is always available.
    let single = by_instructions.last().copied().unwrap_or_default();
    let rates = Rates {
        instructions: fastest.instructions(),
        instruction_sets: instruction_sets.collect(),
        threads,
        threads_positions_per_second: with_threads.by_wall,
        speedup: with_threads.by_wall / single.by_wall,
        efficiency: with_threads.by_processor / single.by_processor,
        factors: factors::measure(&fastest, rows, repetitions)?,
    };
    Ok((single.by_processor, limit, rates))
}

/// Returns the limit of one thread, in positions per second of processor time.
pub(super) fn limit_positions_per_second(
    model: &Model,
    rows: &[Rows<'_>],
    repetitions: u32,
) -> f64 {
    let (limit, weights) = (Limit::new(model, rows), super::weights(model.parameters()));
    let positions = rows.iter().map(|rows| rows.positions.len()).sum();
    let run = Candidate::new(|| drop(black_box(limit.run(&weights))));
    rates(vec![run], positions, repetitions).first().map_or(f64::NAN, |rate| rate.by_processor)
}

fn indices(model: &Model, rows: &[Rows<'_>]) {
    let mut block = [Row::EMPTY; 16];
    for Rows { positions, .. } in rows {
        for rows in positions.chunks(block.len()) {
            let positions = rows.iter().map(|row| row.position());
            model.write_rows(positions, &mut block[..rows.len()]);
            black_box(&mut block);
        }
    }
}

fn residual_sums(model: &Model, rows: &[Rows<'_>], weights: &[i32]) {
    let (rows, weights) = (rows.to_vec(), weights.to_vec());
    let mut sums = vec![0; model.parameters()];
    let cpu = Cpu::new(model);
    // The CPU cannot fail.
    let squared = cpu.residual_sums(&rows, Batch::WHOLE, &weights, Target::Label, &mut sums);
    black_box((squared.unwrap_or_default(), sums));
}
