//! Measures the speed of a fit's inner loop, and the greatest speed that the memory allows.

use std::hint::black_box;
use std::time::Instant;

use othello_engine::board::Phase;
use othello_engine::progress::Progress;
use othello_engine::random::random_game;
use othello_engine::record::{Game, ROW_BYTES, ScoredPosition};
use othello_engine::text::Invalid;
use othello_fit::backend::cpu::{gather, scatter};
use othello_fit::backend::kernels::KernelBackend;
use othello_fit::backend::{Backend, BackendError, Batch, Cpu, Rows, Target, WEIGHTS_PER_DISC};
use othello_fit::dataset::{DataChoice, Dataset, DatasetBuilder, LayoutSettings, Split};
use othello_fit::model::{Model, Row};
use othello_fit::source::LabelRules;
use othello_kernels::Launcher;
use rayon::prelude::*;

use crate::Result;

/// The largest number of positions in a measurement, since GPU kernels count positions in 32 bits.
const MOST_POSITIONS: usize = u32::MAX as usize;

/// The memory traffic in bytes for one feature of a position: a fit reads a weight (4 bytes), and
/// reads and writes a sum of residuals (8 bytes each time).
const BYTES_PER_FEATURE: usize = 4 + 2 * 8;

/// The least duration of a measurement in seconds. It makes the time to start threads negligible.
const LEAST_SECONDS: f64 = 0.05;

const MOST_PASSES: u32 = 1 << 16;

/// The speed of a fit's inner loop in positions per second, on one CPU thread or a whole GPU.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// The measured speed of a fit's inner loop, in positions per second.
    pub own: f64,
    /// The greatest speed of a fit's inner loop that memory allows, in positions per second. On a
    /// GPU, it is computed from the memory bandwidth. On a CPU, it is the measured speed of a loop
    /// with only the same memory accesses.
    pub limit: f64,
}

/// Returns the training positions of `data` in `phases`. Symmetric images of a position are merged.
/// Without `data`, the positions are of `games` random games. It is an error if there are none.
pub fn positions(
    data: Option<&DataChoice>,
    games: u64,
    phases: &[Phase],
    progress: &dyn Progress,
) -> Result<Vec<ScoredPosition>> {
    let rules = LabelRules::default();
    let dataset = match data {
        Some(choice) => {
            let files = DataChoice::files(std::slice::from_ref(choice))?;
            Dataset::read(&files, &[], &LayoutSettings::new(rules, Split::none()), progress)?
        }
        None => {
            let mut builder = DatasetBuilder::new(rules, Split::none());
            let game = |number| Game::of_replay(0, &random_game(1, number, usize::MAX));
            let games = (0..games).into_par_iter().filter_map(|number| game(number).ok());
            builder.add_games(&games.collect::<Vec<_>>(), 1.0);
            builder.finish()
        }
    };
    let positions: Vec<ScoredPosition> =
        phases.iter().flat_map(|&phase| dataset.training(phase)).copied().collect();
    let reason = match positions.len() {
        0 => "no positions in these phases: choose other --phases or --data".to_owned(),
        1..=MOST_POSITIONS => return Ok(positions),
        count => format!(
            "{count} positions, over {MOST_POSITIONS}: choose fewer --phases or other --data"
        ),
    };
    Err(Invalid(reason).into())
}

/// Measures the speed of a fit's inner loop on one CPU thread. The limit is the measured speed of a
/// loop with only the same memory accesses. Each speed is the best of `repetitions` measurements.
pub fn measure_cpu(model: &Model, positions: &[ScoredPosition], repetitions: u32) -> Result<Rates> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (weights, limit) = (weights(model), Limit::new(model, positions));
    let mut rates = Rates { own: 0.0, limit: 0.0 };
    for _ in 0..repetitions {
        let own = one.install(|| residual_rate(&Cpu::new(model), &weights, positions))?;
        let alone = positions_per_second(positions.len(), || {
            black_box(limit.run(&weights));
            Ok(())
        })?;
        rates = Rates { own: rates.own.max(own), limit: rates.limit.max(alone) };
    }
    Ok(rates)
}

/// Measures the speed of a fit's inner loop on a device that runs the kernels, such as a GPU. The
/// limit on this speed is computed from the device's memory bandwidth. If the bandwidth is unknown,
/// the limit is measured on the CPU, as by [`measure_cpu`].
pub fn measure_kernels(
    model: &Model,
    positions: &[ScoredPosition],
    repetitions: u32,
    launcher: impl Launcher,
) -> Result<Rates> {
    let bytes_per_position = ROW_BYTES + BYTES_PER_FEATURE * model.feature_count();
    let limit = match launcher.limits().memory_bandwidth {
        Some(bandwidth) => bandwidth as f64 / bytes_per_position as f64,
        None => measure_cpu(model, positions, repetitions)?.limit,
    };
    let (backend, weights) = (KernelBackend::new(model, launcher), weights(model));
    let own = |best: f64, _| Ok(best.max(residual_rate(&backend, &weights, positions)?));
    let own = (0..repetitions).try_fold(0.0, own).map_err(|error: BackendError| error)?;
    Ok(Rates { own, limit })
}

