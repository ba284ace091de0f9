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
            Some(_) => pass.number - progress.best_pass >= settings.patience,
            None => pass.gradient.is_some_and(|size| size < settings.least_squares.tolerance),
        };
        progress.finished = settled || pass.number >= settings.passes(optimizer);
        better
    }
}
