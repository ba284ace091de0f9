//! Tests of `othello-engine weights`, which shows the content of a file.

use othello_engine::board::Phase;
use othello_engine::eval::Weights;
use othello_engine::file::{Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_testing::folder::Folder;
use othello_testing::program::printed;
use othello_testing::skip;
use serde_json::{Value, json};

use crate::folder;

fn inspected(folder: &Folder, file: &str, squares: &str, discs: &str) -> Value {
    let mut command = folder.command(&format!("weights {file} --json --inspect"));
    printed(&command.args([squares, discs]).output().unwrap())
}

/// Each weight is the number of its phase, each count the number of its parameter.
#[test]
fn a_file_is_described_and_a_class_is_the_same_on_mirrored_squares() {
    let folder = folder();
    let mut weights = Weights::zero(PatternSet::shipped("small").unwrap());
    for phase in Phase::all() {
        weights.set_steps(phase, |_| phase.index() as i16);
        weights.set_counts(phase, |parameter| parameter as u32);
    }
    let provenance = Provenance::new("test").with("seed", 7);
    weights.write(&folder.path("a.weights"), &provenance, Existing::Keep).unwrap();
    let report = folder.json("weights a.weights");
    for (field, expected) in [
        ("pattern_set", json!("small")),
        ("phases", json!(60)),
        ("steps_per_disc", json!(32)),
        ("scalars", json!(["player_discs"])),
        ("factors", Value::Null),
        ("selective", json!([])),
        ("inspect", Value::Null),
        ("parameters", json!(weights.geometry().parameters())),
    ] {
        assert_eq!(report[field], expected, "{field}");
    }
    assert_eq!(report["provenance"]["seed"], 7);
    assert_eq!(report["sha256"].as_str().map(str::len), Some(64));
    let most = weights.geometry().parameters() - 1;
    let counts = json!({"phase": 7, "seen": most, "least": 1, "most": most});
    assert_eq!(report["counts"][7], counts);
    // A regression: "phases 60 of 54 weights" could be misread as 60 of the 54 weights.
    let line = format!("phases       60, each with {} weights\n", most + 1);
    assert!(folder.said("weights a.weights").contains(&line), "{line}");

    let inspect =
        |squares, discs| inspected(&folder, "a.weights", squares, discs)["inspect"].clone();
    let edge = inspect("a1 b1 c1 d1 e1 f1 g1 h1", "XO------");
    assert_eq!(edge, inspect("a8 a1 a2 a3 a4 a5 a6 a7", "X------O"));
    assert_ne!(edge, inspect("a1 b1 c1 d1 e1 f1 g1 h1", "OX------"));
    assert_eq!((&edge["pattern"], &edge["weights"][48]), (&json!("edge"), &json!(1.5)));
    assert_eq!(edge["counts"][0], edge["parameter"]);
    let parameter = edge["parameter"].as_u64().unwrap() as usize;
    assert!(parameter < weights.geometry().patterns[0].classes);
}

/// The embedded weights must be those of the file that the binary was built from, without counts.
#[test]
fn the_embedded_weights_are_inspected_without_counts() {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/default.weights");
    let inspect =
        |file: &str| inspected(&folder(), file, "a1 b1 c1 a2 b2 c2 a3 b3 c3", "XO-OO----");
    let (embedded, file) = (inspect(""), inspect(shipped));
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
