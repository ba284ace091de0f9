//! The subjects that are timed on a device.

use std::time::Instant;

use othello_engine::record::ScoredPosition;
use othello_kernels::Launcher;

use crate::backend::kernels::{DevicePositions, KernelBackend, Vector};
use crate::backend::{
    Backend, BackendError, Batch, RESIDUALS_PER_DISC, Rows, Target, WEIGHTS_PER_DISC,
    WEIGHTS_PER_OCCURRENCE,
};
use crate::model::Model;

use super::super::{BenchError, ensure};
use super::roofline::{Baseline, Layout, Limit, LimitKernels};

/// The least time of a measurement in seconds: starting the work and waiting for its end take
/// microseconds.
const LEAST_SECONDS: f64 = 0.05;

/// The most passes. Passes are doubled until they take the least time, but not beyond this.
const MOST_PASSES: u32 = 1 << 16;

/// A subject to time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// The residual sums of a fit.
    Own,
    /// One kind of work alone.
    Limit(Limit),
    /// The layout of other trainers.
    Baseline(Layout),
}

impl Subject {
    pub(super) const ALL: [Self; 6] = [
        Self::Own,
        Self::Limit(Limit::IndexOnly),
        Self::Limit(Limit::GlobalGathers),
        Self::Limit(Limit::GlobalAtomics),
        Self::Baseline(Layout::Mirrored),
        Self::Baseline(Layout::Folded),
    ];
}

/// The rate of each of [`Subject::ALL`] in positions per second.
pub(super) struct Measured {
    rates: [f64; Subject::ALL.len()],
}

impl Measured {
    pub(super) fn rate(&self, subject: Subject) -> f64 {
        let number = Subject::ALL.iter().position(|&other| other == subject);
        number.map_or(f64::NAN, |number| self.rates[number])
    }
}

/// The residual sums of a fit, on a device of their own.
struct Own<'m, L: Launcher> {
    backend: KernelBackend<'m, L>,
    positions: DevicePositions<'m, L>,
    weights: Vector<L::Buffer, i32>,
    sums: Vector<L::Buffer, i64>,
}

impl<'m, L: Launcher> Own<'m, L> {
    fn new(
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

    fn run(&mut self, passes: u32) -> Result<(), BackendError> {
        let Self { backend, positions, weights, sums } = self;
        for _ in 0..passes {
            backend.residual_sums(positions, Batch::WHOLE, weights, Target::Label, sums)?;
        }
        Ok(())
    }

    /// Returns the residual sums in discs, and the occurrences of each parameter.
    fn sums_and_occurrences(&mut self) -> Result<Vec<(f64, f64)>, BackendError> {
        let Self { backend, positions, weights, sums } = self;
        backend.residual_sums(positions, Batch::WHOLE, weights, Target::Label, sums)?;
        let residuals = backend.download_sums(sums)?;
        backend.occurrences(positions, sums)?;
        let occurrences = backend.download_sums(sums)?;
        let one = f64::from(WEIGHTS_PER_OCCURRENCE);
        let discs = one * f64::from(RESIDUALS_PER_DISC);
        let both = residuals.into_iter().zip(occurrences);
        Ok(both.map(|(sum, count)| (sum as f64 / discs, count as f64 / one)).collect())
    }
}

/// All timed subjects, for the same positions and weights.
pub(super) struct Subjects<'m, L: Launcher> {
    own: Own<'m, L>,
    limits: LimitKernels<'m, L>,
    mirrored: Baseline<'m, L>,
    folded: Baseline<'m, L>,
}

impl<'m, L: Launcher> Subjects<'m, L> {
    /// Creates all subjects. `shared` is for the limits and baselines, `own` for the fit's sums.
    pub(super) fn new(
        model: &'m Model,
        shared: &'m L,
        own: L,
        positions: &'m [ScoredPosition],
        weights: &[i32],
    ) -> Result<Self, BackendError> {
        let baseline = |layout| Baseline::new(model, shared, layout, positions, weights);
        Ok(Self {
            own: Own::new(model, own, positions, weights)?,
            limits: LimitKernels::new(model, shared, positions, weights)?,
            mirrored: baseline(Layout::Mirrored)?,
            folded: baseline(Layout::Folded)?,
        })
    }

    /// Checks that the limits do the intended work, and that the baselines compute the gradient of
    /// the fit, up to half a step of a residual for each occurrence, by which that rounds.
    pub(super) fn verify(&mut self) -> Result<(), BenchError> {
        self.limits.verify()?;
        let own = self.own.sums_and_occurrences()?;
        for (baseline, name) in
            [(&mut self.mirrored, "two atomics"), (&mut self.folded, "one atomic")]
        {
            baseline.run(1)?;
            for ((sum, occurrences), found) in own.iter().zip(baseline.gradient()?) {
                let rounding = occurrences * 0.5 / f64::from(RESIDUALS_PER_DISC);
                // The last bits of doubles depend on the order of the atomics.
                let alike = (found - sum).abs() <= rounding + 1e-6 * (1.0 + occurrences);
                ensure(alike, || format!("the usual layout with {name} has another gradient"))?;
            }
        }
        Ok(())
    }

    /// Returns the best rates of all subjects, which run in turn, `repetitions` times.
    pub(super) fn rates(
        &mut self,
        positions: usize,
        repetitions: u32,
    ) -> Result<Measured, BackendError> {
        let mut passes = [1; Subject::ALL.len()];
        for (subject, passes) in Subject::ALL.into_iter().zip(&mut passes) {
            while *passes < MOST_PASSES && self.seconds(subject, *passes)? < LEAST_SECONDS {
                *passes *= 2;
            }
        }
        let mut measured = Measured { rates: [0.0; Subject::ALL.len()] };
        for _ in 0..repetitions {
            for (number, subject) in Subject::ALL.into_iter().enumerate() {
                let work = positions as f64 * f64::from(passes[number]);
                let rate = work / self.seconds(subject, passes[number])?;
                measured.rates[number] = measured.rates[number].max(rate);
            }
        }
        Ok(measured)
    }

    fn seconds(&mut self, subject: Subject, passes: u32) -> Result<f64, BackendError> {
        let begun = Instant::now();
        match subject {
            Subject::Own => self.own.run(passes),
            Subject::Limit(limit) => self.limits.run(limit, passes),
            Subject::Baseline(Layout::Mirrored) => self.mirrored.run(passes),
            Subject::Baseline(Layout::Folded) => self.folded.run(passes),
        }?;
        Ok(begun.elapsed().as_secs_f64())
    }
}
