//! The results of a fit: the fitted weights, a report with a row for each phase, and metrics with a
//! line for each epoch of a phase.

use std::fmt;

use othello_engine::board::Phase;
use othello_engine::eval::{Weights, nearest_weight};
use othello_engine::file::Summary;
use othello_engine::text_table::table;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::settings::Stop;
use crate::backend::{Backend, Result, Rows, WEIGHTS_PER_OCCURRENCE};
use crate::dataset::{Dataset, Subset};
use crate::model::Model;

/// The result of the fit of one phase. Errors are those of the rounded weights, in discs and
/// discs², with values clamped to ±64. An error is null if there are no positions for it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, schemars::JsonSchema, Deserialize)]
pub struct PhaseReport {
    /// The phase.
    pub phase: Phase,
    /// The number of training positions of the phase itself, without those of nearby phases.
    pub positions: u64,
    /// The number of training positions by kind of label (such as `result`), the most frequent
    /// first. A position that occurs several times counts each time.
    #[serde(default)]
    pub labels: Vec<(String, u64)>,
    /// The mean squared error on the training positions of the phase itself, in discs²; null if the
    /// phase was not fitted.
    pub train_mse: Option<f64>,
    /// The mean squared error on the validation positions, in discs²; null without such positions.
    pub validation_mse: Option<f64>,
    /// The mean absolute error on the validation positions, in discs; null without such positions.
    pub validation_mae: Option<f64>,
    /// The mean squared error on the test positions, in discs²; null without such positions.
    pub test_mse: Option<f64>,
    /// The mean absolute error on the test positions, in discs; null without such positions.
    pub test_mae: Option<f64>,
    /// The number of validation positions.
    pub validation_positions: u64,
    /// The number of test positions.
    pub test_positions: u64,
    /// The number of epochs that the fit completed.
    pub epochs: u32,
    /// The epoch whose weights were kept.
    pub best_epoch: u32,
    /// The increase of the mean squared error, in discs², by rounding the weights. Measured on the
    /// validation (or, without any, training) positions; null if the phase was not fitted.
    pub rounding_loss: Option<f64>,
    /// True if the time limit stopped the fit early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The phase whose weights this phase uses because it has no fitted weights of its own.
    pub copied_from: Option<Phase>,
}

/// If a phase has fewer validation positions, its row in the report has a note: chance then changes
/// the mean squared error by a tenth or more, too much to stop a fit early or to compare fits.
const FEW_VALIDATION: u64 = 200;

impl PhaseReport {
    fn cells(&self) -> [String; 10] {
        let number = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.2}"));
        [
            self.phase.to_string(),
            self.positions.to_string(),
            self.label(),
            number(self.train_mse),
            number(self.validation_mse),
            number(self.validation_mae),
            number(self.test_mae),
            self.epochs.to_string(),
            self.best_epoch.to_string(),
            self.note(),
        ]
    }

    fn label(&self) -> String {
        let all: u64 = self.labels.iter().map(|kind| kind.1).sum();
        match self.labels.first() {
            None => "-".to_owned(),
            Some((kind, count)) if *count == all => kind.clone(),
            Some((kind, count)) => format!("{kind} {:.0} %", 100.0 * *count as f64 / all as f64),
        }
    }

    fn note(&self) -> String {
        if let Some(from) = self.copied_from {
            let why = if self.unfinished { "no time" } else { "no positions" };
            return format!("{why}: weights of phase {from}");
        }
        match self.validation_positions {
            0 => "no validation positions".to_owned(),
            count @ 1..FEW_VALIDATION => format!("too few validation positions ({count})"),
            _ => String::new(),
        }
    }

    /// Creates the report of a phase that was not fitted: its weights are copied from phase `from`.
    pub fn copied(phase: Phase, from: Phase) -> Self {
        Self { phase, copied_from: Some(from), ..Self::default() }
    }
}

/// The metrics of one epoch of a phase: one line of the metrics file.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Metrics {
    /// The phase.
    pub phase: Phase,
    /// The epoch, counted from 1.
    pub epoch: u32,
    /// The norm of the preconditioned gradient, relative to that at the start; null with `adam`.
    pub gradient: Option<f64>,
    /// The learning rate of the epoch's last update, in discs, if the optimizer has one.
    #[serde(default)]
    pub learning_rate: Option<f64>,
    /// The mean squared error of the unrounded weights, in discs², on all positions to which the
    /// phase was fitted, including any of nearby phases. `adam` measures it during the epoch, on
    /// each batch before its update; the other optimizers measure it after the epoch.
    pub train_mse: Option<f64>,
    /// The mean squared error of the unrounded weights on the validation positions, in discs²; null
    /// without such positions.
    pub validation_mse: Option<f64>,
    /// The mean absolute error of the unrounded weights on the validation positions, in discs; null
    /// without such positions.
    pub validation_mae: Option<f64>,
}

