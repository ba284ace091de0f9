//! The weights that a fit returns, and the rule that decides which of its epochs is the last.

use othello_engine::eval::nearest_weight;
use serde::{Deserialize, Serialize};

use super::report::Metrics;
use super::settings::Stop;
use super::solver::Epoch;
use crate::backend::Errors;

/// The fitted weights (and factors) of a phase or of a group of phases: those of the epoch with the
/// least validation error or, without validation positions, of the last epoch.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedVector {
    /// The weights in discs and, for a group, the factors (in units of 1, not in a file's steps).
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

    /// Returns the number of complete epochs.
    pub fn epochs(&self) -> u32 {
        self.progress.epochs
    }

    /// Returns true if the fit is complete; false if the checkpointer stopped it earlier.
    pub fn is_finished(&self) -> bool {
        self.progress.finished
    }

    pub(super) fn steps(&self) -> Vec<i16> {
        self.elements.iter().map(|&weight| nearest_weight(weight)).collect()
    }

    /// Records an epoch and its validation errors. Returns true if its weights are the best so far;
    /// the caller then stores them in `elements`.
    pub(super) fn observe(&mut self, epoch: Epoch, validation: &Errors, stop: &Stop) -> bool {
        let progress = &mut self.progress;
        progress.epochs = epoch.number;
        let mse = validation.mse();
        let better = mse.is_none_or(|mse| progress.validation_mse.is_none_or(|best| mse < best));
        if better {
            (progress.validation_mse, progress.best_epoch) = (mse, epoch.number);
        }
        let without_gain = epoch.number - progress.best_epoch;
        let settled = match mse {
            Some(_) => stop.patience.is_some_and(|patience| without_gain >= patience),
            None => epoch.gradient.is_some_and(|size| size < stop.tolerance),
        };
        progress.finished = settled || epoch.number >= stop.epochs;
        better
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::settings::{FitSettings, Optimizer};

    /// Returns the last epoch, of at most 20, of a fit in which only the first lowers the error.
    fn last_epoch(optimizer: Optimizer) -> u32 {
        let mut settings = FitSettings { patience: 3, ..FitSettings::default() };
        settings.adam.epochs = 20;
        let mut vector = FittedVector::new(&[]);
        let mut number = 0;
        while !vector.is_finished() {
            number += 1;
            let mut validation = Errors::default();
            validation.add(64, if number == 1 { 1 } else { 2 });
            let epoch = Epoch { number, gradient: None, learning_rate: None, train_mse: None };
            vector.observe(epoch, &validation, &settings.stop(optimizer));
        }
        assert_eq!(vector.progress.best_epoch, 1);
        number
    }

    #[test]
    fn patience_does_not_end_a_cosine() {
        assert_eq!(last_epoch(Optimizer::Adam), 20);
        assert_eq!(last_epoch(Optimizer::LeastSquares), 4);
    }
}
