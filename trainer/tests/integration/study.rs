//! The commands that study weights: `compare`, `curve`, `tune`, and the details of `loss`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::record::{Game, GameWriter};
use othello_testing::random_games::random_moves;
use serde_json::Value;

const BOARD: &str = "-O--------OXX-----XO------XOOX---XXXXOO----OOOO---O-O-X--------- X";

/// Creates a folder with random games to fit to, and others to test on.
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
    // The positions of five phases of 200 random games, all labelled by the result.
    assert_eq!(better["test_labels"][0][0], "result", "{better}");
    assert_eq!(better["test_labels"].as_array().unwrap().len(), 1, "{better}");
    assert!(better["errors"]["difference"].as_f64().unwrap() < -1.0, "{better}");
    // Finished fits are not repeated, and the report is the same.
    let again = compare("nothing");
    assert_eq!((&again["errors"], &again["verdict"]), (&better["errors"], &better["verdict"]));
}

#[test]
fn a_curve_falls_and_predicts_its_last_point() {
    let folder = folder();
    games(&folder.path().join("train.games"), 2000..5000);
    recipe(folder.path(), "one.toml", 1, "10.0");
    let shares = ["curve", "one.toml", "--shares", "1,0.02,0.07,0.3", "--out", "curve"];
    let flags =
        ["--phases", "48..52", "--test", "test.games", "--seeds", "2", "--picture", "c.svg"];
    let curve = || json(&trainer(folder.path(), &[&shares[..], &flags, &["--json"]].concat()));
    let found = curve();
    let points = found["points"].as_array().unwrap();
    let of = |name: &str| -> Vec<f64> {
        points.iter().map(|point| point[name].as_f64().unwrap()).collect()
    };
    assert_eq!(of("share"), [0.02, 0.07, 0.3, 1.0]);
    // Of 3000 games a twentieth is for validation.
    let expected = of("share").into_iter().map(|share| share * 2850.0);
    assert!(expected.zip(of("games")).all(|(a, b)| (a - b).abs() < 60.0), "{found}");
    assert!(of("mae").is_sorted_by(|more, less| more > less), "{found}");
    let prediction = &found["prediction"];
    assert_eq!(prediction["measured"], points[3]["mae"]);
    assert!(prediction["missed_percent"].as_f64().unwrap().abs() < 5.0, "{found}");
    assert_eq!(found["phases"].as_array().unwrap().len(), 5);
    assert!(found["twice"].as_f64().unwrap() <= points[3]["mae"].as_f64().unwrap() * 1.01);
    let picture = fs::read_to_string(folder.path().join("c.svg")).unwrap();
    assert_eq!(picture.matches("<circle").count(), 8);
    // Finished fits are not repeated, and the report is the same; a smaller share is a part of the
    // larger one's games.
    let again = curve();
    assert_eq!((&again["points"], &again["phases"]), (&found["points"], &found["phases"]));
    let loss = |share: &str| {
        let weights = format!("curve/share-{share}-0.weights");
        let part = ["loss", &weights, "train.games", "--part", "training", "--json"];
        json(&trainer(folder.path(), &part))["positions"].as_u64().unwrap()
    };
    assert!(loss("0.3") * 3 < loss("1") && loss("0.3") * 4 > loss("1"));
    let few =
        ["curve", "one.toml", "--shares", "1,0.5,0.5", "--test", "test.games", "--out", "few"];
    let refused = trainer(folder.path(), &few);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("--shares: 2 different ones; expected 4"),
        "{}",
        said(&refused)
    );
}

