//! Tests of `othello-engine hint`, which shows the value of every move. `hint`, `evaluate` and
//! `solve` read positions from arguments, files and standard input.

use assert_cmd::Command;
use serde_json::Value;

const PROBLEMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../datasets/problems/fforum-1-19.obf");
/// A position in which white must pass.
const WHITE_PASSES: &str = "XO--------------------------------------------------XX---------X O";

fn run(arguments: &[&str], input: &str) -> std::process::Output {
    let mut command = Command::cargo_bin("othello-engine").expect("the binary is built");
    command.args(arguments).write_stdin(input).output().expect("it runs")
}

fn json(arguments: &[&str], input: &str) -> Value {
    let output = run(&[arguments, &["--json"]].concat(), input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn all_moves_of_published_problems_have_the_published_scores() {
    let problems = std::fs::read_to_string(PROBLEMS).expect("a file of the repository");
    let two: String = problems.lines().take(2).map(|line| format!("{line}\n")).collect();
    let hints = json(&["hint", "-", "--level", "10"], &two);
    let mut moves = hints["moves"].as_array().expect("an array").iter();
    for (line, number) in two.lines().zip(1..) {
        for stated in line.split(';').skip(1).map(str::trim).filter(|stated| !stated.is_empty()) {
            let hint = moves.next().expect("a move");
            let (_, score) = stated.split_once(':').expect("a score");
            assert_eq!(hint["position"], number);
            assert_eq!(hint["exact"], true);
            assert_eq!(hint["value"].as_f64(), score.parse().ok(), "{stated}: {hint}");
        }
    }
    assert!(moves.next().is_none());
}

#[test]
fn one_position_gives_the_same_in_whatever_notation_and_from_wherever() {
    let board = "---------------------------OX------OXX-----O-------------------- X";
    let mut said = vec![];
    for (argument, input) in [("f5d6", ""), (board, ""), ("-", board), ("-", "F5 D6\n")] {
        let mut hints = json(&["hint", argument, "--level", "4"], input);
        hints["seconds"] = 0.into();
        assert_eq!(
            json(&["evaluate", argument], input)["values"].as_array().map(Vec::len),
            Some(1)
        );
        said.push(hints);
    }
    assert!(said.iter().all(|hints| *hints == said[0]), "{said:?}");
    let first = &said[0]["moves"][0];
    assert_eq!((&first["depth"], &first["exact"]), (&4.into(), &false.into()));
    assert_eq!(first["line"].as_str().map(str::len), Some(8));
    assert_eq!(json(&["hint", "--level", "1"], "")["moves"].as_array().map(Vec::len), Some(4));
}

#[test]
fn positions_without_a_move_are_said_and_bad_lines_of_standard_input_are_refused() {
    let output = run(&["hint", WHITE_PASSES], "");
    assert!(String::from_utf8_lossy(&output.stdout).contains("no legal move"));
    let output = run(&["hint", "-"], "f5d6\nf5d6a1");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("standard input: line 2: move 3: a1"), "{stderr}");
}

#[test]
fn evaluate_and_solve_read_boards_of_every_notation() {
    let problems = std::fs::read_to_string(PROBLEMS).expect("a file of the repository");
    let line = problems.lines().next().expect("a line");
    let solved = json(&["solve", line], "");
    assert_eq!((&solved["wrong"], &solved["positions"][0]["score"]), (&0.into(), &18.into()));
    let board = line.split(';').next().expect("a board");
    assert_eq!(json(&["solve", "-"], &format!("{board} 18\n"))["positions"][0]["score"], 18);
    let values = json(&["evaluate", "-"], &format!("{line}\n{board}\nf5d6c3\n"));
    assert_eq!(values["scored"], 1);
    assert_eq!(values["values"][0], values["values"][1]);
}

#[test]
fn a_level_is_a_selective_depth_with_an_exact_end_and_a_limit_of_nodes_ends_sooner() {
    let problems = std::fs::read_to_string(PROBLEMS).expect("a file of the repository");
    let (solved, middle) = (problems.lines().next().expect("a line"), "f5d6c3d3c4f4\n");
    let both = format!("{solved}\n{middle}");
    let values = |arguments: &[&str]| {
        json(&[&["evaluate", "-"], arguments].concat(), &both)["values"].clone()
    };
    let by_level = values(&["--level", "7"]);
    let by_depth = values(&["--depth", "7", "--selectivity", "73"]);
    assert_eq!((&by_level[0], &by_level[1]), (&18.0.into(), &by_depth[1]));
    assert_ne!(by_level[1], values(&["--level", "8"])[1]);

    let hint = |nodes: &[&str]| {
        json(&[&["hint", "-", "--level", "7"], nodes].concat(), middle)["moves"].clone()
    };
    let (whole, ended) = (hint(&[]), hint(&["--nodes", "500"]));
    assert_eq!(ended, hint(&["--nodes", "500", "--threads", "1"]));
    let depths = |moves: &Value| -> Vec<u64> {
        let moves = moves.as_array().expect("an array").iter();
        moves.filter_map(|hint| hint["depth"].as_u64()).collect()
    };
    assert!(depths(&whole).iter().all(|&depth| depth == 7));
    assert!(depths(&ended).iter().any(|&depth| 0 < depth && depth < 7), "{ended}");
}

#[test]
fn ablate_leaves_features_out_of_searches_to_a_depth() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.obf");
    std::fs::write(&path, "--OX-O----XXOO--OOOOOXX-OOOOOX--OOOXOXX-OOOOXX-----OOX----X-O--- X;\n")
        .expect("a file");
    let path = path.to_str().expect("UTF-8");
    let rows = json(&["ablate", path, "--depth", "5", "--hash-mb", "1"], "")["rows"].clone();
    let rows = rows.as_array().expect("an array");
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| row["different_scores"] == 0));
    assert!(rows[1..].iter().any(|row| row["nodes"] != rows[0]["nodes"]));
}
