//! Tests of `othello-engine evaluate`: values in discs, in the order of the lines.

use othello_testing::folder::Folder;
use serde_json::Value;

use crate::folder;

const START: &str = "---------------------------OX------XO---------------------------";
/// A finished game with black to move: 3 black discs and 1 white one, so 62 for the winner.
const FINISHED: &str = "XXX-----------------------------------------------------------O-";
/// A position in which white must pass; black takes c1 and more.
const WHITE_PASSES: &str = "XO--------------------------------------------------XX---------X";

/// Creates a folder with the boards of a file.
fn boards(file: &str) -> Folder {
    let folder = folder();
    folder.write("boards.txt", file);
    folder
}

fn json(file: &str, arguments: &str) -> Value {
    boards(file).json(&format!("evaluate boards.txt {arguments}"))
}

fn values(file: &str, arguments: &str) -> Vec<f64> {
    let values = json(file, arguments)["values"].clone();
    serde_json::from_value(values).expect("an array of numbers")
}

#[test]
fn finished_games_are_scored_and_passes_negate() {
    let file = format!("{FINISHED} X\n\n{FINISHED} O\n{START}\n");
    assert_eq!(values(&file, "--weights none"), [62.0, -62.0, 0.0]);
    for depth in [0, 3] {
        let both = format!("{WHITE_PASSES} X\n{WHITE_PASSES} O\n");
        let both = values(&both, &format!("--weights mobility --depth {depth}"));
        assert_eq!(both[0], -both[1]);
        assert_ne!(both[0], 0.0);
    }
}

#[test]
fn errors_are_those_of_the_lines_with_a_score() {
    let file = format!("{START} X 2\n{START} X -4.5\n{FINISHED} O -64\n{START} X\n");
    let report = json(&file, "--weights none");
    assert_eq!(report["values"], serde_json::json!([0.0, 0.0, -62.0, 0.0]));
    assert_eq!(report["mae"].as_f64(), Some((2.0 + 4.5 + 2.0) / 3.0));
    assert_eq!(report["mse"].as_f64(), Some((4.0 + 20.25 + 4.0) / 3.0));
    let unscored = json(START, "--weights none");
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
    let all_best = json(&line([0; 4]), "--weights mobility --depth 3");
    assert_eq!((&all_best["best_stated"], &all_best["best_found"]), (&1.into(), &1.into()));
    assert_eq!(
        (all_best["bias"].as_f64(), all_best["discs_lost"].as_f64().unwrap()),
        (all_best["values"][0].as_f64(), 0.0)
    );
    // The choice is one of the four: of four lines with another best move each, one names it.
    let lines = [[6, 0, 0, 0], [0, 6, 0, 0], [0, 0, 6, 0], [0, 0, 0, 6]].map(line).concat();
    let one_best = json(&lines, "--weights mobility --depth 3");
    assert_eq!((&one_best["best_stated"], &one_best["best_found"]), (&4.into(), &1.into()));
    assert_eq!(one_best["discs_lost"].as_f64(), Some(18.0 / 4.0));
    // A static value chooses no move.
    assert!(json(&lines, "--weights mobility").get("best_stated").is_none());
}

#[test]
fn values_do_not_depend_on_the_threads() {
    let file: String = (0..3000).map(|n| format!("{START} {}\n", ["X", "O"][n % 2])).collect();
    let one = values(&file, "--weights mobility --depth 3 --threads 1");
    let three = values(&file, "--weights mobility --depth 3 --threads 3");
    assert_eq!(one.len(), 3000);
    assert_eq!(one, three);
}
