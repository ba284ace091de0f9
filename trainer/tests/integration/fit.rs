//! Fits on the command line, with games of random moves.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use othello_engine::board::Phase;
use othello_engine::board::notation::BoardLine;
use othello_engine::eval::Weights;
use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::pattern::PatternSet;
use othello_engine::record::{Game, GameWriter};
use othello_testing::random_games::random_moves;
use serde_json::Value;

const RANDOM_PLIES: u8 = 6;

fn random_game(seed: u64) -> Game {
    Game::new(RANDOM_PLIES, &random_moves(seed)).unwrap()
}

/// Writes a file of random games.
fn games(folder: &Path, count: u64) -> PathBuf {
    let path = folder.join("random.games");
    let provenance = Provenance::new("test");
    let Begin::Writer(mut writer) =
        GameWriter::begin(&path, &provenance, Existing::Replace).unwrap()
    else {
        panic!("nothing was there before");
    };
    (0..count).for_each(|seed| writer.push(random_game(seed)).unwrap());
    writer.finish().unwrap();
    path
}

fn trainer(arguments: &[&str]) -> Output {
    let binary = assert_cmd::cargo::cargo_bin!("othello-trainer");
    Command::new(binary).args(arguments).output().unwrap()
}

/// Runs a fit of the small set and returns its JSON object.
fn fit(data: &Path, out: &Path, more: &[&str]) -> Value {
    let (data, out) = (data.to_str().unwrap(), out.to_str().unwrap());
    let mut arguments = vec!["fit", data, "--out", out, "--json", "--patterns", "small"];
    arguments.extend(more);
    let output = trainer(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn one_and_two_threads_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 600);
    let one = folder.path().join("one.weights");
    let two = folder.path().join("two.weights");
    let first = fit(&data, &one, &["--threads", "1", "--window", "1,0.5"]);
    let second = fit(&data, &two, &["--threads", "2", "--window", "1,0.5"]);
    assert_eq!(first["sha256"], second["sha256"]);
    assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&two).unwrap());
    let other = folder.path().join("other.weights");
    assert_ne!(fit(&data, &other, &["--window", "1"])["sha256"], first["sha256"]);
}

#[test]
fn a_limit_on_memory_changes_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 2500);
    let sha256 = |name: &str, more: &[&str]| {
        let report = fit(&data, &folder.path().join(name), more);
        report["sha256"].as_str().unwrap().to_owned()
    };
    let limited = sha256("limited.weights", &["--memory-mb", "2"]);
    assert_eq!(limited, sha256("unlimited.weights", &[]));
}

#[test]
fn a_phase_without_positions_takes_the_nearest_and_reports_null() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 200);
    let out = folder.path().join("a.weights");
    let report = fit(&data, &out, &["--window", "0"]);
    let phases = report["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 60);
    for row in &phases[..usize::from(RANDOM_PLIES)] {
        assert_eq!(row["copied_from"], RANDOM_PLIES);
        assert!(row["train_mse"].is_null() && row["validation_mae"].is_null());
    }
    assert!(phases[20]["train_mse"].is_number());
    let weights = Weights::read(&out).unwrap().weights;
    let steps = |index| weights.steps(Phase::new(index).unwrap());
    assert_eq!(steps(0), steps(RANDOM_PLIES.into()));
    assert_ne!(steps(20), steps(21));
}

#[test]
fn a_fit_that_is_done_is_not_done_again_and_another_one_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 60);
    let out = folder.path().join("a.weights");
    let first = fit(&data, &out, &[]);
    let written = std::fs::metadata(&out).unwrap().modified().unwrap();
    let again = fit(&data, &out, &[]);
    assert_eq!((&again["sha256"], &again["phases"]), (&first["sha256"], &first["phases"]));
    assert_eq!(std::fs::metadata(&out).unwrap().modified().unwrap(), written);
    let (data, out) = (data.to_str().unwrap(), out.to_str().unwrap());
    let other = trainer(&["fit", data, "--out", out, "--ridge", "3", "--patterns", "small"]);
    assert_eq!(other.status.code(), Some(2));
    let message = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(message.contains("a.weights") && message.contains("--force"), "{message}");
    let forced = ["fit", data, "--out", out, "--ridge", "3", "--patterns", "small", "--force"];
    assert!(trainer(&forced).status.success());
    assert!(!Path::new(&format!("{out}.checkpoint.partial")).exists());
}

#[test]
fn errors_above_the_limit_are_found_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 60);
    let out = folder.path().join("a.weights");
    let paths = (data.to_str().unwrap(), out.to_str().unwrap());
    let limited = ["fit", paths.0, "--out", paths.1, "--patterns", "small", "--max-mae", "0.001"];
    assert_eq!(trainer(&limited).status.code(), Some(1));
    let loss = |limit: &str| trainer(&["loss", paths.1, paths.0, "--max-mae", limit, "--json"]);
    assert_eq!(loss("0.001").status.code(), Some(1));
    assert_eq!(loss("64").status.code(), Some(0));
}

