//! Tests of `othello-engine weights`, which shows the content of a file.

use assert_cmd::Command;
use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_testing::skip;
use serde_json::{Value, json};

/// Writes a file in which each weight of a phase is the phase's number, and each count the
/// parameter's.
fn write_weights(path: &std::path::Path) -> Weights {
    let set = PatternSet::shipped("small").expect("the set ships");
    let mut weights = Weights::zero(set);
    for phase in Phase::all() {
        weights.set_steps(phase, |_| phase.index() as i16);
        weights.set_counts(phase, |parameter| parameter as u32);
    }
    let provenance = Provenance::new("test").with("seed", 7);
    weights.write(path, &provenance, Existing::Keep).expect("the folder is writable");
    weights
}

fn run(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("othello-engine").expect("the binary is built");
    command.arg("weights").args(arguments).output().expect("it runs")
}

fn json(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn a_file_is_described_and_a_class_is_the_same_on_mirrored_squares() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("test.weights");
    let weights = write_weights(&path);
    let path = path.to_str().expect("an ordinary name");

    let report = json(&[path, "--json"]);
    assert_eq!(report["pattern_set"], "small");
    assert_eq!(report["phases"], 60);
    assert_eq!(report["steps_per_disc"], 32);
    assert_eq!(report["provenance"]["seed"], 7);
    assert_eq!(report["scalars"], json!(["player_discs"]));
    assert!(report.get("factors").is_none());
    assert_eq!(report["selective"], json!([]));
    assert_eq!(report["sha256"].as_str().map(str::len), Some(64));
    assert!(report.get("inspect").is_none());

    let edge = json(&[path, "--json", "--inspect", "a1 b1 c1 d1 e1 f1 g1 h1", "XO------"]);
    let mirrored = json(&[path, "--json", "--inspect", "a8 a1 a2 a3 a4 a5 a6 a7", "X------O"]);
    assert_eq!(edge["inspect"], mirrored["inspect"]);
    let other = json(&[path, "--json", "--inspect", "a1 b1 c1 d1 e1 f1 g1 h1", "OX------"]);
    assert_ne!(edge["inspect"], other["inspect"]);

    let inspect = &edge["inspect"];
    assert_eq!(inspect["pattern"], "edge");
    assert_eq!(inspect["weights"][48], json!(1.5));
    assert_eq!(inspect["counts"][0], inspect["parameter"]);
    let parameter = inspect["parameter"].as_u64().expect("a number") as usize;
    assert!(parameter < weights.geometry().patterns[0].classes);
}

#[test]
fn counts_are_summed_up_by_phase() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("test.weights");
    let weights = write_weights(&path);
    let parameters = weights.geometry().parameters();
    let report = json(&[path.to_str().expect("an ordinary name"), "--json"]);
    assert_eq!(report["parameters"], parameters);
    let seen = json!({"phase": 7, "seen": parameters - 1, "least": 1, "most": parameters - 1});
    assert_eq!(report["counts"][7], seen);
    // A regression: "phases 60 of 54 weights" was misread as a part of them.
    let text = String::from_utf8(run(&[path.to_str().expect("an ordinary name")]).stdout);
    let line = format!("phases       60, each with {parameters} weights\n");
    assert!(text.as_ref().is_ok_and(|text| text.contains(&line)), "{text:?}");
}

/// The binary has tables without counts: it shows the weights of the file it was built from, and no
/// counts.
#[test]
fn the_embedded_weights_are_inspected_without_counts() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/default.weights");
    let class = ["--json", "--inspect", "a1 b1 c1 a2 b2 c2 a3 b3 c3", "XO-OO----"];
    let embedded = json(&class);
    let file = json(&[&[shipped], &class[..]].concat());
    if embedded["sha256"] != file["sha256"] {
        skip!("the binary was built with other weights");
    }
    assert_eq!(embedded["inspect"]["weights"], file["inspect"]["weights"]);
    assert_eq!(embedded["inspect"]["parameter"], file["inspect"]["parameter"]);
    assert!(file["inspect"]["counts"].is_array());
    for absent in [&embedded["inspect"]["counts"], &embedded["counts"]] {
        assert!(absent.is_null(), "{absent}");
    }
}
