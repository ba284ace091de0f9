//! Tests of fits on the command line, with games of random moves.

use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use serde_json::Value;

use super::folder::{Folder, RANDOM_PLIES};

const FIT: &str = "fit a.games --patterns small";

fn fit(folder: &Folder, more: &str) -> Value {
    folder.json(&format!("{FIT} {more}"))
}

#[test]
fn a_limit_on_memory_changes_no_byte() {
    let folder = Folder::with_random_games(0..2500);
    let message = folder.refusal(&format!("{FIT} --out limited.weights --memory-mb 2"));
    assert!(message.contains("the work takes 12 MB; raise --memory-mb"), "{message}");
    // This limit has room for only one part of the positions at a time.
    let limited = fit(&folder, "--out limited.weights --memory-mb 24");
    assert_eq!(limited["sha256"], fit(&folder, "--out unlimited.weights")["sha256"]);
}

#[test]
fn a_phase_without_positions_takes_the_nearest_and_reports_null() {
    let folder = Folder::with_random_games(0..200);
    let report = fit(&folder, "--out a.weights --window 0");
    let phases = report["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 60);
    for row in &phases[..usize::from(RANDOM_PLIES)] {
        assert_eq!(row["copied_from"], RANDOM_PLIES);
        assert!(row["train_mse"].is_null() && row["validation_mae"].is_null());
    }
    assert!(phases[20]["train_mse"].is_number());
    let weights = Weights::read(&folder.path("a.weights")).unwrap().weights;
    let steps = |index| weights.steps(Phase::new(index).unwrap());
    assert_eq!(steps(0), steps(RANDOM_PLIES.into()));
    assert_ne!(steps(20), steps(21));
}
