//! Tests of limits, full disks, missing files and interruptions: the trainer must print a clear
//! message, lose no data and leave no lock.

use std::fs;

use assert_cmd::cargo::cargo_bin;
use othello_engine::record::Game;
use othello_testing::disk::{Scenario, left};
use othello_testing::program::message;
use othello_testing::random_games::random_moves;
use othello_testing::records;
use othello_testing::skip;
use rustix::process::{Pid, Signal, kill_process};

use super::folder::{Folder, printed};

const FIT: &str = "fit a.games --patterns small --optimizer lsq --out a.weights";

fn transcripts(games: u64) -> String {
    let line = |seed| random_moves(seed).iter().map(ToString::to_string).collect::<String>();
    (0..games).map(|seed| line(seed) + "\n").collect()
}

fn short_games(folder: &Folder, games: u64) {
    let short = |seed| {
        let moves = random_moves(seed);
        Game::new(0, &moves[..moves.len().min(12)]).unwrap()
    };
    records::write(&folder.path("short.games"), (0..games).map(short));
}

/// A regression: the message for a limit of 1 MB stated "the 0 MB of memory allowed".
#[cfg(unix)]
#[test]
fn inspect_with_a_megabyte_reports_a_megabyte() {
    let folder = Folder::new();
    short_games(&folder, 4000);
    let mut inspect = folder.command("inspect short.games --memory-mb 1");
    let said = message(&inspect.env("TMPDIR", folder.path("none")).output().unwrap());
    assert!(said.contains("beyond the 1 MB of memory allowed"), "{said}");
    assert!(!said.contains(" 0 MB"), "{said}");
}

/// A regression: `doctor` ignored a memory limit of the shell (`ulimit -v`).
#[cfg(target_os = "linux")]
#[test]
fn doctor_names_the_least_limit_of_memory() {
    let script = "ulimit -v 4000000 && exec \"$0\" doctor --json";
    let mut doctor = std::process::Command::new("sh");
    let output = doctor.args(["-c", script]).arg(cargo_bin("othello-trainer")).output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["memory_limit"], "ulimit", "{found}");
    assert!(found["memory_bytes"].as_u64().unwrap() < 4_000_000 << 9, "{found}");
}

/// Temporary files fill the disk in this test. `trainer/fuzz` tests outputs that fill the disk.
#[test]
fn a_full_disk_for_temporary_files_is_reported_with_its_remedy() {
    let folder = Folder::new();
    short_games(&folder, 3000);
    let shuffle = "shuffle ../short.games --memory-mb 1 --out out";
    let script = format!(
        "head -c $(((4096 - 40) * 1024)) /dev/zero >fill
         \"$PROGRAM\" {shuffle} 2>../message; echo $? >../status
         rm fill; \"$PROGRAM\" {shuffle} && cp out .."
    );
    let program = cargo_bin!("othello-trainer");
    if !(Scenario { program, script: &script, kilobytes: 4096 }).run(folder.at()) {
        skip!("no disk can be mounted here (unshare --mount)");
    }
    assert_eq!(left(folder.at(), "status"), "75");
    let message = left(folder.at(), "message");
    let last = message.lines().last().unwrap();
    assert!(last.contains("No space left on device"), "{message}");
    let remedy = "free space there, or raise --memory-mb, and run the same command again";
    assert!(last.contains(remedy) && message.contains(" MB "), "{message}");
    folder.runs("shuffle short.games --memory-mb 1 --out wanted");
    assert!(folder.read("out") == folder.read("wanted"));
}

/// The second input is deleted while the command reads the first; the error must name the second.
#[test]
fn an_input_that_vanishes_is_named_and_the_work_goes_on_when_it_is_back() {
    let folder = Folder::new();
    folder.write("first.txt", transcripts(60_000));
    folder.write("second.txt", transcripts(1));
    let arguments = "import transcripts first.txt second.txt --out a.games";
    // The partial output exists only after the program has checked that its inputs exist.
    let child = folder.started(arguments, "a.games.partial", 1);
    fs::remove_file(folder.path("second.txt")).unwrap();
    let output = child.wait_with_output().unwrap();
    let refusal =
        "error: second.txt: cannot open it: No such file or directory (os error 2); check the path";
    assert!(message(&output).ends_with(refusal), "{}", message(&output));
    assert_eq!(output.status.code(), Some(2));
    folder.write("second.txt", transcripts(1));
    folder.runs(arguments);
}

#[test]
fn an_interrupted_import_begins_again_and_an_interrupted_fit_goes_on() {
    let folder = Folder::with_random_games(0..600);
    folder.write("games.txt", transcripts(60_000));
    let fit = format!("{FIT} --json");
    let import = "import transcripts games.txt --out b.games --json";
    for (arguments, output, unfinished, bytes) in [
        (import, "b.games", "b.games.partial", 3000),
        (&fit, "a.weights", "a.weights.parts/part-000020", 1),
    ] {
        let child = folder.started(arguments, unfinished, bytes);
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let stopped = child.wait_with_output().unwrap();
        let message = message(&stopped);
        assert_eq!(stopped.status.code(), Some(130), "{message}");
        let kept = "interrupted: finished work is kept; run the same command again to resume";
        assert_eq!(message.lines().last(), Some(kept));
        let report = printed(&folder.command(arguments).output().unwrap());
        assert_eq!(report["resumed"].is_null(), output == "b.games", "{report}");
        let first = folder.read(output);
        folder.runs(&format!("{arguments} --force"));
        assert!(folder.read(output) == first);
    }
}
