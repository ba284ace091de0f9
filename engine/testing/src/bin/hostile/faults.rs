//! System faults at every write, rename and map of a command, injected by `strace`: the command is
//! killed there, or the call fails. The same command then resumes, and must end with the
//! undisturbed result.

use std::process::{Command, Stdio};

use crate::commands::{Ground, Place, name, writers};
use crate::findings::End;
use crate::kills::{gone_on_with, undisturbed};
use crate::process::{Limits, found_no_memory, run};

const ROUND: &str = "faults";

/// The system calls and their possible faults. A refused map may be one of the allocator's, which
/// ends a command too.
const FAULTS: [(&str, &[&str]); 5] = [
    ("write", &["signal=SIGKILL", "error=EIO", "error=ENOSPC"]),
    ("rename,renameat,renameat2", &["signal=SIGKILL", "error=EIO", "error=EACCES"]),
    ("ftruncate", &["signal=SIGKILL", "error=EIO"]),
    ("fsync,fdatasync", &["signal=SIGKILL", "error=EIO"]),
    ("mmap", &["signal=SIGKILL", "error=ENOMEM"]),
];

/// Runs every command that writes, with at most `places` faults for each call, spread over all its
/// uses.
pub(crate) fn round(ground: &mut Ground, places: usize) {
    let &mut Ground { ref place, limits, ref mut draws, ref mut findings } = ground;
    let mut strace = Command::new("strace");
    strace.arg("-V").stdout(Stdio::null()).stderr(Stdio::null());
    if places == 0 || !strace.status().is_ok_and(|status| status.success()) {
        eprintln!("faults: left out, for want of strace or of places");
        return;
    }
    for (words, report) in writers() {
        let whole = undisturbed(place, words, limits);
        for (calls, faults) in FAULTS {
            let all = count(place, calls, words, limits);
            for number in 0..places.min(all) {
                // The last calls, which put files in their place, are always among them.
                let at = if number == 0 { all } else { 1 + draws.below(all) };
                let fault = faults[draws.below(faults.len())];
                let folder = tempfile::tempdir().expect("a folder");
                let inject = format!("inject={calls}:{fault}:when={at}");
                let mut command = traced(place, folder.path(), words, &["-e", &inject], calls);
                let ended = run(&mut command, limits);
                let how = format!("strace -f -e {inject} {words}");
                let is_meant = fault.starts_with("signal") || found_no_memory(&ended);
                if let Some(wrong) = ended.fault(limits).filter(|_| !is_meant) {
                    findings.report(ROUND, &name(words), &wrong, &how);
                    continue;
                }
                let wrong = gone_on_with(place, folder.path(), (words, report), &whole, limits);
                let end = if is_meant { End::Stopped } else { End::Refused };
                findings.note(ROUND, &name(words), wrong, end, &how);
            }
        }
    }
}

/// Returns a command under `strace`.
fn traced(
    place: &Place,
    folder: &std::path::Path,
    words: &str,
    more: &[&str],
    calls: &str,
) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qqq", "-o", "/dev/null", "-e"]).arg(format!("trace={calls}")).args(more);
    let words = place.words(words);
    command.arg(place.binaries.join(&words[0])).args(&words[1..]);
    command.args(["--threads", "2", "--json"]).current_dir(folder);
    command
}

/// Returns the number of such calls in the thread that makes most: a fault comes to each thread by
/// its own count.
fn count(place: &Place, calls: &str, words: &str, limits: Limits) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let log = tempfile::NamedTempFile::new().expect("a file");
    let path = log.path().display().to_string();
    run(&mut traced(place, folder.path(), words, &["-o", &path], calls), limits);
    let text = std::fs::read_to_string(log.path()).unwrap_or_default();
    let mut by_thread = std::collections::BTreeMap::<&str, usize>::new();
    for line in text.lines().filter(|line| !line.contains("resumed>")) {
        *by_thread.entry(line.split(' ').next().unwrap_or_default()).or_default() += 1;
    }
    by_thread.into_values().max().unwrap_or(0)
}
