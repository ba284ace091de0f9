//! Kills at random moments: the resumed command must give the files and the report of the
//! undisturbed run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use othello_testing::kill::{files_in, lasting};
use othello_testing::mutation::Draws;
use serde_json::Value;

use crate::commands::{Ground, Place, Words, name, writers};
use crate::findings::End;
use crate::process::{Limits, is_refusal, run};

const ROUND: &str = "kills";

/// The files and the report of a run.
pub(crate) struct Result {
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
    report: Value,
    pub(crate) seconds: f64,
}

/// Returns the result of a command that nothing disturbs.
pub(crate) fn undisturbed(place: &Place, words: Words, limits: Limits) -> Result {
    let folder = tempfile::tempdir().expect("a folder");
    let (result, _) = finish(place, folder.path(), words, limits);
    result.unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// Runs a command to its end; returns its result and its output.
pub(crate) fn finish(
    place: &Place,
    folder: &Path,
    words: Words,
    limits: Limits,
) -> (std::result::Result<Result, String>, i32) {
    let begun = Instant::now();
    let ended = run(place.command(folder, words).arg("--json"), limits);
    let seconds = begun.elapsed().as_secs_f64();
    let fault = ended.fault(limits).or(ended.took_too_long().then(|| "hangs".to_owned()));
    let code = ended.code().unwrap_or(-1);
    if let Some(fault) = fault {
        return (Err(fault), code);
    }
    if is_refusal(Some(code)) {
        return (Err(ended.errors), code);
    }
    let report = serde_json::from_str(&ended.output).unwrap_or(Value::Null);
    (Ok(Result { files: files_in(folder, &[]), report: lasting(&report), seconds }), code)
}

/// Returns the difference from the undisturbed run, if there is one.
pub(crate) fn difference(undisturbed: &Result, found: &Result, report: bool) -> Option<String> {
    files_differ(undisturbed, &found.files, report).or_else(|| {
        (report && undisturbed.report != found.report).then(|| "the report differs".to_owned())
    })
}

/// The same of the files alone. Where the report is another each time, the file of a match is, too:
/// it has the time of the searches.
pub(crate) fn files_differ(
    undisturbed: &Result,
    found: &BTreeMap<PathBuf, Vec<u8>>,
    report: bool,
) -> Option<String> {
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    let (expected, names) = (names(&undisturbed.files), names(found));
    if names != expected {
        return Some(format!("leaves {names:?}, not {expected:?}"));
    }
    let has_times = |name: &Path| !report && name.extension().is_some_and(|it| it == "match");
    let differs = |name: &&PathBuf| undisturbed.files[*name] != found[*name] && !has_times(name);
    let name = expected.iter().find(differs)?;
    Some(format!("{} differs", name.display()))
}

/// Runs a disturbed command again; returns how its result differs from the undisturbed one.
pub(crate) fn gone_on_with(
    place: &Place,
    folder: &Path,
    (words, report): (Words, bool),
    undisturbed: &Result,
    limits: Limits,
) -> Option<String> {
    match finish(place, folder, words, limits).0 {
        Ok(result) => difference(undisturbed, &result, report),
        Err(error) => Some(format!("cannot be gone on with: {error}")),
    }
}

/// Runs every command that writes, killed `kills` times.
pub(crate) fn round(ground: &mut Ground, kills: usize) {
    let &mut Ground { ref place, limits, ref mut draws, ref mut findings } = ground;
    for (words, report) in writers() {
        if kills == 0 {
            return;
        }
        let whole = undisturbed(place, words, limits);
        for _ in 0..kills {
            let folder = tempfile::tempdir().expect("a folder");
            // Some commands are killed again after they resume.
            let mut times = vec![];
            for _ in 0..1 + draws.below(3) {
                let part = draws.below(1000) as f64 / 1000.0;
                times.push(part * whole.seconds);
                kill_after(place, folder.path(), words, part * whole.seconds);
            }
            let how = || format!("{words}\n  killed after {times:.3?} s of {:.3} s", whole.seconds);
            let wrong = gone_on_with(place, folder.path(), (words, report), &whole, limits);
            findings.note(ROUND, &name(words), wrong, End::Stopped, &how());
        }
    }
}

/// Starts a command, and kills it after some time if it still runs then.
pub(crate) fn kill_after(place: &Place, folder: &Path, words: Words, seconds: f64) {
    let mut command = place.command(folder, words);
    command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let mut child = command.spawn().expect("the binary runs");
    sleep(Duration::from_secs_f64(seconds));
    child.kill().expect("SIGKILL");
    child.wait().expect("its end");
}

/// Returns a folder in which a killed run left something unfinished; `None` if no run did.
pub(crate) fn unfinished(
    place: &Place,
    words: Words,
    seconds: f64,
    draws: &mut Draws,
) -> Option<tempfile::TempDir> {
    for _ in 0..12 {
        let folder = tempfile::tempdir().expect("a folder");
        let part = (300 + draws.below(600)) as f64 / 1000.0;
        kill_after(place, folder.path(), words, part * seconds);
        let names = fs::read_dir(folder.path()).expect("the folder");
        let mut names = names.map(|entry| entry.expect("an entry").file_name());
        if names.any(|name| name.to_string_lossy().contains("partial")) {
            return Some(folder);
        }
    }
    None
}
