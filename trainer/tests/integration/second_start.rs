//! A second start of a running command must be refused at once, and not disturb the first one.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use othello_testing::program::message;
use rustix::process::{Pid, Signal, kill_process};

use super::folder::Folder;

/// Commands that lock an output while they run, each with the path of this output. The path
/// replaces `OUT` in the command.
const COMMANDS: &[(&str, &str)] = &[
    ("dataset train.games --out OUT", "data"),
    ("fit train.games --patterns small --epochs 20 --seed 3 --out OUT", "fitted.weights"),
    ("relabel train.games --exact 11 --out OUT", "relabelled.games"),
    ("match mobility none --openings openings.txt --pairs 4 --depth 6 --out OUT", "out.match"),
    ("compare one.toml two.toml --phases 40..44 --test test.games --seeds 2 --out OUT", "compared"),
    ("tune one.toml values.toml --phases 40..44 --test test.games --out OUT", "tuned"),
    ("curve one.toml --phases 40..44 --test test.games --seeds 2 --out OUT", "curve"),
    (
        "benchmark none mobility --only match --games 2 --time 1 --openings openings.txt --out OUT",
        "table.md",
    ),
    ("calibrate probcut some.weights --positions 1000 --depth 4 --out OUT", "probcut.weights"),
    ("calibrate ends some.weights --positions 100 --empties 14 --out OUT", "ends.weights"),
    ("calibrate ordering some.weights --positions 200 --searches 1 --out OUT", "ordering.weights"),
    ("calibrate realization some.weights --data train.games --out OUT", "realization.weights"),
    ("quickstart", "quickstart/generation-0.games"),
];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.random_games("train.games", 0..1000);
    folder.random_games("test.games", 2000..2100);
    folder.write("openings.txt", "f5d6c3\nf5f6e6\nf5f4e3\nf5d6c4\n");
    for (name, ridge) in [("one.toml", 10), ("two.toml", 30)] {
        let text =
            format!("data = ['train.games']\npatterns = 'small'\n[settings]\nridge = {ridge}");
        folder.write(name, text);
    }
    folder.write("values.toml", "[settings]\nridge = [3, 30]\n");
    folder
}

/// A regression: a study that was refused removed the folder of another study that had just begun.
#[test]
fn of_starts_at_the_same_moment_one_does_the_work() {
    let folder = folder();
    let mut command =
        folder.command("curve one.toml --phases 40..40 --test test.games --seeds 1 --out out");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut starts: Vec<Child> = (0..6).map(|_| command.spawn().unwrap()).collect();
    let codes: Vec<_> = starts.iter_mut().map(|child| child.wait().unwrap().code()).collect();
    assert!(codes.contains(&Some(0)), "{codes:?}");
    assert!(codes.iter().all(|code| matches!(code, Some(0 | 75))), "{codes:?}");
}

/// Starts a command, and suspends it (SIGSTOP) when it holds the lock of the output `out`.
fn started(folder: &Folder, command: &str, out: &str) -> Child {
    let lock = folder.path(&format!("{out}.parts/lock-1-of-1"));
    let mut start = folder.command(command);
    let mut child = start.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while std::fs::read_to_string(&lock).map_or(true, |holder| holder.is_empty()) {
        assert!(child.try_wait().unwrap().is_none(), "{command}: ended without a lock");
        sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
    assert!(lock.exists(), "{command}: ended before it could be stopped");
    child
}

/// Two regressions. Two studies in one folder fitted the same weights at the same time. A second
/// start of a calibration did all its work before it failed.
#[test]
fn a_second_start_is_refused_at_once_and_the_first_ends_undisturbed() {
    let folder = folder();
    folder.runs("fit train.games --patterns small --epochs 2 --out some.weights");
    for &(command, out) in COMMANDS {
        let command = command.replace("OUT", out);
        let mut first = started(&folder, &command, out);
        let second = folder.run(&command);
        let said = message(&second);
        assert_eq!(second.status.code(), Some(75), "{command}: {said}");
        let holder = format!("another process (process {}) makes it", first.id());
        assert!(said.contains(&holder) && said.contains(out), "{command}: {said}");
        kill_process(Pid::from_child(&first), Signal::CONT).unwrap();
        // The rest of `quickstart` would take a minute, so the test kills it.
        if command == "quickstart" {
            first.kill().unwrap();
            first.wait().unwrap();
            continue;
        }
        assert!(first.wait().unwrap().success(), "{command}");
        assert!(folder.path(out).exists() && !folder.path(&format!("{out}.parts")).exists());
    }
}
