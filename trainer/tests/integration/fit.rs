//! Tests of fits on the command line, with games of random moves.

use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use serde_json::Value;

use super::folder::{Folder, RANDOM_PLIES, printed};

const FIT: &str = "fit a.games --patterns small";

fn fit(folder: &Folder, more: &str) -> Value {
    folder.json(&format!("{FIT} {more}"))
}

#[test]
fn a_limit_on_memory_changes_no_byte() {
    let folder = Folder::with_random_games(0..2500);
    let message = folder.refusal(&format!("{FIT} --out limited.weights --memory-mb 2"));
    assert!(message.contains("the work takes 12 MB; raise --memory-mb"), "{message}");
    // The least accepted limit has room for one part at a time.
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

#[test]
fn a_fit_that_is_done_is_not_done_again_and_another_one_is_not_overwritten() {
    let folder = Folder::with_random_games(0..60);
    let first = fit(&folder, "--out a.weights");
    let modified = || folder.path("a.weights").metadata().unwrap().modified().unwrap();
    let written = modified();
    let again = fit(&folder, "--out a.weights");
    assert_eq!((&again["sha256"], &again["phases"]), (&first["sha256"], &first["phases"]));
    assert_eq!(modified(), written);
    let other = format!("{FIT} --out a.weights --ridge 3");
    let message = folder.refusal(&other);
    assert!(message.contains("a.weights") && message.contains("--force"), "{message}");
    folder.runs(&format!("{other} --force"));
    assert!(!folder.path("a.weights.parts").exists());
}

#[test]
fn weights_to_start_from_are_kept_where_nothing_is_fitted() {
    let folder = Folder::with_random_games(0..60);
    fit(&folder, "--out a.weights");
    folder.runs("fit a.games --out b.weights --init a.weights --phases 30..32 --seed 9");
    let diff = folder.run("diff a.weights b.weights --json");
    assert_eq!(diff.status.code(), Some(1));
    let diff = printed(&diff);
    assert_eq!(diff["equal"], false);
    for row in diff["phases"].as_array().unwrap() {
        let fitted = (30..=32).contains(&row["phase"].as_u64().unwrap());
        assert_eq!(row["different"].as_u64().unwrap() > 0, fitted, "{row}");
    }
    folder.runs("diff a.weights a.weights");
}

/// A regression: the number of test positions that training does not have was not printed.
#[test]
fn a_fit_prints_how_many_test_positions_training_has_not() {
    let folder = Folder::with_random_games(0..60);
    folder.write("settings.toml", "validation_percent = 0\n");
    folder.random_games("seen.games", 0..30);
    folder.random_games("new.games", 100..110);
    // Each game has one position of phase 40.
    let fit = format!("{FIT} --settings settings.toml --phases 40..40 --out a.weights --test");
    let output = folder.run(&format!("{fit} new.games seen.games"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" discs on 10 positions that training has not\n"), "{text}");
}
