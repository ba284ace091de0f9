//! Failing system calls: a command must give a message and lose nothing, or give the right result.

use std::fs;
use std::path::Path;

use crate::commands::{Ground, Place, name, writers};
use crate::findings::End;
use crate::kills::{files_differ, gone_on_with, undisturbed};
use crate::process::{Limits, run};

const ROUND: &str = "calls";

// The error numbers of Linux; 0 is a short read or write.
const EINTR: i32 = 4;
const EIO: i32 = 5;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;
const ENOLCK: i32 = 37;
const EDQUOT: i32 = 122;

const ERRORS: [(&str, &[i32]); 9] = [
    ("open", &[EACCES, EMFILE, ENOSPC, EINTR]),
    ("read", &[EIO, EINTR, 0]),
    ("write", &[EIO, ENOSPC, EDQUOT, EINTR, 0]),
    ("fsync", &[EIO, ENOSPC, EDQUOT]),
    ("rename", &[EIO, EACCES, ENOSPC]),
    ("truncate", &[EIO, ENOSPC, EINTR]),
    ("map", &[ENOMEM, EACCES]),
    ("unlink", &[EIO, EACCES]),
    ("lock", &[ENOLCK, EINTR]),
];

/// Runs every command that writes, with `failures` failures each.
pub(crate) fn round(ground: &mut Ground, failures: usize) {
    let &mut Ground { ref place, limits, ref mut draws, ref mut findings } = ground;
    let library = &place.library;
    for (words, report) in writers() {
        if failures == 0 {
            return;
        }
        let whole = undisturbed(place, words, limits);
        let counts = counts(place, library, words, limits);
        for number in 0..failures {
            let (kind, errors) = ERRORS[number % ERRORS.len()];
            let calls = counts.iter().find(|(of, _)| of == kind).map_or(0, |&(_, calls)| calls);
            if calls == 0 {
                continue;
            }
            let error = errors[draws.below(errors.len())];
            // Interrupted calls are repeated, forever if need be: no machine interrupts each of
            // them.
            let on = if draws.below(3) == 0 && error != EINTR && error != 0 { ":on" } else { "" };
            let fail = format!("{kind}:{}:{error}{on}", 1 + draws.below(calls));
            let folder = tempfile::tempdir().expect("a folder");
            let mut command = place.command(folder.path(), words);
            command.arg("--json").env("LD_PRELOAD", library).env("OTHELLO_FAIL", &fail);
            let ended = run(&mut command, limits);
            let how = format!(
                "OTHELLO_FAIL={fail} {words}\n  {}",
                ended.errors.lines().last().unwrap_or("")
            );
            let fault = ended.fault(limits).or(ended.took_too_long().then(|| "hangs".to_owned()));
            if let Some(fault) = fault {
                findings.report(ROUND, &name(words), &fault, &how);
                continue;
            }
            let is_done = !ended.is_refused();
            let left = othello_testing::kill::files_in(folder.path(), &[]);
            if is_done && let Some(wrong) = files_differ(&whole, &left, report) {
                findings.report(ROUND, &name(words), &format!("is done, but {wrong}"), &how);
                continue;
            }
            let wrong = gone_on_with(place, folder.path(), (words, report), &whole, limits);
            let end = if is_done { End::Done } else { End::Refused };
            findings.note(ROUND, &name(words), wrong, end, &how);
        }
    }
}

/// Returns the number of calls of each kind that a command makes.
fn counts(place: &Place, library: &Path, words: &str, limits: Limits) -> Vec<(String, usize)> {
    let folder = tempfile::tempdir().expect("a folder");
    let counts = folder.path().join("calls");
    let work = folder.path().join("work");
    fs::create_dir(&work).expect("a folder");
    let mut command = place.command(&work, words);
    command.env("LD_PRELOAD", library).env("OTHELLO_CALLS", &counts);
    run(&mut command, limits);
    let text = fs::read_to_string(counts).expect("the library counts, and is there");
    let count = |line: &str| {
        let (kind, calls) = line.split_once(' ')?;
        Some((kind.to_owned(), calls.parse().ok()?))
    };
    text.lines().filter_map(count).collect()
}
