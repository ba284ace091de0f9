//! Tests of the command line as a whole: threads, stacks, completions, manual pages.

use othello_testing::folder::Folder;
use othello_testing::program::message;
use serde_json::Value;

use crate::folder;

const POSITIONS: &str = "\
--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X
-XXXXXX---XOOOOO--XOOXXO-OXOXXOOOXXOXXOOOXXXOXOO-OXOXXXX-OO-XX-- X
----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X
";

fn solve(threads: u32) -> Value {
    let folder = folder();
    folder.write("boards.txt", POSITIONS.repeat(4));
    let mut report = folder.json(&format!("solve boards.txt --threads {threads} --hash-mb 1"));
    report.as_object_mut().unwrap().remove("seconds");
    for position in report["positions"].as_array_mut().unwrap() {
        position.as_object_mut().unwrap().remove("seconds");
    }
    report
}

/// A regression: `solve` accepted `--threads`, which had no effect.
#[test]
fn solve_finds_the_same_with_the_same_nodes_on_any_number_of_threads() {
    let alone = solve(1);
    assert_eq!(alone["positions"].as_array().unwrap().len(), 12);
    assert_eq!(alone["positions"][0]["score"], 18);
    // The nodes of a position do not depend on the positions solved before it.
    assert_eq!(alone["positions"][0], alone["positions"][9]);
    assert_eq!(solve(3), alone);
}

/// A regression: the program panicked if a transposition table did not fit into memory.
#[cfg(target_os = "linux")]
#[test]
fn a_table_that_no_memory_is_left_for_is_refused_with_its_size() {
    let folder = folder();
    folder.write("problems", POSITIONS);
    for command in ["solve", "ablate", "evaluate --depth 1"] {
        let arguments = format!("{command} problems --hash-mb 100000");
        let output = folder.limited("-v 16000000", &arguments).output().unwrap();
        let message = message(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("error: --hash-mb"), "{message}");
        let size = "not enough memory for a transposition table of 100000 MB";
        assert!(message.contains(size), "{message}");
    }
}

#[test]
fn values_do_not_depend_on_the_threads() {
    let folder = folder();
    let start = "---------------------------OX------XO---------------------------";
    folder.write("boards.txt", format!("{start} X\n{start} O\n").repeat(1500));
    let evaluate = "evaluate boards.txt --weights mobility --depth 3 --threads";
    let [one, three] = [1, 3].map(|n| folder.json(&format!("{evaluate} {n}"))["values"].clone());
    assert_eq!(one.as_array().unwrap().len(), 3000);
    assert_eq!(one, three);
}

/// Each solving thread has its own transposition table, so the memory shows how many there are.
#[cfg(target_os = "linux")]
#[test]
fn solve_searches_as_many_positions_at_a_time_as_it_has_threads() {
    let folder = folder();
    folder.write("boards.txt", POSITIONS);
    let solve = |threads: u32| {
        let arguments = format!("solve boards.txt --hash-mb 512 --threads {threads}");
        folder.limited("-v 1300000", &arguments).output().unwrap()
    };
    let one = solve(1);
    assert!(one.status.success(), "{one:?}");
    let three = solve(3);
    let message = message(&three);
    assert_eq!(three.status.code(), Some(2), "{message}");
    assert!(message.contains("--hash-mb, the size of the table of each thread"), "{message}");
}

/// A regression: the report on a complete output did not state whether an earlier run had made it.
#[test]
fn complete_outputs_are_said_to_be_from_an_earlier_run() {
    let folder = folder();
    for (arguments, stage, units) in [
        ("selfplay --games 20 --seed 1 --depth 1 --exact 2 --out a.games", "self-play (games)", 20),
        ("openings --plies 4 --score-depth 1 --out a.openings", "scores (positions)", 60),
    ] {
        let report = || folder.json(&format!("{arguments} --weights mobility"));
        assert!(report()["resumed"].is_null(), "{arguments}");
        assert_eq!(report()["resumed"][stage], units, "{arguments}");
    }
}

#[test]
fn completions_and_manual_pages_know_the_subcommands() {
    let folder = folder();
    let script = folder.said("completions bash");
    assert!(script.contains("selfplay") && script.contains("--random-plies"), "{script}");
    folder.runs("man .");
    let page = folder.text("othello-engine-solve.1");
    assert!(page.contains("Find the exact scores of positions"), "{page}");
}

/// Runs the engine with `--log json` in a folder; returns its exit status and its events.
fn events(folder: &Folder, arguments: &str) -> (Option<i32>, Vec<Value>) {
    let output = folder.run(&format!("{arguments} --log json --progress-file progress.json"));
    let stderr = String::from_utf8(output.stderr).unwrap();
    let events = stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code(), events)
}

#[test]
fn schedulers_read_an_event_a_line_and_the_last_one_in_a_file() {
    let folder = &folder();
    let last = || -> Value { serde_json::from_slice(&folder.read("progress.json")).unwrap() };
    let selfplay = "selfplay --games 20 --seed 1 --depth 1 --exact 2 --weights mobility";
    let (status, first) = events(folder, &format!("{selfplay} --out a.games"));
    assert_eq!(status, Some(0));
    let named = |name: &str| first.iter().filter(|event| event["event"] == name).count();
    assert!(named("begin") >= 1 && named("begin") == named("end"), "{first:?}");
    let games = first.iter().find(|event| event["event"] == "end").unwrap();
    assert_eq!([&games["stage"], &games["unit"]], ["self-play", "games"]);
    assert_eq!([&games["done"], &games["resumed"], &games["total"]], [20, 0, 20]);
    let exit = first.last().unwrap();
    assert_eq!((&exit["event"], &exit["status"]), (&"exit".into(), &0.into()));
    assert_eq!((last()["event"].as_str(), &last()["process"]), (Some("exit"), &exit["process"]));

    let (_, again) = events(folder, &format!("{selfplay} --out a.games"));
    let text = |event: &str| again.iter().find(|found| found["event"] == event).unwrap().clone();
    assert_eq!(text("message")["text"], "self-play: 20 of 20 games from an earlier run");

    let other = selfplay.replace("--seed 1", "--seed 2");
    let (status, failed) = events(folder, &format!("{other} --out a.games"));
    let said = failed.iter().find(|event| event["event"] == "error").unwrap();
    assert!(said["text"].as_str().unwrap().starts_with("a.games: "), "{said}");
    assert_eq!((status, last()["status"].as_i64()), (Some(2), Some(2)));
}
