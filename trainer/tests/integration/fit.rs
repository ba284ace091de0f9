use std::process::Stdio;

use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use othello_testing::program::message;
use serde_json::Value;

use super::folder::{Folder, RANDOM_PLIES};

const FIT: &str = "fit a.games --patterns small";
const FEW: &str = "--epochs 3 --optimizer lsq --phases 40..42";

fn fit(folder: &Folder, more: &str) -> Value {
    folder.json(&format!("{FIT} {more}"))
}

#[test]
fn a_limit_on_memory_changes_no_byte() {
    let folder = Folder::with_random_games(0..2500);
    let limited = format!("{FIT} --out limited.weights --memory-mb 2");
    folder.refuses(&limited, "the work takes 12 MB; raise --memory-mb");
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

#[test]
fn twelve_shards_of_which_one_is_killed_are_the_fit_of_one_process() {
    const HOW: &str = "--patterns small --epochs 4 --threads 1";
    let folder = Folder::with_random_games(0..600);
    folder.runs(&format!("fit a.games {HOW} --out one.weights"));
    folder.runs("dataset a.games --out laid-out");
    for number in 1..=12 {
        let fit = format!("fit laid-out {HOW} --shard {number}/12 --out shared.weights");
        if number == 7 {
            let mut killed = folder.command(&fit).stderr(Stdio::null()).spawn().unwrap();
            // The test kills the process after a finished phase, unless the process ends first.
            let part = folder.path("shared.weights.parts/part-000006");
            while !part.exists() && killed.try_wait().unwrap().is_none() {}
            let _ = killed.kill();
            killed.wait().unwrap();
        }
        let made = folder.json(&fit);
        assert!(made["sha256"].is_null() && made["shard"] == format!("{number}/12"), "{made}");
    }
    for (more, difference) in [
        ("--epochs 5", "settings.least_squares.epochs: 4 there, 5 wanted"),
        ("--epochs 4 --ridge 3", "settings.ridge: 30.0 there, 3.0 wanted"),
        ("--epochs 4 --phases 3..59", "phases"),
    ] {
        let other = format!("fit laid-out --patterns small {more} --shard 4/12");
        folder.refuses(&format!("{other} --out shared.weights"), difference);
    }
    let packed = folder.json("pack shared.weights --clean");
    assert_eq!(packed["parts"], 60);
    for extension in ["", ".metrics.jsonl", ".report.json"] {
        let [one, shared] =
            ["one", "shared"].map(|name| folder.read(&format!("{name}.weights{extension}")));
        assert!(one == shared, "{extension}");
    }
    assert!(!folder.path("shared.weights.parts").exists());
    folder.refuses("pack shared.weights --clean", "shared.weights: is already packed");
    folder.runs(&format!("fit laid-out {HOW} --shard 3/12 --out shared.weights"));
}

/// A regression: a long fit of one phase printed only a progress bar, not the errors by epoch.
#[test]
fn every_epoch_is_an_event_with_the_numbers_of_its_line_in_the_metrics() {
    let folder = Folder::with_self_play(9, 200, 4);
    let output = folder.run(&format!("{FIT} {FEW} --out a.weights --log json"));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let events = stderr.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut epochs: Vec<Value> = events.filter(|event| event["event"] == "epoch").collect();
    assert!(epochs.iter().all(|event| event["positions_per_second"].as_f64().unwrap() > 0.0));
    epochs.sort_by_key(|event| [&event["phase"], &event["epoch"]].map(|key| key.as_u64()));
    let metrics = folder.text("a.weights.metrics.jsonl");
    let lines = metrics.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert!(epochs.len() >= 9 && epochs.len() == lines.len(), "{stderr}");
    for (event, line) in epochs.iter().zip(&lines) {
        for (key, value) in line.as_object().unwrap() {
            assert_eq!(&event[key], value, "{key}");
        }
    }
}

#[test]
fn a_missing_driver_is_news_only_to_who_asked() {
    let folder = Folder::with_self_play(9, 200, 4);
    let doctor = folder.json("doctor");
    let [device, reason] = ["device", "reason"].map(|field| doctor[field].as_str().unwrap());
    let said = message(&folder.run(&format!("{FIT} {FEW} --out a.weights")));
    assert!(said.contains(&format!("device {device}, optimizer lsq\n")), "{said}");
    assert!(!said.contains(reason), "{said}");
    let said = message(&folder.run(&format!("{FIT} {FEW} --out b.weights --device auto")));
    assert!(said.contains(reason), "{said}");
}
