//! Published endgame problems are solved: their scores, and a best move of each.

use std::path::Path;

use assert_cmd::Command;
use othello_engine::board::obf::Problem;
use serde_json::Value;

fn solve_all(name: &str, count: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/problems").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let problems: Vec<Problem> = text.lines().map(|line| line.parse().unwrap()).collect();
    let mut command = Command::cargo_bin("othello-engine").unwrap();
    let output = command.arg("solve").arg(&path).args(["--hash-mb", "64", "--json"]).output();
    let report: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(report["wrong"], 0);
    let solved = report["positions"].as_array().unwrap();
    assert_eq!((problems.len(), solved.len()), (count, count));
    for (problem, solved) in problems.iter().zip(solved) {
        let score = problem.moves.iter().filter_map(|&(_, score)| score).max();
        assert_eq!(solved["score"].as_i64(), score.map(i64::from), "{solved}");
        let best = problem.moves.iter().filter(|&&(_, of_move)| of_move == score);
        let best: Vec<String> = best.map(|(square, _)| square.to_string()).collect();
        assert!(best.iter().any(|square| solved["best"] == **square), "{solved}: not {best:?}");
    }
}

#[test]
fn fforum_1_to_19_are_solved() {
    solve_all("fforum-1-19.obf", 19);
}

#[test]
fn fforum_40_to_42_are_solved() {
    solve_all("fforum-40-42.obf", 3);
}
