//! Runs commands that write files while system calls fail, resources are short or the same command
//! runs twice. Then runs each again, which must give the files and report of an undisturbed run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use othello_testing::kill::{files_in, lasting};
use serde_json::Value;

use super::findings::End;
use super::ground::{Ground, Limits, Place, Words, name, writers};
use super::process::{Ended, run};
use crate::mutation::Draws;

pub(super) struct Outcome {
    pub(super) files: BTreeMap<PathBuf, Vec<u8>>,
    report: Value,
    message_bytes: usize,
}

pub(super) struct Undisturbed {
    pub(super) outcome: Outcome,
    pub(super) seconds: f64,
    calls: BTreeMap<String, usize>,
}

pub(super) fn undisturbed(place: &Place, words: Words, limits: Limits) -> Undisturbed {
    let folder = tempfile::tempdir().expect("a folder");
    let (counts, work) = (folder.path().join("calls"), folder.path().join("work"));
    fs::create_dir(&work).expect("a folder");
    let begun = Instant::now();
    let mut command = place.command(&work, words);
    if let Some(library) = &place.library {
        command.env("LD_PRELOAD", library).env("OTHELLO_CALLS", &counts);
    }
    let (outcome, _) = finish(command, &work, limits);
    let seconds = begun.elapsed().as_secs_f64();
    let outcome = outcome.unwrap_or_else(|error| panic!("{words}: {error}"));
    let counts = fs::read_to_string(counts).unwrap_or_default();
    let calls = counts.lines().filter_map(|line| line.split_once(' '));
    let calls = calls.filter_map(|(kind, calls)| Some((kind.to_owned(), calls.parse().ok()?)));
    Undisturbed { calls: calls.collect(), outcome, seconds }
}

/// Runs a command. Returns its outcome and its exit status (−1 if killed). The outcome is an error
/// message if the command had a fault, such as a crash, or refused its input.
pub(super) fn finish(
    mut command: Command,
    folder: &Path,
    limits: Limits,
) -> (Result<Outcome, String>, i32) {
    let ended = run(command.arg("--json"), limits);
    let code = ended.code().unwrap_or(-1);
    let refusal = || ended.is_refused().then(|| ended.errors.clone());
    if let Some(fault) = ended.fault(limits).or_else(refusal) {
        return (Err(fault), code);
    }
    let report = serde_json::from_str(&ended.output).unwrap_or(Value::Null);
    let (files, report) = (files_in(folder, &[]), lasting(&report));
    (Ok(Outcome { files, report, message_bytes: ended.errors.len() }), code)
}

impl Outcome {
    /// Returns a description of a difference between this outcome's files and `found`; `None` if
    /// there is none. Unless `is_fixed`, match files may differ, since they contain measured times.
    fn files_differ(&self, found: &BTreeMap<PathBuf, Vec<u8>>, is_fixed: bool) -> Option<String> {
        let (expected, names) = (self.files.keys(), found.keys());
        if !names.clone().eq(expected.clone()) {
            return Some(format!("leaves {names:?}, not {expected:?}"));
        }
        let has_times = |name: &Path| !is_fixed && name.extension().is_some_and(|it| it == "match");
        // A lock file contains the id of the process that held the lock, so it may differ.
        let is_lock = |name: &Path| name.to_string_lossy().contains("/lock-");
        let mut differing = expected.filter(|&name| self.files[name] != found[name]);
        let name = differing.find(|name| !has_times(name) && !is_lock(name))?;
        Some(format!("{} differs", name.display()))
    }

    pub(super) fn difference(&self, found: &Self, is_fixed: bool) -> Option<String> {
        self.files_differ(&found.files, is_fixed).or_else(|| {
            (is_fixed && self.report != found.report).then(|| "the report differs".to_owned())
        })
    }
}