impl Metrics {
    pub(super) fn line(&self, seconds: f64) -> String {
        let Self { phase, epoch, train_mse, validation_mse, validation_mae, .. } = *self;
        let training = train_mse.map(|mse| format!("training {mse:.2}, "));
        let validation = validation_mse.map(|mse| format!("validation {mse:.2}, "));
        let error = validation_mae.map(|mae| format!("error {mae:.3} discs, "));
        let errors: String = [training, validation, error].into_iter().flatten().collect();
        format!("phase {phase}, epoch {epoch}: {errors}{seconds:.1} s")
    }

    pub(super) fn event(&self, seconds: f64, positions: usize) -> Map<String, Value> {
        let fields = json!(self).as_object().cloned();
        let mut fields = fields.unwrap_or_default();
        fields.insert("seconds".to_owned(), json!(seconds));
        let rate = positions as f64 / seconds.max(1e-9);
        fields.insert("positions_per_second".to_owned(), json!(rate));
        fields
    }
}

/// The fitted weights of one phase, in the order of weights files, and the report of their fit.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedPhase {
    /// The weights by parameter, in steps of 1/32 disc.
    pub steps: Vec<i16>,
    /// For each parameter, the number of its occurrences in the training positions of the phase
    /// (without nearby phases), plus its count in the initial weights, if there are any.
    pub counts: Vec<u32>,
    /// The errors of the fitted weights, and the number of epochs of the fit.
    pub report: PhaseReport,
    /// The metrics of each epoch, in order.
    pub metrics: Vec<Metrics>,
}

/// The results of the fit of one phase, or of a group of phases that share factors. For a group,
/// `factors` has the number of the group and the factors, in the order of weights files.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FittedUnit {
    pub(super) phases: Vec<FittedPhase>,
    pub(super) factors: Option<(usize, Vec<i8>)>,
}

/// The reports of the phases to be fitted, in ascending order. `Display` prints a row for each.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(transparent)]
pub struct FitReport(pub Vec<PhaseReport>);

/// The result of a fit, or of one shard of it: the share of the phases that one machine fits.
#[derive(Clone, PartialEq, Debug)]
pub struct FitEnd {
    /// The result of the fit of each phase; for a shard, only of the phases that it fitted.
    pub report: FitReport,
    /// The size and checksum of the weights file; `None` for a shard, which does not write it.
    pub summary: Option<Summary>,
}

/// A phase that was not fitted, and has the weights of a fitted phase.
#[derive(Serialize, schemars::JsonSchema)]
pub struct Filled {
    /// A phase that was not fitted.
    phase: Phase,
    /// The phase from which the weights were copied.
    copied_from: Phase,
}

impl FitReport {
    /// Returns the phases whose fit was stopped by the time limit.
    pub fn unfinished(&self) -> Vec<Phase> {
        self.0.iter().filter(|row| row.unfinished).map(|row| row.phase).collect()
    }

    /// Returns the phases outside the range of this fit, each with the nearest fitted phase. If the
    /// fit has no initial weights, each of them gets the weights of its nearest fitted phase.
    pub fn filled(&self) -> Vec<Filled> {
        let wanted = |phase: &Phase| self.0.iter().any(|row| row.phase == *phase);
        let fitted = self.0.iter().filter(|row| row.copied_from.is_none()).map(|row| row.phase);
        let fitted: Vec<Phase> = fitted.collect();
        let others = Phase::all().filter(|phase| !wanted(phase));
        let nearest = |phase| nearest(phase, fitted.iter().copied());
        others.filter_map(|phase| Some(Filled { phase, copied_from: nearest(phase)? })).collect()
    }

    /// Returns the MAE in discs over the validation positions of all phases; `None` without any.
    pub fn validation_mae(&self) -> Option<f64> {
        mean(self.0.iter().map(|row| (row.validation_mae, row.validation_positions)))
    }

    /// Returns the MAE in discs over the test positions of all phases; `None` without any.
    pub fn test_mae(&self) -> Option<f64> {
        mean(self.0.iter().map(|row| (row.test_mae, row.test_positions)))
    }
}

pub(super) fn nearest(phase: Phase, fitted: impl Iterator<Item = Phase>) -> Option<Phase> {
    fitted.min_by_key(|other| other.index().abs_diff(phase.index()))
}

fn mean(values: impl Iterator<Item = (Option<f64>, u64)>) -> Option<f64> {
    let counted = values.filter_map(|(value, count)| Some((value?, count as f64)));
    let (sum, count) = counted.fold((0.0, 0.0), |(sum, n), (value, m)| (sum + value * m, n + m));
    (count > 0.0).then(|| sum / count)
}

impl fmt::Display for FitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = [
            "phase",
            "positions",
            "<label",
            "train MSE",
            "validation MSE",
            "validation MAE",
            "test MAE",
            "epochs",
            "best",
            "<",
        ];
        writeln!(f, "{}", table(columns, self.0.iter().map(PhaseReport::cells)))
    }
}

