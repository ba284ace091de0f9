//! The weights that a fit returns, and the rule that decides which of its epochs is the last.

use othello_engine::eval::nearest_weight;
use serde::{Deserialize, Serialize};

use super::report::Metrics;
use super::settings::Stop;

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

    /// Records an epoch. Returns true if its weights are the best so far; the caller then stores
    /// them in `elements`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::settings::{FitSettings, Optimizer};

    /// Returns the last epoch, of at most 20, of a fit in which only the first lowers the error.
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