/// Returns pseudo-random fixed-point weights, so small that the sum of a position's weights never
/// overflows.
fn weights(model: &Model) -> Vec<i32> {
    let weight = |parameter| (parameter as i32).wrapping_mul(0x9E37_79B1_u32 as i32) >> 11;
    (0..model.parameters()).map(weight).collect()
}

/// Returns the speed of a fit's inner loop, which sums up residuals, in positions per second.
/// `weights` are in units of 1/[`WEIGHTS_PER_DISC`] disc.
fn residual_rate<B: Backend>(
    backend: &B,
    weights: &[i32],
    positions: &[ScoredPosition],
) -> Result<f64, BackendError> {
    // All positions in one block, as in a fit without the positions of neighbouring phases.
    let on_device = backend.positions(&[Rows::full(positions)])?;
    let discs = weights.iter().map(|&weight| f64::from(weight) / f64::from(WEIGHTS_PER_DISC));
    let discs = backend.upload(&discs.collect::<Vec<_>>())?;
    let (mut weights, mut sums) = (backend.zero_fixed()?, backend.zero_sums()?);
    backend.round_weights(&discs, &mut weights)?;
    let mut squares = backend.zero_squares()?;
    positions_per_second(positions.len(), || {
        let target = Target::Label;
        backend.residual_sums(
            &on_device,
            Batch::WHOLE,
            &weights,
            target,
            &mut sums,
            &mut squares,
        )?;
        backend.squared(&squares).map(|_| ())
    })
}

fn positions_per_second(
    positions: usize,
    mut pass: impl FnMut() -> Result<(), BackendError>,
) -> Result<f64, BackendError> {
    let mut seconds = |passes: u32| {
        let begun = Instant::now();
        (0..passes).try_for_each(|_| pass())?;
        Ok::<f64, BackendError>(begun.elapsed().as_secs_f64())
    };
    let mut passes = 1;
    while passes < MOST_PASSES && seconds(passes)? < LEAST_SECONDS {
        passes *= 2;
    }
    Ok(positions as f64 * f64::from(passes) / seconds(passes)?)
}

/// A loop with only the memory accesses of a fit's inner loop. At each of a position's parameter
/// indices, which are computed beforehand, it reads a weight and adds to a sum.
struct Limit {
    stream: Vec<u32>,
    features: usize,
    parameters: usize,
}

impl Limit {
    fn new(model: &Model, positions: &[ScoredPosition]) -> Self {
        let (mut stream, mut row) = (vec![], [Row::EMPTY]);
        for position in positions {
            model.write_rows([position.position()].into_iter(), &mut row);
            stream.extend_from_slice(row[0].features(model));
        }
        Self { stream, features: model.feature_count(), parameters: model.parameters() }
    }

    fn run(&self, weights: &[i32]) -> Vec<i64> {
        assert_eq!(weights.len(), self.parameters);
        let mut sums = vec![0; self.parameters];
        // For a model without features, the stream is empty, and any chunk size but 0 is valid.
        for row in self.stream.chunks_exact(self.features.max(1)) {
            // SAFETY: the stream has only indices below `parameters`, the length of both vectors.
            unsafe {
                let sum = gather(weights, row);
                scatter(&mut sums, row, i64::from(sum));
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use othello_engine::pattern::PatternSet;
    use othello_engine::record::{Label, Weight};

    use super::*;

    /// A regression: [`Limit::run`] read 64 features a position even if the pattern set had fewer.
    #[test]
    fn a_set_of_few_features_reads_and_adds_no_more_than_these() {
        for name in ["discs", "small"] {
            let model = Model::new(PatternSet::shipped(name).unwrap());
            let row =
                |position| ScoredPosition::new(position, Label::of_score(0).unwrap(), Weight::ONE);
            let positions: Vec<_> =
                random_game(3, 0, usize::MAX).steps.iter().map(|step| row(step.position)).collect();
            let limit = Limit::new(&model, &positions);
            let mut added = vec![0; model.parameters()];
            for position in &positions {
                let features = model.features(&position.position());
                let sum = features.len() as i64;
                features.iter().for_each(|&p| added[p as usize] += sum);
            }
            assert_eq!(limit.run(&vec![1; model.parameters()]), added, "{name}");
        }
    }
}
