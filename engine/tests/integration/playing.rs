//! Tests of `solve` and `selfplay` as a person runs them.

use othello_testing::folder::Folder;
use othello_testing::program::message;
use serde_json::Value;

use crate::folder;

/// The first problem of fforum, and its second with a score that is 2 too high.
const PROBLEMS: &str = "\
--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; H7:+6;
-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; A4:+12; B2:+0; A3:-6;
";

fn run(folder: &Folder, arguments: &str) -> (Option<i32>, Value) {
    let output = folder.run(&format!("{arguments} --json"));
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
}

#[test]
fn a_wrong_score_is_found_without_changing_the_search() {
    let folder = folder();
    let solve = |text: &str| {
        folder.write("problems", text);
        run(&folder, "solve problems --weights mobility")
    };
    let (status, checked) = solve(PROBLEMS);
    assert_eq!((status, &checked["wrong"]), (Some(1), &1.into()));
    assert_eq!(checked["positions"][0]["best"], "g8");
    assert_eq!(checked["positions"][1]["score"], 10);
    let boards: Vec<&str> = PROBLEMS.lines().map(|line| &line[..66]).collect();
    let (status, unchecked) = solve(&boards.join("\n"));
    assert_eq!((status, &unchecked["wrong"]), (Some(0), &0.into()));
    assert_eq!(unchecked["nodes"], checked["nodes"]);
    assert_eq!(solve("no board\n").0, Some(2));
}

#[test]
fn the_same_games_are_played_by_any_number_of_threads() {
    let folder = folder();
    let play = |threads: u32, more: &str| {
        let settings = "--games 30 --seed 3 --depth 2 --exact 6 --weights mobility";
        let out = format!("--threads {threads} --out {threads}.games");
        run(&folder, &format!("selfplay {settings} {out} {more}"))
    };
    let (status, one) = play(1, "");
    let (_, two) = play(2, "");
    assert_eq!((status, &one["games"]), (Some(0), &30.into()));
    assert_eq!(one["sha256"], two["sha256"]);
    assert!(one["bytes"].as_u64().unwrap() < 50 * 30, "{one}");
    assert_eq!(play(1, "--random-plies 9").0, Some(2));
    let (status, other) = play(1, "--random-plies 9 --force");
    assert_eq!(status, Some(0));
    assert_ne!(other["sha256"], one["sha256"]);
}

/// A regression: the allocation panicked.
#[cfg(target_os = "linux")]
#[test]
fn a_table_that_no_memory_is_left_for_is_refused_with_its_size() {
    let folder = folder();
    folder.write("problems", PROBLEMS);
    for command in ["solve", "ablate", "evaluate --depth 1"] {
        let arguments = format!("{command} problems --hash-mb 100000");
        let output = folder.limited("-v 16000000", &arguments).output().unwrap();
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("error: --hash-mb"), "{message}");
        let size = "there is no memory for a transposition table of 100000 MB";
        assert!(message.contains(size), "{message}");
    }
}