/// For each command that writes files, `times` times: runs it with `disturbance`, then again
/// without it, and notes wrong results. `disturbance` runs the command once. It returns a
/// description of what it did and the end of the run (`None` if killed or out of memory), or `None`
/// if it skips the run.
fn disturb(
    ground: &mut Ground<'_>,
    times: usize,
    disturbance: impl Fn(
        (&Place, &Path, Words),
        (&Undisturbed, Limits),
        (usize, &mut Draws),
    ) -> Option<(String, Option<Ended>)>,
) {
    for (command, (words, is_fixed)) in writers().enumerate() {
        let whole = ground.undisturbed(words);
        for number in command..command + times {
            let &mut Ground { place, limits, ref mut draws, ref mut findings, .. } = ground;
            let folder = tempfile::tempdir().expect("a folder");
            let subject = (place, folder.path(), words);
            let Some((how, ended)) = disturbance(subject, (&whole, limits), (number, draws)) else {
                continue;
            };
            let how = format!("{how}: {words}");
            let left = files_in(folder.path(), &[]);
            let is_done = ended.as_ref().is_some_and(|ended| matches!(ended.code(), Some(0 | 1)));
            let fault = ended.as_ref().and_then(|ended| ended.fault(limits));
            let fault = fault.or_else(|| ended.as_ref().and_then(Ended::no_remedy));
            let wrong = fault.or_else(|| {
                let wrong = is_done.then(|| whole.outcome.files_differ(&left, is_fixed))?;
                Some(format!("is done, but {}", wrong?))
            });
            let wrong = wrong.or_else(|| {
                match finish(place.command(folder.path(), words), folder.path(), limits).0 {
                    Ok(outcome) => whole.outcome.difference(&outcome, is_fixed),
                    Err(error) => Some(format!("cannot be resumed: {error}")),
                }
            });
            let end = match ended {
                None => End::Stopped,
                Some(_) if is_done => End::Done,
                Some(_) => End::Refused,
            };
            findings.note(&name(words), wrong, end, &how);
        }
    }
}

fn kill_after(place: &Place, folder: &Path, words: Words, seconds: f64) {
    let mut command = place.command(folder, words);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary runs");
    sleep(Duration::from_secs_f64(seconds));
    child.kill().expect("SIGKILL");
    child.wait().expect("its end");
}

/// Starts each command a second time while it runs. One of the two runs must finish the work.
pub(super) fn starts(ground: &mut Ground<'_>, times: usize) {
    disturb(ground, times, |(place, folder, words), (whole, limits), (_, draws)| {
        let start = || run(place.command(folder, words).arg("--json"), limits);
        let seconds = draws.below(1000) as f64 / 1000.0 * whole.seconds;
        let [second, first] = std::thread::scope(|scope| {
            let first = scope.spawn(start);
            sleep(Duration::from_secs_f64(seconds));
            [start(), first.join().expect("its end")]
        });
        Some((format!("started again after {seconds:.3} s"), Some(Ended::done_of(first, second))))
    });
}

/// Runs and kills a command, up to 12 times, until it leaves partial files; returns their folder.
pub(super) fn unfinished(ground: &mut Ground<'_>, words: Words) -> Option<tempfile::TempDir> {
    let seconds = ground.undisturbed(words).seconds;
    (0..12).find_map(|_| {
        let folder = tempfile::tempdir().expect("a folder");
        let part = (300 + ground.draws.below(600)) as f64 / 1000.0;
        kill_after(ground.place, folder.path(), words, part * seconds);
        files_in(folder.path(), &[]).keys().any(|path| is_unfinished(path)).then_some(folder)
    })
}

pub(super) fn is_unfinished(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.contains(".parts/") || path.contains("partial")
}

const EINTR: i32 = 4;
const EIO: i32 = 5;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;
const ENOLCK: i32 = 37;
const EDQUOT: i32 = 122;

/// A value in place of an error number: the call transfers fewer bytes than requested.
const SHORT: i32 = 0;

/// A value in place of an error number: the process is killed at the call.
const KILL: i32 = -1;

