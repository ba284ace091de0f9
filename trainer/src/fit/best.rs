//! The best weights of a phase so far, and when there is nothing to wait for any more.

use serde::{Deserialize, Serialize};

use super::Optimizer;
use super::report::Metrics;
use super::settings::FitSettings;
use super::solver::Pass;
use crate::backend::Errors;

/// The best weights so far, by the error on the validation positions; without any, the latest.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Best {
    /// In discs.
    pub(super) weights: Vec<f64>,
    pub(super) progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Passes done.
    pub(super) passes: u32,
    /// The pass after which the best weights stood.
    pub(super) best_pass: u32,
    /// Their mean squared validation error in discs².
    validation_mse: Option<f64>,
    /// Whether no pass will follow.
    pub(super) finished: bool,
}

impl Progress {
    /// Whether a fit can stand here between two updates, with a line of metrics for each pass.
    pub(super) fn fits(&self, metrics: &[Metrics]) -> bool {
        let numbers = metrics.iter().map(|line| line.iteration);
        numbers.eq(1..=self.passes) && self.best_pass <= self.passes && !self.finished
    }
}

impl Best {
    pub(super) fn new(initial: &[f64]) -> Self {
        Self { weights: initial.to_vec(), progress: Progress::default() }
    }

    /// Hears how a pass came out; true where its weights are the best so far, and now to be put
    /// into [`Self::weights`].
    pub(super) fn hear(
        &mut self,
        pass: Pass,
        validation: &Errors,
        settings: &FitSettings,
        optimizer: Optimizer,
    ) -> bool {
        let progress = &mut self.progress;
        progress.passes = pass.number;
        let mse = validation.mse();
        let better = mse.is_none_or(|mse| progress.validation_mse.is_none_or(|best| mse < best));
        if better {
            (progress.validation_mse, progress.best_pass) = (mse, pass.number);
        }
        let settled = match mse {
            Some(_) => {
                settings.stops_early(optimizer)
                    && pass.number - progress.best_pass >= settings.patience
            }
            None => pass.gradient.is_some_and(|size| size < settings.least_squares.tolerance),
        };
        progress.finished = settled || pass.number >= settings.passes(optimizer);
        better
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Schedule;

    /// The pass after which a fit of 20 passes stops that was never better than after its first.
    fn last_pass(optimizer: Optimizer, schedule: Schedule) -> u32 {
        let mut settings = FitSettings { patience: 3, ..FitSettings::default() };
        (settings.adam.passes, settings.adam.schedule) = (20, schedule);
        let mut best = Best::new(&[]);
        let mut number = 0;
        while !best.progress.finished {
            number += 1;
            let mut validation = Errors::default();
            validation.add(64, if number == 1 { 1 } else { 2 });
            let pass = Pass { number, gradient: None, training_mse: None };
            best.hear(pass, &validation, &settings, optimizer);
        }
        assert_eq!(best.progress.best_pass, 1);
        number
    }

    #[test]
    fn patience_does_not_end_a_cosine() {
        assert_eq!(last_pass(Optimizer::Adam, Schedule::Cosine), 20);
        assert_eq!(last_pass(Optimizer::Adam, Schedule::Constant), 4);
        assert_eq!(last_pass(Optimizer::LeastSquares, Schedule::Cosine), 4);
    }
}
