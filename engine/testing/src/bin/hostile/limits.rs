//! Limits on the memory of a process and on the size of its files: a command must give a message,
//! lose nothing, and give the undisturbed result once the limit is gone.

use std::path::Path;
use std::process::Command;

use crate::commands::{Ground, Place, name, writers};
use crate::findings::End;
use crate::kills::{gone_on_with, undisturbed};
use crate::process::{found_no_memory, run};

const ROUND: &str = "limits";

/// Runs every command that writes, with `times` limits each.
pub(crate) fn round(ground: &mut Ground, times: usize) {
    let &mut Ground { ref place, limits, ref mut draws, ref mut findings } = ground;
    for (words, report) in writers() {
        if times == 0 {
            return;
        }
        let whole = undisturbed(place, words, limits);
        let largest = whole.files.values().map(Vec::len).max().unwrap_or(0) >> 9;
        for number in 0..times {
            let limit = match number % 3 {
                // What is said goes into a file, too, and needs a kilobyte.
                0 => format!("-f {}", 2 + draws.below(largest.max(1))),
                // The programs alone are of 210 MB, since the weights are inside.
                1 => format!("-v {}", 260_000 + draws.below(600_000)),
                _ => format!("-d {}", 20_000 + draws.below(200_000)),
            };
            let folder = tempfile::tempdir().expect("a folder");
            let ended = run(&mut limited(place, folder.path(), words, &limit), limits);
            let how = format!("ulimit {limit}; {words}");
            let is_meant = found_no_memory(&ended);
            let hangs = ended.took_too_long().then(|| "hangs".to_owned());
            if let Some(wrong) = ended.fault(limits).filter(|_| !is_meant).or(hangs) {
                findings.report(ROUND, &name(words), &wrong, &how);
                continue;
            }
            let is_done = ended.code() == Some(0);
            let wrong = gone_on_with(place, folder.path(), (words, report), &whole, limits);
            let end = if is_done { End::Done } else { End::Refused };
            findings.note(ROUND, &name(words), wrong, end, &how);
        }
    }
}

/// Returns a command under a limit of the shell.
fn limited(place: &Place, folder: &Path, words: &str, limit: &str) -> Command {
    let words = place.words(words);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")]);
    command.arg(place.binaries.join(&words[0])).args(&words[1..]);
    command.args(["--threads", "2", "--json"]).current_dir(folder);
    command
}
