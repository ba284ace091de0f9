//! Runs one small turn of the loop by the library and the command line: games, a fit, matches.

use std::path::{Path, PathBuf};
use std::process::Command;

use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::openings;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use serde_json::Value;

fn self_play(path: &Path, seed: u64, games: u64, random_plies: &str, exact: u32) {
    let random_plies = random_plies.parse().unwrap();
    let settings = Settings::new(seed, random_plies, 1, exact);
    let run = Run::whole(settings, games);
    play_games(path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent).unwrap();
}

fn score_openings(path: &Path) {
    let settings = openings::Settings::whole(5, 1);
    openings::write_openings(path, &settings, &Mobility, Existing::Keep, &Silent).unwrap();
}

fn trainer(arguments: &[&str]) -> Value {
    let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
    let output = Command::new(binary).args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_is_learned_beats_the_mean_and_plays_better_than_counting_discs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let (games, test, enumerated) = (path("a.games"), path("test.games"), path("a.openings"));
    self_play(&games, 3, 1500, "4..=20", 6);
    self_play(&test, 4, 100, "0..=12", 8);
    score_openings(&enumerated);
    let [games, test, enumerated] = [&games, &test, &enumerated].map(|path| path.to_str().unwrap());

    let fit = |patterns: &str| -> (String, Value) {
        let out = path(&format!("{patterns}.weights")).to_str().unwrap().to_owned();
        let data = ["fit", games, enumerated, "--test", test];
        let fitted = trainer(&[&data[..], &["--patterns", patterns, "--out", &out]].concat());
        (out, fitted)
    };
    let (weights, fitted) = fit("small");
    let (mean, baseline) = fit("discs");
    let mae = |report: &Value, phase: usize| report["phases"][phase]["test_mae"].as_f64().unwrap();
    for phase in 30..=57 {
        assert!(mae(&fitted, phase) < mae(&baseline, phase), "phase {phase}");
    }
    assert!(fitted["phases"][3]["train_mse"].is_number());
    // Each test game has a position of every late phase. Some of these are in training, since few
    // moves lead everywhere from the start.
    let tested = fitted["phases"][50]["test_positions"].as_u64().unwrap();
    assert!((50..=100).contains(&tested), "{tested}");
    assert!(fitted["test_mae"].as_f64().unwrap() < 64.0);

    let play = |first: &str, second: &str| {
        let openings = ["--openings", enumerated, "--within", "64", "--pairs", "30"];
        let mut arguments = vec!["match", first, second, "--depth", "1", "--exact", "6"];
        arguments.extend(openings);
        trainer(&arguments)
    };
    let itself = play(&weights, &weights);
    assert_eq!(
        (itself["wins"].as_u64(), itself["mean_discs"].as_f64()),
        (itself["losses"].as_u64(), Some(0.0))
    );
    assert_eq!((itself["elo"].as_f64(), itself["p_value"].as_f64()), (Some(0.0), Some(1.0)));
    // Not against `none`: if all moves tie, a search takes the first of its order, which is a good
    // one.
    let counting = play(&weights, &mean);
    assert!(counting["wins"].as_u64() > counting["losses"].as_u64(), "{counting}");
    assert!(counting["p_value"].as_f64().unwrap() < 0.01, "{counting}");
}
