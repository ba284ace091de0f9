//! The command line as a whole: threads, stacks, completions, manual pages.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::process::Command;

use serde_json::Value;

/// Twelve to fourteen empty squares.
const POSITIONS: &str = "\
--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X
-XXXXXX---XOOOOO--XOOXXO-OXOXXOOOXXOXXOOOXXXOXOO-OXOXXXX-OO-XX-- X
----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X
";

fn engine() -> Command {
    Command::new(env!("CARGO_BIN_EXE_othello-engine"))
}

/// What `solve` says of the positions, less the times.
fn solve(threads: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("boards.txt");
    fs::write(&path, POSITIONS.repeat(4)).unwrap();
    let output = engine()
        .args(["solve", "--json", "--threads", threads, "--hash-mb", "1"])
        .arg(path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report.as_object_mut().unwrap().remove("seconds");
    for position in report["positions"].as_array_mut().unwrap() {
        position.as_object_mut().unwrap().remove("seconds");
    }
    report
}

/// `solve --threads` was taken and did nothing.
#[test]
fn solve_finds_the_same_with_the_same_nodes_on_any_number_of_threads() {
    let alone = solve("1");
    assert_eq!(alone["positions"].as_array().unwrap().len(), 12);
    assert_eq!(alone["positions"][0]["score"], 18);
    // A position has its nodes, whatever was solved before it.
    assert_eq!(alone["positions"][0], alone["positions"][9]);
    assert_eq!(solve("3"), alone);
}

/// Stacks of 64 kB, of the process and of its threads, ended the program with an abort.
#[cfg(unix)]
#[test]
fn small_stacks_of_the_environment_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("boards.txt"), POSITIONS).unwrap();
    for arguments in [
        "solve boards.txt --threads 2",
        "evaluate boards.txt --depth 6",
        "selfplay --games 4 --seed 1 --exact 12 --weights mobility --out a.games",
    ] {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -s 128 && exec \"$PROGRAM\" {arguments}")])
            .env("PROGRAM", env!("CARGO_BIN_EXE_othello-engine"))
            .env("RUST_MIN_STACK", "65536")
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
    }
}

#[test]
fn completions_and_manual_pages_know_the_subcommands() {
    let output = engine().args(["completions", "bash"]).output().unwrap();
    let script = String::from_utf8(output.stdout).unwrap();
    assert!(script.contains("selfplay") && script.contains("--random-plies"), "{script}");
    let folder = tempfile::tempdir().unwrap();
    assert!(engine().arg("man").arg(folder.path()).status().unwrap().success());
    let page = fs::read_to_string(folder.path().join("othello-engine-solve.1")).unwrap();
    assert!(page.contains("Find the exact scores of positions"), "{page}");
}
