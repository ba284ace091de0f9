//! Times the residual sums of a fit on a device.

use std::time::Instant;

use othello_engine::record::ScoredPosition;
use othello_kernels::Launcher;

use othello_fit::backend::kernels::{DevicePositions, KernelBackend, Vector};
use othello_fit::backend::{Backend, BackendError, Batch, Rows, Target, WEIGHTS_PER_DISC};
use othello_fit::model::Model;

/// The least time of a measurement in seconds: starting the work and waiting for its end take
/// microseconds.
const LEAST_SECONDS: f64 = 0.05;

/// The most passes. Passes are doubled until they take the least time, but not beyond this.
const MOST_PASSES: u32 = 1 << 16;

/// The residual sums of a fit, with their inputs on the device.
pub(super) struct ResidualSums<'m, L: Launcher> {
    backend: KernelBackend<'m, L>,
    positions: DevicePositions<'m, L>,
    weights: Vector<L::Buffer, i32>,
    sums: Vector<L::Buffer, i64>,
}

impl<'m, L: Launcher> ResidualSums<'m, L> {
    /// Copies positions and weights to the device. Weights, one for each parameter, are in
    /// 1/[`WEIGHTS_PER_DISC`] disc.
    pub(super) fn new(
        model: &'m Model,
        launcher: L,
        positions: &'m [ScoredPosition],
        weights: &[i32],
    ) -> Result<Self, BackendError> {
        let backend = KernelBackend::new(model, launcher);
        let positions = backend.positions(&[Rows::full(positions)])?;
        let discs = weights.iter().map(|&weight| f64::from(weight) / f64::from(WEIGHTS_PER_DISC));
        let discs = backend.upload(&discs.collect::<Vec<_>>())?;
        let (mut weights, sums) = (backend.zero_fixed()?, backend.zero_sums()?);
        backend.round_weights(&discs, &mut weights)?;
        Ok(Self { backend, positions, weights, sums })
    }

    /// Returns the best rate of `repetitions` measurements of `count` positions, per second.
    pub(super) fn rate(mut self, count: usize, repetitions: u32) -> Result<f64, BackendError> {
        let mut passes = 1;
        while passes < MOST_PASSES && self.seconds(passes)? < LEAST_SECONDS {
            passes *= 2;
        }
        let work = count as f64 * f64::from(passes);
        (0..repetitions).try_fold(0.0, |best: f64, _| Ok(best.max(work / self.seconds(passes)?)))
    }

    fn seconds(&mut self, passes: u32) -> Result<f64, BackendError> {
        let Self { backend, positions, weights, sums } = self;
        let begun = Instant::now();
        for _ in 0..passes {
            backend.residual_sums(positions, Batch::WHOLE, weights, Target::Label, sums)?;
        }
        Ok(begun.elapsed().as_secs_f64())
    }
}
