//! What a fit says of itself: one row a phase, one line an iteration.

use std::fmt;

use othello_engine::board::Phase;
use serde::{Deserialize, Serialize};

/// How the fit of one phase came out. Errors are those of the rounded weights, in discs and
/// discs², values clamped to ±64; null where there are no positions to measure them on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseReport {
    /// The phase.
    pub phase: Phase,
    /// Its own training positions, without those of the window.
    pub positions: u64,
    /// Mean squared error on them.
    pub train_mse: Option<f64>,
    /// Mean squared error on the validation positions.
    pub validation_mse: Option<f64>,
    /// Mean absolute error on the validation positions.
    pub validation_mae: Option<f64>,
    /// Mean squared error on the test positions.
    pub test_mse: Option<f64>,
    /// Mean absolute error on the test positions.
    pub test_mae: Option<f64>,
    /// The validation positions.
    pub validation_positions: u64,
    /// The test positions.
    pub test_positions: u64,
    /// Passes over the training positions.
    pub iterations: u32,
    /// The iteration whose weights were kept.
    pub best_iteration: u32,
    /// What rounding to steps added to the validation error (where there is none, to the training
    /// error), in discs².
    pub rounding_loss: Option<f64>,
    /// The phase whose weights this one takes over because it has no positions.
    pub copied_from: Option<Phase>,
}

impl PhaseReport {
    /// The report of a phase without positions.
    pub fn copied(phase: Phase, from: Phase) -> Self {
        Self {
            phase,
            positions: 0,
            train_mse: None,
            validation_mse: None,
            validation_mae: None,
            test_mse: None,
            test_mae: None,
            validation_positions: 0,
            test_positions: 0,
            iterations: 0,
            best_iteration: 0,
            rounding_loss: None,
            copied_from: Some(from),
        }
    }
}

/// One line of the metrics file.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metrics {
    /// The phase.
    pub phase: Phase,
    /// Iterations done.
    pub iteration: u32,
    /// The size of the preconditioned gradient as a part of what it was at the start.
    pub gradient: f64,
    /// Mean squared validation error before rounding.
    pub validation_mse: Option<f64>,
    /// Mean absolute validation error before rounding.
    pub validation_mae: Option<f64>,
}

/// The rows of all phases, as a table for people.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FitReport(pub Vec<PhaseReport>);

impl FitReport {
    /// The validation errors of all phases together: mean absolute error in discs, each phase
    /// counted by its validation positions.
    pub fn validation_mae(&self) -> Option<f64> {
        mean(self.0.iter().map(|row| (row.validation_mae, row.validation_positions)))
    }

    /// The same of the test errors.
    pub fn test_mae(&self) -> Option<f64> {
        mean(self.0.iter().map(|row| (row.test_mae, row.test_positions)))
    }
}

/// The mean of what there is, each value counted as often as the number beside it says.
fn mean(values: impl Iterator<Item = (Option<f64>, u64)>) -> Option<f64> {
    let counted = values.filter_map(|(value, count)| Some((value?, count as f64)));
    let (sum, count) = counted.fold((0.0, 0.0), |(sum, n), (value, m)| (sum + value * m, n + m));
    (count > 0.0).then(|| sum / count)
}

impl fmt::Display for FitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "phase  positions  train MSE  validation MSE  validation MAE  test MAE  iterations"
        )?;
        for row in &self.0 {
            if let Some(from) = row.copied_from {
                writeln!(f, "{:5}  no positions: weights of phase {from}", row.phase.index())?;
                continue;
            }
            let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.2}"));
            writeln!(
                f,
                "{:5}  {:9}  {:>9}  {:>14}  {:>14}  {:>8}  {:10}",
                row.phase.index(),
                row.positions,
                number(row.train_mse),
                number(row.validation_mse),
                number(row.validation_mae),
                number(row.test_mae),
                row.iterations,
            )?;
        }
        Ok(())
    }
}
