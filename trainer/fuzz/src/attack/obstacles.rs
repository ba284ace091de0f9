//! An attack that puts obstacles, such as named pipes and devices, where a command writes an output
//! or looks for a file beside its inputs. The command must quickly refuse or ignore an obstacle,
//! and not change it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ground::{Ground, NEARBY, listed, name, writers};
use super::process::run;

const THINGS: [&str; 7] =
    ["a pipe", "/dev/zero", "/dev/full", "nowhere", "itself", "a folder", "1 TB"];

/// The length in bytes of the obstacle `1 TB`, a sparse file, which takes no space on the disk.
const HUGE: u64 = 1 << 40;

/// Runs each command that writes files, `times` times, with an obstacle in place of an output or a
/// partial output. Then runs each command of the list [`NEARBY`] with an obstacle at the path that
/// the list states, where the command looks for a file.
pub(super) fn round(ground: &mut Ground<'_>, times: usize) {
    for (words, _) in writers() {
        let whole = ground.undisturbed(words);
        let outputs: Vec<&PathBuf> = whole.outcome.files.keys().collect();
        for _ in 0..times {
            let output = outputs[ground.draws.below(outputs.len())];
            let beside = ["", ".partial", ".parts"][ground.draws.below(3)];
            let path = PathBuf::from(format!("{}{beside}", output.display()));
            let folder = tempfile::tempdir().expect("a folder");
            let thing = THINGS[ground.draws.below(THINGS.len())];
            // A command may succeed without its `.partial` and `.parts`, so need not refuse these.
            let must_be_refused = beside.is_empty() && !may_be_replaced(&path, thing);
            attack(ground, folder.path(), words, (&path, thing), (must_be_refused, false));
        }
    }
    for line in listed(NEARBY) {
        let must_be_refused = !line.starts_with('~');
        let (path, words) = line.trim_start_matches("~ ").split_once(": ").expect("a path");
        for thing in THINGS {
            let folder = tempfile::tempdir().expect("a folder");
            let at = folder.path();
            for (from, to) in [
                ("random.games", "records/random.games"),
                ("laid-out/training-30.positions", "data/training-30.positions"),
                ("small.weights", "own.weights"),
            ] {
                fs::create_dir_all(at.join(to).parent().expect("a folder")).expect("a folder");
                fs::copy(ground.place.inputs.join(from), at.join(to)).expect("writable");
            }
            attack(ground, at, words, (Path::new(path), thing), (must_be_refused, true));
        }
    }
}

/// Puts the obstacle `thing` at `path`, runs the command `words` and notes its faults. If
/// `must_be_refused`, the command must fail. If the command looks for a file at `path`
/// (`is_looked_for`), its error message must name the obstacle.
fn attack(
    ground: &mut Ground<'_>,
    folder: &Path,
    words: &str,
    (path, thing): (&Path, &str),
    (must_be_refused, is_looked_for): (bool, bool),
) {
    let &mut Ground { place, limits, ref mut findings, .. } = ground;
    let there = folder.join(path);
    fs::create_dir_all(there.parent().expect("a folder")).expect("a folder");
    put(&there, thing);
    let ended = run(&mut place.command(folder, words), limits);
    let is_done = ended.code() == Some(0);
    let fault = ended
        .fault_on_input(limits)
        .or((!may_be_replaced(path, thing) && !is_as_it_was(&there, thing))
            .then(|| "overwrites a foreign file".to_owned()))
        .or((is_done && must_be_refused).then(|| "reports success".to_owned()))
        .or((ended.is_refused() && is_looked_for && !is_named(&ended.errors, path, thing))
            .then(|| format!("does not name it: {}", ended.errors)));
    let how = format!("{thing} at {}: {words}", path.display());
    findings.note(&name(words), fault, ended.end(), &how);
}

/// Returns true if `message` names the obstacle and its path, or if it need not: only pipes and
/// `/dev/zero` must be named.
fn is_named(message: &str, path: &Path, thing: &str) -> bool {
    let names = |kind| message.contains(&path.display().to_string()) && message.contains(kind);
    match thing {
        "a pipe" => names("a named pipe"),
        "/dev/zero" => names("a device"),
        _ => true,
    }
}

/// Returns true if a command may replace the obstacle `thing`, because the command uses `path` only
/// for its own unfinished output.
fn may_be_replaced(path: &Path, thing: &str) -> bool {
    let is = |path: &Path, kind| path.extension().is_some_and(|extension| extension == kind);
    path.parent().is_some_and(|parent| is(parent, "parts"))
        || thing == "a folder" && is(path, "parts")
        || thing == "1 TB" && is(path, "partial")
}

pub(super) fn put(path: &Path, thing: &str) {
    match thing {
        "a pipe" => {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.is_ok_and(|status| status.success()), "no mkfifo");
        }
        "a folder" => fs::create_dir(path).expect("a folder"),
        "1 TB" => fs::File::create(path).and_then(|file| file.set_len(HUGE)).expect("sparse files"),
        "itself" => symlink(path.file_name().expect("a name"), path).expect("a link"),
        target => symlink(target, path).expect("a link"),
    }
}

fn is_as_it_was(path: &Path, thing: &str) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    match thing {
        "a pipe" => !metadata.is_file() && !metadata.is_dir() && !metadata.is_symlink(),
        "a folder" => metadata.is_dir(),
        "1 TB" => metadata.is_file() && metadata.len() == HUGE,
        _ => metadata.is_symlink(),
    }
}
