//! Tests of `hint` with standard input; `tests/cmd/values.trycmd` has arguments and files.

use assert_cmd::Command;
use serde_json::Value;

/// A position whose exact score is published: 18.
const SOLVED: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

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
fn positions_come_from_standard_input_as_from_arguments() {
    let hints = |argument: &str, input: &str| {
        let mut hints = json(&["hint", argument, "--level", "4"], input);
        hints["seconds"] = 0.into();
        hints
    };
    let board = "---------------------------OX------OXX-----O-------------------- X";
    let expected = hints("f5d6", "");
    assert_eq!(hints("-", board), expected);
    assert_eq!(hints("-", "F5 D6\n"), expected);
    assert_eq!(json(&["solve", "-"], &format!("{SOLVED} 18\n"))["positions"][0]["score"], 18);
    let output = run(&["hint", "-"], "f5d6\nf5d6a1");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("standard input: line 2: move 3: a1"), "{stderr}");
}

#[test]
fn a_level_is_a_selective_depth_with_an_exact_end_and_a_limit_of_nodes_ends_sooner() {
    let middle = "f5d6c3d3c4f4\n";
    let both = format!("{SOLVED}\n{middle}");
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
