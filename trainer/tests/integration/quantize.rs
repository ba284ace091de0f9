//! Quantised weights on the command line.

use std::path::Path;
use std::process::{Command, Output};

use othello_engine::eval::{Mobility, Weights};
use othello_engine::file::Existing;
use othello_engine::progress::Silent;
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_testing::program::message;
use serde_json::Value;

fn trainer(folder: &Path, arguments: &str) -> Output {
    let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
    let arguments = arguments.split_whitespace();
    Command::new(binary).current_dir(folder).args(arguments).output().unwrap()
}

fn json(folder: &Path, arguments: &str) -> Value {
    let output = trainer(folder, &format!("{arguments} --json"));
    assert!(output.status.success(), "{arguments}: {}", message(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn coarser_weights_are_smaller_and_name_what_they_were_made_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let run = Run::whole(Settings::new(5, "4..=20".parse().unwrap(), 1, 6), 200);
    let players = PerSide::both(&Mobility);
    play_games(&path("a.games"), &run, players, Existing::Keep, &Silent).unwrap();
    let fit = "fit a.games --patterns small --optimizer lsq --phases 38..45 --out a.weights";
    let fitted = json(folder.path(), fit);

    let coarser =
        json(folder.path(), "quantize a.weights --label-error 20 --revision r1 --out b.weights");
    let bytes = |name: &str| std::fs::metadata(path(name)).unwrap().len();
    assert!(coarser["bytes"] == bytes("b.weights") && bytes("b.weights") < bytes("a.weights"));
    let change = coarser["change"]["root_mean_square"].as_f64().unwrap();
    assert!(0.0 < change && change < 5.0, "{coarser}");
    let file = Weights::read(&path("b.weights")).unwrap();
    assert_eq!(coarser["sha256"], file.sha256);
    let provenance = file.provenance.as_map();
    assert_eq!(provenance["revision"], "r1");
    assert_eq!(provenance["weights"], fitted["sha256"]);
    assert_eq!(provenance["weights_provenance"]["command"], "fit");

    json(folder.path(), "quantize a.weights --count-digits 0 --label-error 0 --out c.weights");
    let refused = trainer(folder.path(), "quantize c.weights --out d.weights");
    assert_eq!(refused.status.code(), Some(2));
    assert!(message(&refused).contains("c.weights: all counts are 0"), "{}", message(&refused));
    let same = json(folder.path(), "quantize c.weights --label-error 0 --out d.weights");
    assert_eq!(same["change"]["greatest"], 0.0);
}
