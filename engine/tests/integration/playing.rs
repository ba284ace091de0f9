//! Tests of `solve` and `selfplay` as a person runs them.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// The first problem of fforum, and its second with a score that is 2 too high.
const PROBLEMS: &str = "\
--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; H7:+6;
-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; A4:+12; B2:+0; A3:-6;
";

fn run(arguments: &[&str]) -> (i32, Value) {
    let mut command = Command::cargo_bin("othello-engine").unwrap();
    let output = command.args(arguments).arg("--json").output().unwrap();
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), json)
}

fn solve(path: &Path, text: &str) -> (i32, Value) {
    std::fs::write(path, text).unwrap();
    run(&["solve", path.to_str().unwrap(), "--weights", "mobility"])
}

#[test]
fn a_wrong_score_is_found_without_changing_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("problems");
    let (status, checked) = solve(&path, PROBLEMS);
    assert_eq!((status, &checked["wrong"]), (1, &1.into()));
    assert_eq!(checked["positions"][0]["best"], "g8");
    assert_eq!(checked["positions"][1]["score"], 10);

    let boards: Vec<&str> = PROBLEMS.lines().map(|line| &line[..66]).collect();
    let (status, unchecked) = solve(&path, &boards.join("\n"));
    assert_eq!((status, &unchecked["wrong"]), (0, &0.into()));
    assert_eq!(unchecked["nodes"], checked["nodes"]);
    let (status, _) = solve(&path, "no board\n");
    assert_eq!(status, 2);
}

#[test]
fn the_same_games_are_played_by_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let play = |name: &str, threads: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let settings = ["--games", "30", "--seed", "3", "--depth", "2", "--exact", "6"];
        let there = ["--weights", "mobility", "--threads", threads, "--out", out.to_str().unwrap()];
        run(&[&["selfplay"], &settings[..], &there[..], more].concat())
    };
    let (status, one) = play("1.games", "1", &[]);
    let (_, two) = play("2.games", "2", &[]);
    assert_eq!((status, &one["games"]), (0, &30.into()));
    assert_eq!(one["sha256"], two["sha256"]);
    assert!(one["bytes"].as_u64().unwrap() < 50 * 30, "{one}");
    let (status, _) = play("1.games", "1", &["--random-plies", "9"]);
    assert_eq!(status, 2);
    let (status, other) = play("1.games", "1", &["--random-plies", "9", "--force"]);
    assert_eq!(status, 0);
    assert_ne!(other["sha256"], one["sha256"]);
}

/// A regression: the allocation panicked.
#[cfg(target_os = "linux")]
#[test]
fn a_table_that_no_memory_is_left_for_is_refused_with_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("problems");
    std::fs::write(&path, PROBLEMS).unwrap();
    for command in ["solve", "ablate", "evaluate"] {
        let limited = "ulimit -v 16000000; exec \"$0\" \"$@\"";
        let depth: &[&str] = if command == "evaluate" { &["--depth", "1"] } else { &[] };
        let arguments = [&[command, path.to_str().unwrap(), "--hash-mb", "100000"], depth].concat();
        let binary = assert_cmd::cargo::cargo_bin!("othello-engine");
        let output = std::process::Command::new("sh")
            .args(["-c", limited, binary.to_str().unwrap()])
            .args(arguments)
            .output()
            .unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("error: --hash-mb"), "{message}");
        let size = "there is no memory for a transposition table of 100000 MB";
        assert!(message.contains(size), "{message}");
    }
}

/// A regression: worker threads had only the stack that the environment set, and overflowed it. 16
/// kB is less than any build needs.
#[test]
fn a_search_does_not_depend_on_the_stack_that_the_environment_gives_threads() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.games");
    let mut command = Command::cargo_bin("othello-engine").unwrap();
    command.env("RUST_MIN_STACK", "16384");
    let settings = ["--games", "4", "--seed", "3", "--depth", "8", "--exact", "14"];
    command.args(["selfplay", "--out", out.to_str().unwrap()]).args(settings).assert().success();
}
