//! The weights that a fit returns, the rule that decides which of its epochs is the last, and the
//! report on the rounded weights: their errors, and the occurrences of parameters.

use othello_engine::board::Phase;
use othello_engine::eval::nearest_weight;
use othello_engine::record::ScoredPosition;
use serde::{Deserialize, Serialize};

use super::report::{Metrics, PhaseReport};
use super::settings::Stop;
use crate::backend::{Backend, BackendError, Errors, Rows, WEIGHTS_PER_OCCURRENCE};
use crate::dataset::Dataset;

/// The fitted weights (and factors) of a phase or of a group of phases: those of the epoch with the
/// least validation error or, without validation positions, of the last epoch.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedVector {
    /// The weights in discs and, for a group of phases, the factors in √disc (not in file steps).
    pub(super) elements: Vec<f64>,
    pub(super) progress: Progress,
    /// The metrics of each completed epoch, in order.
    pub metrics: Vec<Metrics>,
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    pub(super) epochs: u32,
    pub(super) best_epoch: u32,
    /// The validation MSE of the best weights, in discs²; `None` without validation positions.
    validation_mse: Option<f64>,
    /// True if the fit is complete; false if the checkpointer stopped it earlier.
    pub(super) finished: bool,
}

impl Progress {
    /// Returns true if this can be the state of an unfinished fit whose epochs had these metrics.
    pub(super) fn fits(&self, metrics: &[Metrics]) -> bool {
        let numbers = metrics.iter().map(|line| line.epoch);
        numbers.eq(1..=self.epochs) && self.best_epoch <= self.epochs && !self.finished
    }
}

impl FittedVector {
    pub(super) fn new(initial: &[f64]) -> Self {
        Self { elements: initial.to_vec(), progress: Progress::default(), metrics: vec![] }
    }

    pub(super) fn steps(&self) -> Vec<i16> {
        self.elements.iter().map(|&weight| nearest_weight(weight)).collect()
    }

    /// Records an epoch and its validation errors; `stop` decides if it is the last. Returns true
    /// if its weights are the best so far; the caller then stores them in `elements`.
    pub(super) fn observe(&mut self, metrics: Metrics, stop: &Stop) -> bool {
        let Metrics { epoch, gradient, validation_mse: mse, .. } = metrics;
        self.metrics.push(metrics);
        let progress = &mut self.progress;
        progress.epochs = epoch;
        let better = mse.is_none_or(|mse| progress.validation_mse.is_none_or(|best| mse < best));
        if better {
            (progress.validation_mse, progress.best_epoch) = (mse, epoch);
        }
        let without_gain = epoch - progress.best_epoch;
        let settled = match mse {
            Some(_) => stop.patience.is_some_and(|patience| without_gain >= patience),
            None => gradient.is_some_and(|size| size < stop.tolerance),
        };
        progress.finished = settled || epoch >= stop.epochs;
        better
    }
}

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

/// Returns, for each parameter, the sum of the weights of the positions of `rows`, each added as
/// often as the parameter occurs in the position. The weight of a position that counts once is
/// [`WEIGHTS_PER_OCCURRENCE`].
pub(super) fn occurrences<B: Backend>(
    backend: &B,
    rows: &[Rows<'_>],
) -> Result<Vec<i64>, BackendError> {
    let mut sums = backend.zero_sums()?;
    backend.occurrences(&backend.positions(rows)?, &mut sums)?;
    backend.download_sums(&sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::settings::{FitSettings, Optimizer};

    /// Returns the number of the epoch after which a fit stops, if only the first of its at most 20
    /// epochs lowers the validation error.
    fn last_epoch(optimizer: Optimizer) -> u32 {
        let mut settings = FitSettings { patience: 3, ..FitSettings::default() };
        settings.adam.epochs = 20;
        let mut vector = FittedVector::new(&[]);
        let mut epoch = 0;
        while !vector.progress.finished {
            epoch += 1;
            let validation_mse = Some(if epoch == 1 { 1.0 } else { 2.0 });
            let metrics = Metrics { epoch, validation_mse, ..Metrics::default() };
            vector.observe(metrics, &settings.stop(optimizer));
        }
        assert_eq!(vector.progress.best_epoch, 1);
        epoch
    }

    #[test]
    fn patience_does_not_end_a_cosine() {
        assert_eq!(last_epoch(Optimizer::Adam), 20);
        assert_eq!(last_epoch(Optimizer::LeastSquares), 4);
    }
}
