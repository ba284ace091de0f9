#![allow(clippy::duplicate_mod, reason = "each example has what they share")]
#![allow(dead_code, reason = "an example's main is not called")]

#[path = "../../examples/1_fit_from_records.rs"]
mod fit_from_records;
#[path = "../../examples/3_label_rule.rs"]
mod label_rule;
#[path = "../../examples/4_optimizer.rs"]
mod optimizer;
#[path = "../../examples/2_pattern_set.rs"]
mod pattern_set;
#[path = "../../examples/support/mod.rs"]
mod support;

#[test]
fn weights_are_fitted_from_records() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("a.weights");
    let report = fit_from_records::fit(&support::games(folder.path()).unwrap(), &weights).unwrap();
    assert_eq!(report.0.len(), 60);
    assert!(report.validation_mae().unwrap() < 25.0);
    othello_engine::eval::Weights::read(&weights).unwrap();
}

#[test]
fn a_pattern_set_of_ones_own_says_more_than_the_number_of_discs() {
    let [own, baseline] = pattern_set::errors().unwrap();
    assert!(own < baseline, "{own} {baseline}");
}

#[test]
fn a_label_rule_chooses_labels_and_weights() {
    let (game, [by_default, by_rules]) = label_rule::labelled().unwrap();
    assert!(by_default.iter().all(|row| row.weight().occurrences() == 1.0));
    let solved = u32::from(game.solved().unwrap().ply);
    for row in &by_rules {
        let (ply, occurrences) = (row.position().ply(), row.weight().occurrences());
        let near = (solved - 2..=solved + 2).contains(&ply);
        assert!(ply >= 10 && occurrences == if near { 1.0 } else { 0.5 }, "{ply}: {occurrences}");
    }
    assert!(by_rules.iter().any(|row| row.weight().occurrences() == 1.0));
}

#[test]
fn an_optimizer_of_ones_own_learns_more_slowly_than_least_squares() {
    let [momentum, least_squares] = optimizer::fits().unwrap();
    let last = |metrics: &[othello_trainer::fit::Metrics]| metrics.last().unwrap().train_mse;
    let first = momentum.metrics[0].train_mse.unwrap();
    let (slow, fast) = (last(&momentum.metrics).unwrap(), last(&least_squares.metrics).unwrap());
    assert!(slow < 0.8 * first && fast < slow, "{first} {slow} {fast}");
}
