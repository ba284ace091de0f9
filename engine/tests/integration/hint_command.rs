//! Tests of `hint` with standard input; `tests/cmd/values.trycmd` has arguments and files.

use assert_cmd::Command;
use othello_testing::program::message;
use serde_json::Value;

use crate::folder;

/// A position whose exact score is published: 18.
const SOLVED: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

fn json(arguments: &str, input: &str) -> Value {
    let answer = folder().answers(&format!("{arguments} --json"), input);
    serde_json::from_str(&answer).expect("one JSON object")
}

#[test]
fn positions_come_from_standard_input_as_from_arguments() {
    let hints = |argument: &str, input: &str| {
        let mut hints = json(&format!("hint {argument} --level 4"), input);
        hints["seconds"] = 0.into();
        hints
    };
    let board = "---------------------------OX------OXX-----O-------------------- X";
    let expected = hints("f5d6", "");
    assert_eq!(hints("-", board), expected);
    assert_eq!(hints("-", "F5 D6\n"), expected);
    assert_eq!(json("solve -", &format!("{SOLVED} 18\n"))["positions"][0]["score"], 18);
    let folder = folder();
    let mut hint = Command::from_std(folder.command("hint -"));
    let stderr = message(&hint.write_stdin("f5d6\nf5d6a1").output().expect("it runs"));
    assert!(stderr.contains("standard input: line 2: move 3: a1"), "{stderr}");
}

#[test]
fn a_level_is_a_selective_depth_with_an_exact_end_and_a_limit_of_nodes_ends_sooner() {
    let middle = "f5d6c3d3c4f4\n";
    let both = format!("{SOLVED}\n{middle}");
    let values = |flags: &str| json(&format!("evaluate - {flags}"), &both)["values"].clone();
    let by_level = values("--level 7");
    let by_depth = values("--depth 7 --selectivity 73");
    assert_eq!((&by_level[0], &by_level[1]), (&18.0.into(), &by_depth[1]));
    assert_ne!(by_level[1], values("--level 8")[1]);

    let hint = |flags: &str| json(&format!("hint - --level 7 {flags}"), middle)["moves"].clone();
    let (whole, ended) = (hint(""), hint("--nodes 500"));
    assert_eq!(ended, hint("--nodes 500 --threads 1"));
    let depths = |moves: &Value| -> Vec<u64> {
        let moves = moves.as_array().expect("an array").iter();
        moves.filter_map(|hint| hint["depth"].as_u64()).collect()
    };
    assert!(depths(&whole).iter().all(|&depth| depth == 7));
    assert!(depths(&ended).iter().any(|&depth| 0 < depth && depth < 7), "{ended}");
}

#[test]
fn ablate_leaves_features_out_of_searches_to_a_depth() {
    let folder = folder();
    folder.write("a.obf", "--OX-O----XXOO--OOOOOXX-OOOOOX--OOOXOXX-OOOOXX-----OOX----X-O--- X;\n");
    let rows = folder.json("ablate a.obf --depth 5 --hash-mb 1")["rows"].clone();
    let rows = rows.as_array().expect("an array");
    assert_eq!(rows.len(), 6);
    assert!(rows.iter().all(|row| row["different_scores"] == 0));
    assert!(rows[1..].iter().any(|row| row["nodes"] != rows[0]["nodes"]));
}
