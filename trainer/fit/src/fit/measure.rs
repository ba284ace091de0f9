//! Turns the best weights of a phase into the content of the file: rounds them to steps and
//! measures their errors.

use othello_engine::board::Phase;
use othello_engine::eval::{nearest_weight, weight_in_discs};
use othello_engine::record::ScoredPosition;

use super::best::Best;
use super::report::{FittedPhase, Metrics, PhaseReport};
use crate::backend::{Backend, BackendError, Errors, Rows, WEIGHTS_PER_OCCURRENCE};
use crate::dataset::Dataset;
use crate::model::Model;

/// The phase and the data that its weights are measured on.
pub(super) struct Measured<'a, B> {
    pub(super) backend: &'a B,
    pub(super) model: &'a Model,
    pub(super) dataset: &'a Dataset,
    pub(super) phase: Phase,
}

impl<B: Backend> Measured<'_, B> {
    /// Rounds the best weights to steps and measures them. `metrics` has a line for each epoch.
    pub(super) fn finish(
        &self,
        best: &Best,
        metrics: Vec<Metrics>,
    ) -> Result<FittedPhase, BackendError> {
        let &Self { backend, model, dataset, phase } = self;
        let steps: Vec<i16> = best.weights.iter().map(|&weight| nearest_weight(weight)).collect();
        let rounded: Vec<f64> = steps.iter().map(|&step| weight_in_discs(step)).collect();
        let report = self.report(best, &rounded)?;
        let counts = counts(backend, dataset.training(phase))?;
        let (steps, counts) = (model.to_file(&steps), model.to_file(&counts));
        Ok(FittedPhase { steps, counts, report, metrics })
    }

    /// Measures the best weights, rounded.
    pub(super) fn report(&self, best: &Best, rounded: &[f64]) -> Result<PhaseReport, BackendError> {
        let &Self { dataset, phase, .. } = self;
        let training = dataset.training(phase);
        let train = self.errors(training, rounded)?;
        let validation = self.errors(dataset.validation(phase), rounded)?;
        let test = self.errors(dataset.test(phase), rounded)?;
        let measured = if validation.positions > 0 { dataset.validation(phase) } else { training };
        let after = if validation.positions > 0 { &validation } else { &train }.mse();
        let before = self.errors(measured, &best.weights)?.mse();
        Ok(PhaseReport {
            phase,
            positions: train.positions,
            labels: dataset.labels(phase),
            train_mse: train.mse(),
            validation_mse: validation.mse(),
            validation_mae: validation.mae(),
            test_mse: test.mse(),
            test_mae: test.mae(),
            validation_positions: validation.positions,
            test_positions: test.positions,
            epochs: best.progress.epochs,
            best_epoch: best.progress.best_epoch,
            rounding_loss: after.zip(before).map(|(after, before)| after - before),
            unfinished: !best.progress.finished,
            copied_from: None,
        })
    }

    /// Returns the errors of `weights`, in discs, on positions.
    fn errors(&self, rows: &[ScoredPosition], weights: &[f64]) -> Result<Errors, BackendError> {
        let mut fixed = self.backend.zero_fixed()?;
        self.backend.round_weights(&self.backend.upload(weights)?, &mut fixed)?;
        self.backend.errors(&self.backend.positions(&[Rows::full(rows)])?, &fixed)
    }
}

/// Returns the number of occurrences of each parameter in the weighted positions, rounded.
pub(super) fn counts<B: Backend>(
    backend: &B,
    rows: &[ScoredPosition],
) -> Result<Vec<u32>, BackendError> {
    let one = i64::from(WEIGHTS_PER_OCCURRENCE);
    let count = |&weight: &i64| u32::try_from((weight + one / 2) / one).unwrap_or(u32::MAX);
    let mut sums = backend.zero_sums()?;
    backend.occurrences(&backend.positions(&[Rows::full(rows)])?, &mut sums)?;
    Ok(backend.download_sums(&sums)?.iter().map(count).collect())
}
