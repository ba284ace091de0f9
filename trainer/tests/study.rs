//! What weights are worth, by the command line: `compare`, and what `loss` says beyond one number.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::record::{Game, GameWriter};
use othello_testing::random_games::random_moves;
use serde_json::Value;

const BOARD: &str = "-O--------OXX-----XO------XOOX---XXXXOO----OOOO---O-O-X--------- X";

/// A folder with random games to fit to, and others to test on.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    games(&folder.path().join("train.games"), 0..400);
    games(&folder.path().join("test.games"), 1000..1200);
    folder
}

fn games(path: &Path, seeds: std::ops::Range<u64>) {
    let begun = GameWriter::begin(path, &Provenance::new("test"), Existing::Replace).unwrap();
    let Begin::Writer(mut writer) = begun else { panic!("nothing was there before") };
    seeds.for_each(|seed| writer.push(Game::new(6, &random_moves(seed)).unwrap()).unwrap());
    writer.finish().unwrap();
}

fn trainer(folder: &Path, arguments: &[&str]) -> Output {
    let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
    Command::new(binary).current_dir(folder).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn recipe(folder: &Path, name: &str, seed: u64, ridge: &str) {
    let text = format!(
        "data = ['train.games']\npatterns = 'small'\n[settings]\nseed = {seed}\nridge = {ridge}\n"
    );
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_recipe_by_other_seeds_is_equal_and_one_that_learns_nothing_is_worse() {
    let folder = folder();
    recipe(folder.path(), "one.toml", 1, "10.0");
    recipe(folder.path(), "other.toml", 101, "10.0");
    recipe(folder.path(), "nothing.toml", 1, "1e12");
    let compare = |second: &str| {
        let recipes = ["compare", "one.toml", &format!("{second}.toml"), "--out", second];
        let flags = ["--phases", "48..52", "--test", "test.games", "--seeds", "3", "--json"];
        json(&trainer(folder.path(), &[&recipes[..], &flags].concat()))
    };
    let equal = compare("other");
    assert_eq!(equal["verdict"], "equal", "{equal}");
    assert_eq!(equal["errors"]["phases"].as_array().unwrap().len(), 5);
    assert!(equal["errors"]["needed"]["games"].as_u64().unwrap() > 200, "{equal}");
    assert_eq!(
        (&equal["seeds"], &equal["test_games"], &equal["match"]),
        (&3.into(), &200.into(), &Value::Null)
    );
    let better = compare("nothing");
    assert_eq!(better["verdict"], "first", "{better}");
    assert!(better["errors"]["difference"].as_f64().unwrap() < -1.0, "{better}");
    // What was fitted is not fitted again, and says the same.
    let again = compare("nothing");
    assert_eq!((&again["errors"], &again["verdict"]), (&better["errors"], &better["verdict"]));
}

#[test]
fn the_held_out_part_has_the_error_that_the_fit_reported() {
    let folder = folder();
    let fit = ["fit", "train.games", "--patterns", "small", "--phases", "50..50", "--seed", "3"];
    let fitted =
        json(&trainer(folder.path(), &[&fit[..], &["--out", "a.weights", "--json"]].concat()));
    let loss = ["loss", "a.weights", "train.games", "--phases", "50..50", "--json"];
    let part = |part: &str| json(&trainer(folder.path(), &[&loss[..], &["--part", part]].concat()));
    for (name, field) in [("test", "test_mae"), ("validation", "validation_mae")] {
        let (reported, found) = (&fitted["phases"][0][field], &part(name)["mae"]);
        let [reported, found] = [reported, found].map(|mae| mae.as_f64().unwrap());
        // The report is of weights before they are rounded to steps of 1/32 disc.
        assert!((reported - found).abs() < 0.05, "{name}: {reported} reported, {found} found");
    }
    let whole = trainer(folder.path(), &loss);
    assert!(said(&whole).contains("the weights were fitted to this file"), "{}", said(&whole));
    let other = ["loss", "a.weights", "test.games", "--part", "test"];
    let refused = trainer(folder.path(), &other);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("test.games: the weights were not fitted to this file"));
    let unknown = trainer(folder.path(), &["loss", "mobility", "test.games", "--part", "test"]);
    assert!(said(&unknown).contains("mobility does not say what it was fitted to"));
}

#[test]
fn the_parts_of_a_value_add_up_to_it() {
    let folder = folder();
    let explained =
        json(&trainer(folder.path(), &["loss", "embedded", "--explain", BOARD, "--json"]));
    let sum = |name: &str| -> f64 {
        let rows = explained[name].as_array().unwrap();
        rows.iter().map(|row| row["discs"].as_f64().unwrap()).sum()
    };
    let value = explained["value"].as_f64().unwrap();
    assert!((sum("totals") - value).abs() < 1e-9, "{explained}");
    assert_eq!(explained["instances"].as_array().unwrap().len(), 64);
    // The board with this value as its label has no error.
    let scored = format!("{BOARD} {value}\n");
    fs::write(folder.path().join("boards.txt"), scored).unwrap();
    let imported = ["import", "boards", "boards.txt", "--out", "boards.positions"];
    assert!(trainer(folder.path(), &imported).status.success());
    let loss = json(&trainer(folder.path(), &["loss", "embedded", "boards.positions", "--json"]));
    assert!(loss["mae"].as_f64().unwrap() < 1.0 / 128.0, "{loss}");
    let pass = format!("{}X-{} O", "O".repeat(32), "X".repeat(30));
    let refused = trainer(folder.path(), &["loss", "embedded", "--explain", &pass]);
    assert_eq!(refused.status.code(), Some(2));
}
