//! The vector that a fit returns, and the decision when its epochs end.

use othello_engine::eval::nearest_weight;
use serde::{Deserialize, Serialize};

use super::report::Metrics;
use super::settings::Stop;
use super::solver::Epoch;
use crate::backend::Errors;

/// The vector of a phase or group in the order of the device: the best by the error on the
/// validation positions, or the latest if there are none.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedVector {
    /// The weights in discs; the factors of a group in units.
    pub(super) elements: Vec<f64>,
    pub(super) progress: Progress,
    /// One line for each epoch so far.
    pub metrics: Vec<Metrics>,
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    pub(super) epochs: u32,
    /// The epoch that ended with the best weights.
    pub(super) best_epoch: u32,
    /// The mean squared validation error of the best weights, in discs².
    validation_mse: Option<f64>,
    /// True if no epoch follows.
    pub(super) finished: bool,
}

impl Progress {
    /// Returns true if a fit can be in this state between two updates.
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

    /// Returns false if the checkpointer stopped the fit.
    pub fn is_finished(&self) -> bool {
        self.progress.finished
    }

    pub(super) fn steps(&self) -> Vec<i16> {
        self.elements.iter().map(|&weight| nearest_weight(weight)).collect()
    }

    /// Records an epoch; returns true if its vector, which the caller stores, is the best so far.
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
    use crate::fit::schedule::Schedule;
    use crate::fit::settings::{FitSettings, Optimizer};

    /// Returns the last of 20 epochs if only the first brought a gain.
    fn last_epoch(optimizer: Optimizer, schedule: Schedule) -> u32 {
        let mut settings = FitSettings { patience: 3, ..FitSettings::default() };
        (settings.adam.epochs, settings.adam.schedule) = (20, schedule);
        let mut vector = FittedVector::new(&[]);
        let mut number = 0;
        while !vector.is_finished() {
            number += 1;
            let mut validation = Errors::default();
            validation.add(64, if number == 1 { 1 } else { 2 });
            let epoch = Epoch { number, gradient: None, train_mse: None };
            vector.observe(epoch, &validation, &settings.stop(optimizer));
        }
        assert_eq!(vector.progress.best_epoch, 1);
        number
    }

    #[test]
    fn patience_does_not_end_a_cosine() {
        assert_eq!(last_epoch(Optimizer::Adam, Schedule::Cosine), 20);
        assert_eq!(last_epoch(Optimizer::Adam, Schedule::Constant), 4);
        assert_eq!(last_epoch(Optimizer::LeastSquares, Schedule::Cosine), 4);
    }
}