#[test]
fn weights_to_start_from_are_kept_where_nothing_is_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 60);
    let (first, second) = (folder.path().join("a.weights"), folder.path().join("b.weights"));
    fit(&data, &first, &[]);
    let out = (second.to_str().unwrap(), first.to_str().unwrap());
    let data = data.to_str().unwrap();
    let init = ["fit", data, "--out", out.0, "--init", out.1, "--phases", "30..32", "--seed", "9"];
    assert!(trainer(&init).status.success());
    let diff = trainer(&["diff", out.1, out.0, "--json"]);
    assert_eq!(diff.status.code(), Some(1));
    let diff: Value = serde_json::from_slice(&diff.stdout).unwrap();
    assert_eq!(diff["equal"], false);
    for row in diff["phases"].as_array().unwrap() {
        let fitted = (30..=32).contains(&row["phase"].as_u64().unwrap());
        assert_eq!(row["different"].as_u64().unwrap() > 0, fitted, "{row}");
    }
    assert_eq!(trainer(&["diff", out.1, out.1]).status.code(), Some(0));
}

#[test]
fn the_worst_positions_are_board_lines_with_their_labels() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 60);
    let data = data.to_str().unwrap();
    let worst = ["loss", "mobility", data, "--worst", "7"];
    let json = trainer(&[&worst[..], &["--json"]].concat());
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let rows = json["worst"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    let errors: Vec<f64> = rows.iter().map(|row| row["error"].as_f64().unwrap().abs()).collect();
    assert!(errors.is_sorted_by(|a, b| a >= b), "{errors:?}");
    let text = trainer(&worst);
    let text = String::from_utf8(text.stdout).unwrap();
    for row in rows {
        let line = row["line"].as_str().unwrap();
        assert!(text.lines().any(|printed| printed == line), "{line} in {text}");
        let board: BoardLine = line.parse().unwrap();
        assert_eq!(board.score, row["label"].as_f64());
        assert_eq!(Phase::of(&board.position).unwrap().index(), row["phase"]);
    }
}

#[test]
fn a_limit_that_nothing_can_exceed_is_refused() {
    for limit in ["nan", "inf", "-1", "x"] {
        let output = trainer(&["loss", "none", "a.games", &format!("--max-mae={limit}")]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2));
        assert!(message.contains("--max-mae"), "{message}");
    }
}

#[test]
fn adam_gives_the_same_bytes_with_one_and_two_threads() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 600);
    let adam = ["--optimizer", "adam", "--batch", "500", "--schedule", "step:2:0.5"];
    let with_threads = |threads: &str| {
        let out = folder.path().join(format!("{threads}.weights"));
        let report =
            fit(&data, &out, &[&adam[..], &["--threads", threads, "--phases", "20..23"]].concat());
        assert_eq!(report["optimizer"], "adam");
        assert!(report["phases"][0]["validation_mae"].is_number());
        (report["sha256"].clone(), std::fs::read(&out).unwrap())
    };
    assert_eq!(with_threads("1"), with_threads("2"));
}

#[test]
fn flags_of_another_optimizer_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 60);
    let out = folder.path().join("a.weights");
    let arguments = ["fit", data.to_str().unwrap(), "--out", out.to_str().unwrap()];
    for wrong in [["--batch", "100"], ["--learning-rate", "0"], ["--minutes", "0"]] {
        let output = trainer(&[&arguments[..], &wrong[..]].concat());
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(wrong[0]), "{message}");
    }
}

#[test]
fn weights_of_other_pattern_sets_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.weights");
    let small = PatternSet::shipped("small").unwrap();
    let written = Weights::zero(small).write(&path, &Provenance::new("test"), Existing::Keep);
    written.unwrap();
    let conformance =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/conformance/conformance.weights");
    let refused = trainer(&["diff", path.to_str().unwrap(), conformance]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    for part in ["small.weights", "`small`", "conformance.weights", "`conformance`"] {
        assert!(message.contains(part), "{message}");
    }
    let same = trainer(&["diff", conformance, conformance, "--json"]);
    let same: Value = serde_json::from_slice(&same.stdout).unwrap();
    assert_eq!((&same["equal"], &same["max_steps"]), (&true.into(), &0.into()));
    assert_eq!(same["phases"][59]["mean_discs"], 0.0);
}

#[test]
fn a_fit_without_time_says_how_to_go_on_and_then_does() {
    let folder = tempfile::tempdir().unwrap();
    let data = games(folder.path(), 60);
    let (out, whole) = (folder.path().join("a.weights"), folder.path().join("whole.weights"));
    let paths = (data.to_str().unwrap(), out.to_str().unwrap());
    let hurried = ["fit", paths.0, "--out", paths.1, "--patterns", "small", "--minutes", "1e-9"];
    let output = trainer(&hurried);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--minutes"));
    assert_eq!(fit(&data, &out, &[])["sha256"], fit(&data, &whole, &[])["sha256"]);
}