/// The result of the fit of a phase or of a group of phases: the weights (and factors) of the epoch
/// with the least validation error or, without validation positions, of the last epoch.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedVector {
    /// The unrounded weights in discs and, for a group of phases, the factors in √disc.
    pub(super) elements: Vec<f64>,
    pub(super) progress: Progress,
    /// The metrics of each completed epoch, in order.
    pub metrics: Vec<Metrics>,
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    pub(super) epochs: u32,
    pub(super) best_epoch: u32,
    validation_mse: Option<f64>,
    pub(super) finished: bool,
}

impl Progress {
    /// Returns true if this is valid progress of an unfinished fit whose epochs so far have
    /// `metrics`, one element for each epoch.
    pub(super) fn is_unfinished_after(&self, metrics: &[Metrics]) -> bool {
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

    /// Adds the metrics of an epoch, and marks the fit as finished if `stop` ends it. Returns true
    /// if the epoch is the best so far: the caller must then store its weights in `elements`.
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

pub(super) fn report<B: Backend>(
    backend: &B,
    dataset: &Dataset,
    phase: Phase,
    vector: &FittedVector,
    [rounded, exact]: &[B::Fixed; 2],
) -> Result<PhaseReport> {
    let errors_of = |subset, weights| {
        let rows = [Rows::full(dataset.subset(subset, phase))];
        backend.errors(&backend.positions(&rows)?, weights)
    };
    let training = errors_of(Subset::Training, rounded)?;
    let validation = errors_of(Subset::Validation, rounded)?;
    let test = errors_of(Subset::Test, rounded)?;
    let (subset, after) = match validation.positions {
        0 => (Subset::Training, training.mse()),
        _ => (Subset::Validation, validation.mse()),
    };
    let before = errors_of(subset, exact)?.mse();
    Ok(PhaseReport {
        phase,
        positions: training.positions,
        labels: dataset.labels(phase),
        train_mse: training.mse(),
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

/// Copies two vectors of weights to the device, in its fixed-point format: those rounded for the
/// weights file, and the exact ones. [`report`] measures the errors of both.
pub(super) fn fixed<B: Backend>(backend: &B, vectors: [&[f64]; 2]) -> Result<[B::Fixed; 2]> {
    let mut fixed = [backend.zero_fixed()?, backend.zero_fixed()?];
    for (fixed, vector) in fixed.iter_mut().zip(vectors) {
        backend.round_weights(&backend.upload(vector)?, fixed)?;
    }
    Ok(fixed)
}

/// Returns how often each parameter occurs in the training positions of `phase`, plus its count in
/// the initial weights, if there are any. The order is that of weights files.
pub(super) fn counts<B: Backend>(
    backend: &B,
    model: &Model,
    dataset: &Dataset,
    phase: Phase,
    initial: Option<&Weights>,
) -> Result<Vec<u32>> {
    let one = i64::from(WEIGHTS_PER_OCCURRENCE);
    let count = |&weight: &i64| u32::try_from((weight + one / 2) / one).unwrap_or(u32::MAX);
    let weights = occurrences(backend, &[Rows::full(dataset.training(phase))])?;
    let mut counts = model.to_file(&weights.iter().map(count).collect::<Vec<_>>());
    let earlier = initial.into_iter().flat_map(|initial| initial.counts(phase));
    counts.iter_mut().zip(earlier).for_each(|(count, &more)| *count = count.saturating_add(more));
    Ok(counts)
}

pub(super) fn occurrences<B: Backend>(backend: &B, rows: &[Rows<'_>]) -> Result<Vec<i64>> {
    let mut sums = backend.zero_sums()?;
    backend.occurrences(&backend.positions(rows)?, &mut sums)?;
    backend.download_sums(&sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::settings::{FitSettings, Optimizer};

    #[test]
    fn the_table_says_what_labels_there_are_and_where_validation_is_too_small() {
        let phase = |index| Phase::new(index).expect("a phase");
        let row = |index, validation_positions, labels: &[(&str, u64)]| PhaseReport {
            validation_positions,
            labels: labels.iter().map(|&(kind, count)| (kind.to_owned(), count)).collect(),
            best_epoch: 7,
            copied_from: None,
            ..PhaseReport::copied(phase(index), phase(index))
        };
        let table = FitReport(vec![
            row(1, 0, &[("value", 10)]),
            row(2, 199, &[("exact", 3), ("value", 1)]),
            row(3, 200, &[]),
            PhaseReport::copied(phase(4), phase(3)),
        ])
        .to_string();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[1].contains("value") && !lines[1].contains("value 100 %"), "{table}");
        assert!(lines[1].ends_with("7  no validation positions"), "{table}");
        assert!(lines[2].contains("exact 75 %") && lines[2].contains("(199)"), "{table}");
        assert!(lines[3].trim_end().ends_with('7'), "{table}");
        assert!(lines[4].ends_with("no positions: weights of phase 3"), "{table}");
    }

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
