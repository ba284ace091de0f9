//! The report of a fitted phase: errors of its rounded weights, and occurrences of parameters.

use othello_engine::board::Phase;
use othello_engine::record::ScoredPosition;

use super::best::FittedVector;
use super::report::PhaseReport;
use crate::backend::{Backend, BackendError, Errors, Rows, WEIGHTS_PER_OCCURRENCE};
use crate::dataset::Dataset;

/// Returns the report of a phase. `rounded` is `vector` rounded to the precision of weights files.
pub(super) fn report<B: Backend>(
    backend: &B,
    dataset: &Dataset,
    phase: Phase,
    vector: &FittedVector,
    rounded: &[f64],
) -> Result<PhaseReport, BackendError> {
    let (train, validate) = (dataset.training(phase), dataset.validation(phase));
    let [train_errors, validation, test] =
        [train, validate, dataset.test(phase)].map(|rows| errors(backend, rows, rounded));
    let (train_errors, validation, test) = (train_errors?, validation?, test?);
    let is_validated = validation.positions > 0;
    let after = if is_validated { &validation } else { &train_errors }.mse();
    let before =
        errors(backend, if is_validated { validate } else { train }, &vector.elements)?.mse();
    Ok(PhaseReport {
        phase,
        positions: train_errors.positions,
        labels: dataset.labels(phase),
        train_mse: train_errors.mse(),
        validation_mse: validation.mse(),
        validation_mae: validation.mae(),
        test_mse: test.mse(),
        test_mae: test.mae(),
        validation_positions: validation.positions,
        test_positions: test.positions,
        epochs: vector.progress.epochs,
        best_epoch: vector.progress.best_epoch,
        rounding_loss: after.zip(before).map(|(after, before)| after - before),
        unfinished: !vector.progress.finished,
        copied_from: None,
    })
}

fn errors<B: Backend>(
    backend: &B,
    rows: &[ScoredPosition],
    vector: &[f64],
) -> Result<Errors, BackendError> {
    let mut fixed = backend.zero_fixed()?;
    backend.round_weights(&backend.upload(vector)?, &mut fixed)?;
    backend.errors(&backend.positions(&[Rows::full(rows)])?, &fixed)
}

/// Returns, for each parameter, the total weight of its positions, rounded to whole occurrences.
pub(super) fn counts<B: Backend>(
    backend: &B,
    rows: &[ScoredPosition],
) -> Result<Vec<u32>, BackendError> {
    let one = i64::from(WEIGHTS_PER_OCCURRENCE);
    let count = |&weight: &i64| u32::try_from((weight + one / 2) / one).unwrap_or(u32::MAX);
    Ok(occurrences(backend, &[Rows::full(rows)])?.iter().map(count).collect())
}

/// Like [`counts`], but not rounded: in 1/[`WEIGHTS_PER_OCCURRENCE`] occurrence.
pub(super) fn occurrences<B: Backend>(
    backend: &B,
    rows: &[Rows<'_>],
) -> Result<Vec<i64>, BackendError> {
    let mut sums = backend.zero_sums()?;
    backend.occurrences(&backend.positions(rows)?, &mut sums)?;
    backend.download_sums(&sums)
}
