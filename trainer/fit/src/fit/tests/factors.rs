//! Tests of fits with factor vectors that several consecutive phases share.

use othello_engine::board::Phase;
use othello_engine::eval::{Evaluate as _, Tables, WeightsFile};
use othello_engine::pattern::FactorShape;

use super::runs::{factor_model, factor_settings, fit_file};
use super::*;
use crate::fit::report::FitReport;

/// Returns positions with labels that are proportional to the product of both sides' corner counts.
/// Weights, whose sum is the value, cannot fit a product; factors can.
fn dataset() -> Dataset {
    let label = |row: ScoredPosition| {
        let [player, opponent] = [row.position().player(), row.position().opponent()];
        let [player, opponent] = [player, opponent].map(|side| (side & CORNERS).count_ones());
        let discs = 4.0 * f64::from(player) * f64::from(opponent);
        ScoredPosition::new(row.position(), Label::of_discs(discs).unwrap(), row.weight())
    };
    let rows: Vec<ScoredPosition> = rows(40_000).into_iter().map(label).collect();
    dataset_of(&rows, Split::new(1))
}

fn fit(
    model: &Model,
    dataset: &Dataset,
    epochs: u32,
    learning_rate: f64,
    initial: Option<&WeightsFile>,
) -> (WeightsFile, FitReport) {
    let mut settings = factor_settings(epochs);
    settings.factors.as_mut().unwrap().learning_rate = learning_rate;
    let optimizer = model.set().factors().map_or(Optimizer::LeastSquares, |_| Optimizer::Adam);
    fit_file(model, dataset, &settings, optimizer, 45..=47, initial)
}

fn train_mse(report: &FitReport) -> f64 {
    report.0[1].train_mse.unwrap()
}

#[test]
fn factors_say_what_weights_cannot_and_the_engine_reads_them_as_they_were_fitted() {
    let (plain, model, dataset) = (model(), factor_model(), dataset());
    let (file, report) = fit(&model, &dataset, 60, 0.05, None);
    let (_, without) = fit(&plain, &dataset, 1, 0.05, None);
    let (with, without) = (train_mse(&report), train_mse(&without));
    assert!(with < 0.5 * without, "{with} compared with {without}");
    let tables = Tables::new(&file.weights);
    for report in report.0 {
        let (mut squared, mut weight) = (0.0, 0.0);
        for row in dataset.training(report.phase) {
            let position = row.position();
            let value = tables.value(&tables.state(&position), &position);
            let occurrences = f64::from(row.weight().steps());
            squared += occurrences * (row.label().discs() - value.discs()).powi(2);
            weight += occurrences;
        }
        let (mse, reported) = (squared / weight, report.train_mse.unwrap());
        assert!((mse - reported).abs() < 0.02, "{mse} compared with {reported}");
    }
    // Phases that were not fitted must get the factors of a fitted phase, as well as its weights.
    let factors = file.weights.factors().unwrap();
    let [first, fitted] = [0, 45].map(|phase| factors.of(Phase::new(phase).unwrap()));
    assert_eq!(first, fitted);
}

/// A fit with wider factor vectors than its initial weights must begin with about their error.
#[test]
fn more_factors_begin_with_the_values_of_those_there_are() {
    let dataset = dataset();
    let (narrow, report) = fit(&factor_model(), &dataset, 20, 0.05, None);
    let ended = train_mse(&report);
    let weights = narrow.weights.with_factors(FactorShape::new(16, 3).unwrap()).unwrap();
    let wide = WeightsFile { weights, ..narrow };
    let model = Model::new(wide.weights.set().clone());
    let (file, report) = fit(&model, &dataset, 1, 1e-9, Some(&wide));
    let begun = train_mse(&report);
    assert!((begun / ended - 1.0).abs() < 0.1, "{begun} after {ended}");
    let phase = Phase::new(46).unwrap();
    let factors = file.weights.factors().unwrap().of(phase);
    let drawn = factors.iter().skip(4).step_by(16).any(|&factor| factor != 0);
    assert!(drawn, "factors that begin with 0 would stay 0");
    // The counts of a fit include those of its initial weights, which had the same positions.
    let [before, after] = [&wide, &file].map(|file| file.weights.counts(phase));
    assert!(before.iter().any(|&count| count > 0));
    assert!(after.iter().copied().eq(before.iter().map(|&count| 2 * count)));
}
