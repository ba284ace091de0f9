//! What a fit says of itself: one row a phase, one line an epoch.

use std::fmt;

use othello_engine::board::Phase;
use othello_engine::cli::table::{Align, table};
use serde::{Deserialize, Serialize};

/// How the fit of one phase came out. Errors are those of the rounded weights, in discs and
/// discs², values clamped to ±64; null where there are no positions to measure them on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PhaseReport {
    /// The phase.
    pub phase: Phase,
    /// The number of its own training positions, without those of the window.
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
    /// The number of epochs.
    pub epochs: u32,
    /// The epoch whose weights were kept.
    pub best_epoch: u32,
    /// What rounding to steps added to the validation error (where there is none, to the training
    /// error), in discs².
    pub rounding_loss: Option<f64>,
    /// Whether the fit was stopped before its end, for want of time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The phase whose weights this one takes over because it has no positions.
    pub copied_from: Option<Phase>,
}

impl PhaseReport {
    /// The row of the phase in a table for people.
    fn cells(&self) -> [String; 8] {
        let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.2}"));
        let note = self.copied_from.map(|from| {
            let why = if self.unfinished { "no time" } else { "no positions" };
            format!("{why}: weights of phase {from}")
        });
        [
            self.phase.to_string(),
            self.positions.to_string(),
            number(self.train_mse),
            number(self.validation_mse),
            number(self.validation_mae),
            number(self.test_mae),
            self.epochs.to_string(),
            note.unwrap_or_default(),
        ]
    }

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
            epochs: 0,
            best_epoch: 0,
            rounding_loss: None,
            unfinished: false,
            copied_from: Some(from),
        }
    }
}

/// The metrics of one epoch of a phase: one line of the metrics file.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metrics {
    /// The phase.
    pub phase: Phase,
    /// The epoch, counted from 1.
    pub epoch: u32,
    /// The size of the preconditioned gradient as a part of what it was at the start, where the
    /// optimizer knows it.
    pub gradient: Option<f64>,
    /// Mean squared error on the training positions of the window before rounding: after the epoch,
    /// or by mini-batches that of each batch before its update.
    pub train_mse: Option<f64>,
    /// Mean squared validation error before rounding.
    pub validation_mse: Option<f64>,
    /// Mean absolute validation error before rounding.
    pub validation_mae: Option<f64>,
}

/// The rows of the phases that a fit was to fit, in order; by `Display` a table for people.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FitReport(pub Vec<PhaseReport>);

impl FitReport {
    /// The phases whose fit was stopped before its end.
    pub fn unfinished(&self) -> Vec<Phase> {
        self.0.iter().filter(|row| row.unfinished).map(|row| row.phase).collect()
    }

    /// The phases that this fit was not to fit, each with the nearest phase that it did fit: where
    /// there are no weights to start from, it takes over that phase's weights.
    pub fn filled(&self) -> Vec<(Phase, Phase)> {
        let wanted = |phase: &Phase| self.0.iter().any(|row| row.phase == *phase);
        let fitted = self.0.iter().filter(|row| row.copied_from.is_none()).map(|row| row.phase);
        let fitted: Vec<Phase> = fitted.collect();
        let others = Phase::all().filter(|phase| !wanted(phase));
        others.filter_map(|phase| Some((phase, nearest(phase, fitted.iter().copied())?))).collect()
    }

    /// Mean absolute validation error of all phases together in discs, each phase counted by its
    /// validation positions.
    pub fn validation_mae(&self) -> Option<f64> {
        mean(self.0.iter().map(|row| (row.validation_mae, row.validation_positions)))
    }

    /// Mean absolute test error of all phases together in discs, each phase counted by its test
    /// positions.
    pub fn test_mae(&self) -> Option<f64> {
        mean(self.0.iter().map(|row| (row.test_mae, row.test_positions)))
    }
}

/// The nearest of `fitted` to a phase, which are in ascending order: the earlier one of two.
pub(super) fn nearest(phase: Phase, fitted: impl Iterator<Item = Phase>) -> Option<Phase> {
    fitted.min_by_key(|other| other.index().abs_diff(phase.index()))
}

/// The mean of what there is, each value counted as often as the number beside it says.
fn mean(values: impl Iterator<Item = (Option<f64>, u64)>) -> Option<f64> {
    let counted = values.filter_map(|(value, count)| Some((value?, count as f64)));
    let (sum, count) = counted.fold((0.0, 0.0), |(sum, n), (value, m)| (sum + value * m, n + m));
    (count > 0.0).then(|| sum / count)
}

impl fmt::Display for FitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = [
            ("phase", Align::Right),
            ("positions", Align::Right),
            ("train MSE", Align::Right),
            ("validation MSE", Align::Right),
            ("validation MAE", Align::Right),
            ("test MAE", Align::Right),
            ("epochs", Align::Right),
            ("", Align::Left),
        ];
        writeln!(f, "{}", table(columns, self.0.iter().map(PhaseReport::cells)))
    }
}
