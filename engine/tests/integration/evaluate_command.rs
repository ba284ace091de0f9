//! Tests of `othello-engine evaluate`: values in discs, in the order of the lines.

use assert_cmd::Command;
use serde_json::Value;

const START: &str = "---------------------------OX------XO---------------------------";
/// A finished game with black to move: 3 black discs and 1 white one, so 62 for the winner.
const FINISHED: &str = "XXX-----------------------------------------------------------O-";
/// A position in which white must pass; black takes c1 and more.
const WHITE_PASSES: &str = "XO--------------------------------------------------XX---------X";

fn run(file: &str, arguments: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("boards.txt");
    std::fs::write(&path, file).expect("the folder is writable");
    let mut command = Command::cargo_bin("othello-engine").expect("the binary is built");
    command.current_dir(folder.path()).args(["evaluate", "boards.txt", "--json"]).args(arguments);
    command.output().expect("it runs")
}

fn json(file: &str, arguments: &[&str]) -> Value {
    let output = run(file, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn values(file: &str, arguments: &[&str]) -> Vec<f64> {
    let values = json(file, arguments)["values"].clone();
    serde_json::from_value(values).expect("an array of numbers")
}

#[test]
fn finished_games_are_scored_and_passes_negate() {
    let file = format!("{FINISHED} X\n\n{FINISHED} O\n{START}\n");
    assert_eq!(values(&file, &["--weights", "none"]), [62.0, -62.0, 0.0]);
    for depth in ["0", "3"] {
        let both = format!("{WHITE_PASSES} X\n{WHITE_PASSES} O\n");
        let both = values(&both, &["--weights", "mobility", "--depth", depth]);
        assert_eq!(both[0], -both[1]);
        assert_ne!(both[0], 0.0);
    }
}

#[test]
fn errors_are_those_of_the_lines_with_a_score() {
    let file = format!("{START} X 2\n{START} X -4.5\n{FINISHED} O -64\n{START} X\n");
    let report = json(&file, &["--weights", "none"]);
    assert_eq!(report["values"], serde_json::json!([0.0, 0.0, -62.0, 0.0]));
    assert_eq!(report["mae"].as_f64(), Some((2.0 + 4.5 + 2.0) / 3.0));
    assert_eq!(report["mse"].as_f64(), Some((4.0 + 20.25 + 4.0) / 3.0));
    let unscored = json(START, &["--weights", "none"]);
    assert!(unscored.get("mae").is_none() && unscored.get("mse").is_none());
}

/// Of the first position of the game, d3 and its images are all moves; the discs that a choice
/// loses are those that the line states.
#[test]
fn best_moves_are_those_that_the_line_states() {
    let line = |scores: [i32; 4]| {
        let moves = ["c4", "d3", "e6", "f5"].into_iter().zip(scores);
        let moves: Vec<String> =
            moves.map(|(square, score)| format!("{square}:{score:+}")).collect();
        format!("{START} X; {};\n", moves.join("; "))
    };
    let all_best = json(&line([0; 4]), &["--weights", "mobility", "--depth", "3"]);
    assert_eq!((&all_best["best_stated"], &all_best["best_found"]), (&1.into(), &1.into()));
    assert_eq!(
        (all_best["bias"].as_f64(), all_best["discs_lost"].as_f64().unwrap()),
        (all_best["values"][0].as_f64(), 0.0)
    );
    // The choice is one of the four: of four lines with another best move each, one names it.
    let lines = [[6, 0, 0, 0], [0, 6, 0, 0], [0, 0, 6, 0], [0, 0, 0, 6]].map(line).concat();
    let one_best = json(&lines, &["--weights", "mobility", "--depth", "3"]);
    assert_eq!((&one_best["best_stated"], &one_best["best_found"]), (&4.into(), &1.into()));
    assert_eq!(one_best["discs_lost"].as_f64(), Some(18.0 / 4.0));
    // A static value chooses no move.
    assert!(json(&lines, &["--weights", "mobility"]).get("best_stated").is_none());
}

#[test]
fn values_do_not_depend_on_the_threads() {
    let file: String = (0..3000).map(|n| format!("{START} {}\n", ["X", "O"][n % 2])).collect();
    let arguments = ["--weights", "mobility", "--depth", "3"];
    let one = values(&file, &[&arguments[..], &["--threads", "1"]].concat());
    let three = values(&file, &[&arguments[..], &["--threads", "3"]].concat());
    assert_eq!(one.len(), 3000);
    assert_eq!(one, three);
}

#[test]
fn a_bad_line_is_refused_by_file_and_line() {
    let fewer_discs = "-".repeat(61) + "XXX";
    for bad in ["XO", &START.replace('O', "Q"), &fewer_discs, &format!("{START} X 65")] {
        let output = run(&format!("{START}\n{START}\n{bad}\n"), &["--weights", "none"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("boards.txt: line 3: "), "{stderr}");
        assert!(output.stdout.is_empty());
    }
}

/// Weights without a model of moves or of shallow searches are refused with the remedy.
#[test]
fn what_the_weights_have_not_learned_is_refused_with_the_remedy() {
    for (arguments, said) in [
        ("--depth 2 --search realization", "`othello-trainer calibrate realization`"),
        ("--level 2 --end-selectivity 95", "`othello-trainer calibrate probcut`"),
        (
            "--depth 2 --search realization --selectivity 95",
            "--selectivity is for searches by depth",
        ),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = run(START, &[&["--weights", "mobility"], &arguments[..]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
}
