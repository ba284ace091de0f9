//! Tests one small generation of the training loop: self-play games, fits, and matches.

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::openings;
use othello_engine::progress::Silent;
use othello_engine::selfplay::Run;
use serde_json::Value;

use super::folder::{Folder, self_play};

#[test]
fn what_is_learned_beats_the_mean_and_plays_better_than_counting_discs() {
    let folder = Folder::with_self_play(3, 1500, 6);
    folder.self_play("test.games", &Run::whole(self_play(4, "0..=12", 8), 100));
    let (path, settings) = (folder.path("a.openings"), openings::Settings::whole(5, 1));
    openings::write_openings(&path, &settings, &Mobility, Existing::Keep, &Silent).unwrap();

    let fit = |patterns: &str| {
        let fit = "fit a.games a.openings --test test.games --patterns";
        folder.json(&format!("{fit} {patterns} --out {patterns}.weights"))
    };
    let (fitted, baseline) = (fit("small"), fit("discs"));
    let mae = |report: &Value, phase: usize| report["phases"][phase]["test_mae"].as_f64().unwrap();
    for phase in 30..=57 {
        assert!(mae(&fitted, phase) < mae(&baseline, phase), "phase {phase}");
    }
    assert!(fitted["phases"][3]["train_mse"].is_number());
    // Each of the 100 test games has a position of phase 50, which is omitted if training has it.
    let tested = fitted["phases"][50]["test_positions"].as_u64().unwrap();
    assert!((50..=100).contains(&tested), "{tested}");
    assert!(fitted["test_mae"].as_f64().unwrap() < 64.0);

    let play = |first: &str, second: &str| {
        let openings = "--openings a.openings --within 64 --pairs 30";
        folder.json(&format!("match {first} {second} --depth 1 --exact 6 {openings}"))
    };
    let itself = play("small.weights", "small.weights");
    assert!(itself["wins"] == itself["losses"] && itself["mean_discs"] == 0.0, "{itself}");
    assert_eq!((itself["elo"].as_f64(), itself["p_value"].as_f64()), (Some(0.0), Some(1.0)));
    // `none` is not a weak opponent: all moves tie, and a search then plays the first move in its
    // order, which is often good.
    let counting = play("small.weights", "discs.weights");
    assert!(counting["wins"].as_u64() > counting["losses"].as_u64(), "{counting}");
    assert!(counting["p_value"].as_f64().unwrap() < 0.01, "{counting}");
}