const ERRORS: [(&str, &[i32]); 9] = [
    ("open", &[EACCES, EMFILE, ENOSPC, EINTR]),
    ("read", &[EIO, EINTR, SHORT]),
    ("write", &[EIO, ENOSPC, EDQUOT, EINTR, SHORT, KILL, KILL]),
    ("fsync", &[EIO, ENOSPC, EDQUOT, KILL]),
    ("rename", &[EIO, EACCES, ENOSPC, KILL, KILL]),
    ("truncate", &[EIO, ENOSPC, EINTR, KILL]),
    ("map", &[ENOMEM, EACCES, KILL]),
    ("unlink", &[EIO, EACCES, KILL]),
    ("lock", &[ENOLCK, EINTR]),
];

pub(super) fn full(ground: &mut Ground<'_>, times: usize) {
    failing(ground, times, |whole, _, draws| {
        let writes = whole.calls.get("write").copied().unwrap_or(0);
        ("write", writes, 1 + draws.below(writes), ENOSPC, true)
    });
}

/// Makes a system call of each run fail, transfer too little or kill the process. In a third of the
/// runs, this is the last call of its kind, such as a final `rename`.
pub(super) fn calls(ground: &mut Ground<'_>, times: usize) {
    failing(ground, times, |whole, number, draws| {
        let (kind, errors) = ERRORS[number % ERRORS.len()];
        let calls = whole.calls.get(kind).copied().unwrap_or(0);
        let error = *draws.one(errors);
        let at = if draws.below(3) == 0 { calls } else { 1 + draws.below(calls) };
        // An interrupted or short call succeeds when it is repeated, so later calls do not fail.
        let goes_on = draws.below(3) == 0 && ![EINTR, SHORT, KILL].contains(&error);
        (kind, calls, at, error, goes_on)
    });
}

/// Makes system calls of each run fail. `choose` returns their kind, the number of such calls in an
/// undisturbed run, the first to fail (from 1), the error number, and true if later ones fail too.
fn failing(
    ground: &mut Ground<'_>,
    times: usize,
    choose: impl Fn(&Undisturbed, usize, &mut Draws) -> (&'static str, usize, usize, i32, bool),
) {
    if ground.place.library.is_none() {
        return eprintln!("system calls: skipped without a C compiler");
    }
    disturb(ground, times, |(place, folder, words), (whole, limits), (number, draws)| {
        let (kind, calls, at, error, goes_on) = choose(whole, number, draws);
        let fail = format!("{kind}:{at}:{error}{}", if goes_on { ":on" } else { "" });
        let mut command = place.command(folder, words);
        command.env("LD_PRELOAD", place.library.as_ref()?).env("OTHELLO_FAIL", &fail);
        let ended = (calls > 0).then(|| run(command.arg("--json"), limits))?;
        let how = format!("OTHELLO_FAIL={fail}");
        Some((how, Some(ended).filter(|ended| error != KILL || !ended.is_killed())))
    });
}

pub(super) fn limits(ground: &mut Ground<'_>, times: usize) {
    disturb(ground, times, |(place, folder, words), (whole, limits), (number, draws)| {
        let largest = whole.outcome.files.values().map(Vec::len).max().unwrap_or(0) >> 9;
        // Messages go to a file: the limit leaves room for those of an undisturbed run and 1 KiB.
        let least = 2 + whole.outcome.message_bytes.div_ceil(512);
        let limit = match number % 4 {
            0 => format!("-f {}", least + draws.below(largest.max(1))),
            // At least 260 MB, in KiB: the programs expand their weights into up to 210 MB.
            1 => format!("-v {}", 260_000 + draws.below(600_000)),
            2 => format!("-d {}", 20_000 + draws.below(200_000)),
            // 128 KiB: a smaller stack than any build of the programs needs.
            _ => "-s 128".to_owned(),
        };
        let inner = place.command(folder, words);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")]);
        command.arg(inner.get_program()).args(inner.get_args()).current_dir(folder);
        // `OTHELLO_PART_UNITS` makes the parts of the work as large as in the run that resumes it.
        command.envs(inner.get_envs().filter_map(|(key, value)| Some((key, value?))));
        let ended = run(command.arg("--json"), limits);
        Some((format!("ulimit {limit}"), Some(ended).filter(|ended| !ended.found_no_memory())))
    });
}
