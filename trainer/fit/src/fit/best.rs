//! Keeps the best weights of a phase so far, and decides when a fit stops early.

use serde::{Deserialize, Serialize};

use super::optimizer::Optimizer;
use super::report::Metrics;
use super::settings::FitSettings;
use super::state::Epoch;
use crate::backend::Errors;

/// The best weights so far by the error on the validation positions; the latest weights where there
/// are no validation positions.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Best {
    /// The best weights in discs.
    pub(super) weights: Vec<f64>,
    pub(super) progress: Progress,
}

/// The progress of the fit of a phase.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    /// The number of complete epochs.
    pub(super) epochs: u32,
    /// The epoch that ended with the best weights.
    pub(super) best_epoch: u32,
    /// The mean squared validation error of the best weights, in discs².
    validation_mse: Option<f64>,
    /// True if no epoch follows.
    pub(super) finished: bool,
}

impl Progress {
    /// Returns true if a fit can be in this state between two updates, given one line of metrics
    /// for each epoch.
    pub(super) fn fits(&self, metrics: &[Metrics]) -> bool {
        let numbers = metrics.iter().map(|line| line.epoch);
        numbers.eq(1..=self.epochs) && self.best_epoch <= self.epochs && !self.finished
    }
}

impl Best {
    pub(super) fn new(initial: &[f64]) -> Self {
        Self { weights: initial.to_vec(), progress: Progress::default() }
    }

    /// Records the result of an epoch. Returns true if its weights are the best so far; the caller
    /// then stores them in [`Self::weights`].
    pub(super) fn observe(
        &mut self,
        epoch: Epoch,
        validation: &Errors,
        settings: &FitSettings,
        optimizer: Optimizer,
    ) -> bool {
        let progress = &mut self.progress;
        progress.epochs = epoch.number;
        let mse = validation.mse();
        let better = mse.is_none_or(|mse| progress.validation_mse.is_none_or(|best| mse < best));
        if better {
            (progress.validation_mse, progress.best_epoch) = (mse, epoch.number);
        }
        let settled = match mse {
            Some(_) => {
                settings.stops_early(optimizer)
                    && epoch.number - progress.best_epoch >= settings.patience
            }
            None => epoch.gradient.is_some_and(|size| size < settings.least_squares.tolerance),
        };
        progress.finished = settled || epoch.number >= settings.epochs(optimizer);
        better
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::schedule::Schedule;

    /// Returns the epoch after which a fit of 20 epochs stops if only its first epoch brought a
    /// gain.
    fn last_epoch(optimizer: Optimizer, schedule: Schedule) -> u32 {
        let mut settings = FitSettings { patience: 3, ..FitSettings::default() };
        (settings.adam.epochs, settings.adam.schedule) = (20, schedule);
        let mut best = Best::new(&[]);
        let mut number = 0;
        while !best.progress.finished {
            number += 1;
            let mut validation = Errors::default();
            validation.add(64, if number == 1 { 1 } else { 2 });
            let epoch = Epoch { number, gradient: None, train_mse: None };
            best.observe(epoch, &validation, &settings, optimizer);
        }
        assert_eq!(best.progress.best_epoch, 1);
        number
    }

    #[test]
    fn patience_does_not_end_a_cosine() {
        assert_eq!(last_epoch(Optimizer::Adam, Schedule::Cosine), 20);
        assert_eq!(last_epoch(Optimizer::Adam, Schedule::Constant), 4);
        assert_eq!(last_epoch(Optimizer::LeastSquares, Schedule::Cosine), 4);
    }
}