#[test]
fn tuning_leaves_what_is_worse_and_finds_what_is_better() {
    let folder = folder();
    recipe(folder.path(), "one.toml", 1, "10.0");
    // Two values that give the same weights are not proven different.
    let values = "[settings]\nridge = [1e12, 20.0, 20.0001, 1e11]\n";
    fs::write(folder.path().join("values.toml"), values).unwrap();
    let tune = ["tune", "one.toml", "values.toml", "--phases", "48..52", "--test", "test.games"];
    let tuned = |more: &[&str]| trainer(folder.path(), &[&tune[..], more, &["--json"]].concat());
    let found = json(&tuned(&["--out", "tuned"]));
    assert_eq!(found["rounds"], 2);
    let ridge = found["best"]["settings.ridge"].as_f64().unwrap();
    assert!([20.0, 20.0001].contains(&ridge), "{found}");
    let trials = found["trials"].as_array().unwrap();
    let of_round = |round: u64| trials.iter().filter(move |trial| trial["round"] == round);
    let goes_on = |trial: &&Value| ["best", "equal"].contains(&trial["outcome"].as_str().unwrap());
    let last = of_round(2).count();
    assert_eq!((of_round(1).count(), of_round(1).filter(goes_on).count()), (4, last), "{found}");
    assert!(of_round(1).all(|trial| trial["share"] == 0.5));
    for trial in of_round(1).filter(|trial| trial["values"]["settings.ridge"].as_f64() > Some(1e9))
    {
        assert_eq!(trial["outcome"], "worse", "{trial}");
        assert!(trial["difference"].as_f64() > trial["difference_error"].as_f64(), "{trial}");
    }
    // The record has the content of the report, line by line.
    let record = || fs::read_to_string(folder.path().join("tuned/trials.jsonl")).unwrap();
    let text = record();
    let lines: Vec<Value> =
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(&lines, trials);
    // Nothing is fitted again, and further values join the existing ones.
    let again = json(&tuned(&["--out", "tuned"]));
    assert_eq!((&again["trials"], record()), (&found["trials"], text));
    let fits = |found: &Value| found["resumed"]["fit (phases)"].as_u64();
    assert_eq!(fits(&again), Some((4 + last as u64) * 3 * 5));
    let more = "[settings]\nridge = [20.0, 20.0001, 30.0, 40.0]\n";
    fs::write(folder.path().join("values.toml"), more).unwrap();
    assert!(fits(&json(&tuned(&["--out", "tuned"]))) >= Some(2 * 3 * 5));
    // Another recipe's record is not overwritten.
    recipe(folder.path(), "one.toml", 2, "10.0");
    let refused = tuned(&["--out", "tuned"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("trials.jsonl"), "{}", said(&refused));
}

#[test]
fn test_games_that_training_has_are_refused() {
    let folder = folder();
    let at = folder.path();
    // The content of the file counts, not its name.
    fs::copy(at.join("train.games"), at.join("same.games")).unwrap();
    recipe(at, "one.toml", 1, "10.0");
    fs::write(at.join("values.toml"), "[settings]\nridge = [1, 2]\n").unwrap();
    let refused = |arguments: &str| {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = trainer(at, &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains("same.games: is no test: "), "{}", said(&output));
        said(&output)
    };
    for command in [
        "compare one.toml one.toml",
        "curve one.toml",
        "tune one.toml values.toml",
        "fit train.games --patterns small",
        "dataset train.games",
    ] {
        let message =
            refused(&format!("{command} --test test.games --test same.games --out refused"));
        assert!(message.contains("train.games has the same content and is fitted to"), "{message}");
    }
    let fit = "fit train.games --patterns small --phases 50 --epochs 1 --out first.weights";
    assert!(trainer(at, &fit.split_whitespace().collect::<Vec<_>>()).status.success());
    fs::write(at.join("init.toml"), "data = ['test.games']\ninit = 'first.weights'\n").unwrap();
    for command in ["curve init.toml", "fit test.games --init first.weights"] {
        let message = refused(&format!("{command} --test same.games --out refused"));
        assert!(message.contains("the weights to start from were fitted to it"), "{message}");
    }
    assert!(!at.join("refused").exists());
}

#[test]
fn tuning_ends_where_one_is_left_and_says_where_the_best_lies_at_an_end() {
    let folder = folder();
    recipe(folder.path(), "one.toml", 1, "10.0");
    fs::write(folder.path().join("values.toml"), "[settings]\nridge = [20.0, 1e12]\n").unwrap();
    let tune = ["tune", "one.toml", "values.toml", "--phases", "48..52", "--test", "test.games"];
    let rounds = ["--rounds", "3", "--out", "tuned"];
    let tuned = |more: &[&str]| trainer(folder.path(), &[&tune[..], &rounds, more].concat());
    let found = json(&tuned(&["--json"]));
    assert_eq!(found["rounds"], 1, "{found}");
    assert_eq!(found["trials"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!(found["at_an_end"][0]["end"], "smallest", "{found}");
    let output = tuned(&[]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("settings.ridge = 20 is the smallest that was tried"), "{told}");
    assert!(said(&output).contains("2 of 3 rounds are left out"), "{}", said(&output));
}

#[test]
fn a_trial_that_diverges_is_out() {
    let folder = folder();
    let text = "data = ['train.games']\npatterns = 'small'\noptimizer = 'adam'\n";
    fs::write(folder.path().join("one.toml"), text).unwrap();
    let values = "[settings.adam]\nepochs = [3]\nlearning_rate = [0.2, 1e7]\n";
    fs::write(folder.path().join("values.toml"), values).unwrap();
    let tune = ["tune", "one.toml", "values.toml", "--phases", "50", "--test", "test.games"];
    let found = json(&trainer(folder.path(), &[&tune[..], &["--out", "tuned", "--json"]].concat()));
    let outcomes: Vec<&Value> =
        found["trials"].as_array().unwrap().iter().map(|trial| &trial["outcome"]).collect();
    assert_eq!(outcomes, ["best", "diverged"], "{found}");
    assert_eq!(found["best"]["settings.adam.learning_rate"], 0.2);
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
        // The reported errors are those of weights before rounding to steps of 1/32 disc.
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
fn the_worst_positions_say_where_they_are_from_and_what_adds_up_to_their_values() {
    let folder = folder();
    let loss = ["loss", "embedded", "train.games", "test.games", "--worst", "6", "--json"];
    let found = json(&trainer(folder.path(), &loss));
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    for row in found["worst"].as_array().unwrap() {
        let parts = row["parts"].as_array().unwrap();
        let sum: f64 = parts.iter().map(|part| number(part, "discs")).sum();
        assert!((sum.clamp(-64.0, 64.0) - number(row, "value")).abs() < 1e-9, "{row}");
        assert_eq!((&row["label_kind"], &row["ply"]), (&"result".into(), &row["phase"]));
        // The named game has the position at the named ply.
        let first = if row["file"] == "train.games" { 0 } else { 1000 };
        let seed = first + row["game"].as_u64().unwrap() - 1;
        let replay = Game::new(6, &random_moves(seed)).unwrap().replay();
        let step = replay.steps[row["ply"].as_u64().unwrap() as usize];
        let board = othello_engine::board::notation::board_text(
            &step.position,
            othello_engine::board::Side::Black,
        );
        assert_eq!(row["board"], board);
    }
    let by_hand = json(&trainer(
        folder.path(),
        &["loss", "mobility", "test.games", "--worst", "1", "--json"],
    ));
    assert_eq!(by_hand["worst"][0]["parts"], Value::Array(vec![]));
    // The groups together have all positions, and the bias of all of them.
    for groups in ["by_value", "by_region", "phases"] {
        let groups = found[groups].as_array().unwrap();
        let with = groups.iter().filter(|group| group["positions"] != 0);
        let (mut positions, mut bias) = (0.0, 0.0);
        for group in with {
            positions += number(group, "positions");
            bias += number(group, "positions") * number(group, "bias");
        }
        assert_eq!(positions, number(&found, "positions"));
        assert!((bias / positions - number(&found, "bias")).abs() < 1e-9, "{groups:?}");
    }
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
