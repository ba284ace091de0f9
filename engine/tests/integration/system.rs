//! Tests of failing system calls: clear messages, no lost data, no lock that remains.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use othello_testing::disk::{Scenario, left};
use othello_testing::folder::Folder;
use othello_testing::program::message;
use othello_testing::skip;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

fn folder() -> Folder {
    crate::folder().in_parts(16)
}

const GAMES: &str = "selfplay --games 600 --seed 1 --depth 4 --exact 10 --weights mobility";

const OPENINGS: &str = "openings --plies 6 --score-depth 5 --weights mobility";

/// The arguments of a self-play run that is too long to complete before a signal arrives.
const MANY_GAMES: &str = "selfplay --games 100000 --seed 1 --depth 2 --exact 6 --weights mobility";

/// The arguments of a self-play run whose first games are short, and whose next game never ends.
const ENDLESS: &str = "selfplay --games 50 --seed 1 --depth 30 --exact 40 --weights mobility \
    --random-plies 8,50 --threads 1";

const KEPT: &str = "interrupted: finished work is kept; run the same command again to resume";

fn command(folder: &Folder, arguments: &str) -> Command {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

static UNDISTURBED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = folder();
    folder.runs(&format!("{GAMES} --out a.games"));
    folder.read("a.games")
});

fn start(folder: &Folder, arguments: &str, part: u32) -> Child {
    let part = format!("a.games.parts/part-{part:06}");
    folder.started(&format!("{arguments} --out a.games"), &part, 1)
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn a_read_only_folder_is_named_and_what_is_complete_there_is_done() {
    let folder = folder();
    let script = format!(
        "\"$PROGRAM\" {GAMES} --out a.games --json >../first || exit 1; read_only
         \"$PROGRAM\" {GAMES} --out a.games --json >../again || exit 1
         \"$PROGRAM\" {GAMES} --out b.games 2>../message; echo $? >../status
         \"$PROGRAM\" openings --plies 3 --out b.openings 2>../openings; ls >../files"
    );
    let program = Path::new(env!("CARGO_BIN_EXE_othello-engine"));
    let scenario = Scenario { program, script: &script, kilobytes: 1000 };
    if !scenario.run(folder.at()) {
        skip!("no disk can be mounted here (unshare --mount)");
    }
    assert_eq!(left(folder.at(), "status"), "2");
    let message = |name: &str| {
        format!(
            "error: {name}.partial: cannot create it: Read-only file system (os error 30); name \
             an output in a folder that may be written to"
        )
    };
    assert_eq!(left(folder.at(), "message"), message("b.games"));
    assert_eq!(left(folder.at(), "openings"), message("b.openings"));
    assert_eq!(left(folder.at(), "files"), "a.games");
    let sha256 = |name| {
        let report: Value = serde_json::from_str(&left(folder.at(), name)).unwrap();
        report["sha256"].clone()
    };
    assert_eq!(sha256("again"), sha256("first"));
}

/// After the first signal, a resumable command finishes the work in progress, and any other command
/// ends at once. After a second signal, a resumable command also ends at once.
#[test]
fn interrupts_end_the_work_with_an_event_a_line_and_the_exit_as_the_last() {
    for (arguments, signals, status, last) in [
        (MANY_GAMES, &[Signal::INT][..], 130, KEPT),
        (MANY_GAMES, &[Signal::TERM], 143, KEPT),
        (ENDLESS, &[Signal::INT, Signal::INT], 130, KEPT),
        ("perft 30", &[Signal::INT], 130, "interrupted"),
    ] {
        let folder = crate::folder().in_parts(1);
        let arguments = format!("{arguments} --log json --progress-file run.json");
        let mut child = if arguments.starts_with("perft") {
            // The program begins to listen for signals some milliseconds after its start.
            let child = command(&folder, &arguments).spawn().unwrap();
            sleep(Duration::from_millis(500));
            child
        } else {
            start(&folder, &arguments, 3)
        };
        for &signal in signals {
            assert_eq!(child.try_wait().unwrap(), None);
            sleep(Duration::from_millis(500));
            send(&child, signal);
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments}");
        assert!(output.stdout.is_empty());
        let lines = String::from_utf8(output.stderr).unwrap();
        let events: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        let exit = events.last().unwrap();
        assert_eq!((&exit["event"], &exit["status"]), (&"exit".into(), &status.into()));
        let texts: Vec<&str> = events.iter().filter_map(|event| event["text"].as_str()).collect();
        assert_eq!(texts.last(), Some(&last), "{texts:?}");
        let waits = "stopping after the current work; interrupt again to stop at once";
        assert_eq!(texts.contains(&waits), last == KEPT, "{texts:?}");
        let kept: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
        assert_eq!(&kept, exit);
    }
}

/// While a run is suspended (SIGSTOP), a second run with the same output must be refused. Then a
/// signal ends the suspended run, unless the run completes before the signal.
#[test]
fn two_runs_do_not_write_one_output_and_one_that_ends_early_keeps_its_work() {
    for (command, out, end) in
        [(GAMES, "a.games", Signal::INT), (OPENINGS, "a.openings", Signal::KILL)]
    {
        let folder = folder();
        let command = format!("{command} --out {out}");
        let first = folder.started(&command, &format!("{out}.parts/part-000000"), 1);
        send(&first, Signal::STOP);
        for force in ["", " --force"] {
            let second = folder.run(&format!("{command}{force}"));
            assert_eq!(second.status.code(), Some(75));
            let expected = format!(
                "error: {out}: another process (process {}) makes it; wait for it, or name another \
                 output",
                first.id()
            );
            assert_eq!(message(&second), expected);
        }
        send(&first, end);
        send(&first, Signal::CONT);
        let ended = first.wait_with_output().unwrap().status;
        assert!(matches!(ended.code(), None | Some(0 | 130)), "{ended}");
        let said = message(&folder.runs(&command));
        assert!(ended.success() || said.contains("from an earlier run"), "{said}");
        assert!(out != "a.games" || folder.read(out) == *UNDISTURBED);
        assert_eq!(fs::read_dir(folder.at()).unwrap().count(), 1);
    }
}

/// With a closed standard output or standard error, a command must still do its work. A refused
/// command, for example one whose weights file is missing, must leave no file.
#[test]
fn a_closed_pipe_is_no_reason_to_stop_and_no_error() {
    let folder = folder();
    for arguments in ["perft 5", "perft 5 --json", "openings --plies 5"] {
        let mut child = command(&folder, arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((message(&output), output.status.code()), (String::new(), Some(0)));
    }
    for (arguments, status) in [
        (format!("{GAMES} --out a.games"), 0),
        (format!("{GAMES} --out none/a.games"), 2),
        (format!("{} --out b.games", GAMES.replace("mobility", "none.weights")), 2),
        // An output that was made with other settings is rejected.
        (format!("{GAMES} --values --out a.games"), 2),
    ] {
        let mut child = command(&folder, &arguments).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{arguments}");
    }
    assert_eq!(fs::read_dir(folder.at()).unwrap().count(), 1);
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_and_the_work_is_kept() {
    let folder = folder();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let arguments = format!("{GAMES} --out a.games");
    let output = command(&folder, &arguments).stdout(full).output().unwrap();
    assert_eq!(
        message(&output).lines().last(),
        Some("error: cannot write to standard output: No space left on device (os error 28)")
    );
    assert_eq!(output.status.code(), Some(75));
    assert!(folder.path("a.games").exists());
}
