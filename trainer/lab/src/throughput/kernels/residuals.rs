//! Times the residual sums of a fit on a device.

use std::time::Instant;

use othello_engine::record::ScoredPosition;
use othello_kernels::Launcher;

use othello_fit::backend::kernels::KernelBackend;
use othello_fit::backend::{Backend, BackendError, Batch, Rows, Target, WEIGHTS_PER_DISC};
use othello_fit::model::Model;

/// The least time of a measurement in seconds, so that starting and waiting do not matter.
const LEAST_SECONDS: f64 = 0.05;

/// The greatest number of passes. Passes are doubled until they take the least time, up to this
/// number.
const MOST_PASSES: u32 = 1 << 16;

/// Returns the best rate of `repetitions` measurements, in positions per second. Weights are in
/// 1/[`WEIGHTS_PER_DISC`] disc.
pub(super) fn rate<L: Launcher>(
    model: &Model,
    launcher: L,
    positions: &[ScoredPosition],
    weights: &[i32],
    repetitions: u32,
) -> Result<f64, BackendError> {
    let backend = KernelBackend::new(model, launcher);
    let on_device = backend.positions(&[Rows::full(positions)])?;
    let discs = weights.iter().map(|&weight| f64::from(weight) / f64::from(WEIGHTS_PER_DISC));
    let discs = backend.upload(&discs.collect::<Vec<_>>())?;
    let (mut weights, mut sums) = (backend.zero_fixed()?, backend.zero_sums()?);
    backend.round_weights(&discs, &mut weights)?;
    let mut seconds = |passes: u32| {
        let begun = Instant::now();
        for _ in 0..passes {
            backend.residual_sums(&on_device, Batch::WHOLE, &weights, Target::Label, &mut sums)?;
        }
        Ok::<f64, BackendError>(begun.elapsed().as_secs_f64())
    };
    let mut passes = 1;
    while passes < MOST_PASSES && seconds(passes)? < LEAST_SECONDS {
        passes *= 2;
    }
    let work = positions.len() as f64 * f64::from(passes);
    (0..repetitions).try_fold(0.0, |best: f64, _| Ok(best.max(work / seconds(passes)?)))
}
