//! Attacks by long streams of input lines. The GTP and NBoard servers must answer a stream in time
//! proportional to its length, and with little memory.

use std::process::Command;

use super::ground::{Ground, Limits};
use super::process::run;

const SERVERS: [&str; 2] =
    ["othello-engine gtp --level 1 --weights mobility", "othello-engine nboard --weights mobility"];

/// Input lines that a server answers at once, refuses, or skips.
const LINES: [&str; 9] = [
    "name",
    "ping 7",
    "play b f5",
    "7 known_command name",
    "set depth 1",
    "move F5//1.5",
    "no such command",
    "# a comment",
    "",
];

/// The memory that suffices to answer a stream of any length, in MiB.
const MEBIBYTES: u64 = 200;

/// Sends `times` streams of up to 200,000 lines to each server, and notes faults as findings.
pub(super) fn round(ground: &mut Ground<'_>, times: usize) {
    for number in 0..times * SERVERS.len() {
        let &mut Ground { place, limits, ref mut draws, ref mut findings, .. } = ground;
        let words = SERVERS[number % SERVERS.len()];
        let folder = tempfile::tempdir().expect("a folder");
        let count = 20_000 + draws.below(180_000);
        let only = draws.one(&LINES);
        let is_mixed = draws.below(2) == 0;
        let mut line = |_| format!("{}\n", if is_mixed { draws.one(&LINES) } else { only });
        let stream: String = (0..count).map(&mut line).collect();
        std::fs::write(folder.path().join("stream"), stream + "quit\n").expect("a stream");
        let inner = place.command(folder.path(), words);
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" \"$@\" <stream"]);
        command.arg(inner.get_program()).args(inner.get_args()).current_dir(folder.path());
        let limits = Limits { mebibytes: MEBIBYTES, ..limits };
        let ended = run(&mut command, limits);
        let lines = if is_mixed { "mixed".to_owned() } else { format!("`{only}`") };
        let server = words.split(" --").next().unwrap_or(words);
        findings.note(server, ended.fault(limits), ended.end(), &format!("{count} lines, {lines}"));
    }
}
