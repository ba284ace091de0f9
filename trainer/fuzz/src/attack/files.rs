//! Attacks by damaged files of every kind, and by damaged files of unfinished runs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use othello_testing::kill::{files_in, write_files};

use super::disturbed::{finish, is_unfinished, unfinished};
use super::findings::End;
use super::ground::{Ground, Words, kinds, name, writers};
use super::process::{Ended, is_refusal, run};
use crate::container::{Container, Section, VERSION};
use crate::damage::{Damaged, Fate, damage, damage_unfinished};

pub(super) fn round(ground: &mut Ground<'_>, files: usize) {
    let kinds: Vec<_> = kinds().into_iter().filter(|kind| !kind.readers.is_empty()).collect();
    let everything: Vec<Vec<u8>> = kinds.iter().map(|kind| ground.place.read(kind.name)).collect();
    for (place, (kind, sound)) in kinds.iter().zip(&everything).enumerate() {
        for number in 0..files {
            // Kinds begin with different ways of damage, so few files of each kind cover all ways.
            let way = number + place * files;
            let damaged = damage(sound, way, &everything, &mut ground.draws);
            let reader = kind.readers[ground.draws.below(kind.readers.len())];
            hand(ground, kind.name, &damaged, reader);
        }
    }
    // Every command must refuse weights whose pattern set has neither patterns nor scalar features.
    let mut weights = Container::of(&ground.place.read("small.weights"));
    for section in &mut weights.sections {
        let empty = if section.name == b"pattern set" { &b"name = \"t\"\n"[..] } else { b"" };
        *section = Section { name: section.name.clone(), ..Section::new("", empty) };
    }
    let empty =
        [("small.weights", weights.bytes(VERSION)), ("patterns.toml", b"name = \"t\"\n".to_vec())];
    for (of, bytes) in empty {
        let damaged = Damaged { what: "a set without patterns", bytes, fate: Fate::Refused };
        let readers = kinds.iter().filter(|kind| kind.name == of).flat_map(|kind| &kind.readers);
        readers.for_each(|words| hand(ground, of, &damaged, words));
    }
    for (words, is_fixed) in writers().step_by((32 / files).max(1)) {
        resume_damaged(ground, (words, is_fixed), files.div_ceil(8));
    }
}

fn hand(ground: &mut Ground<'_>, sound: &str, damaged: &Damaged, words: Words) {
    let &mut Ground { place, limits, ref mut findings, .. } = ground;
    let folder = tempfile::tempdir().expect("a folder");
    let path = match sound.split_once('/') {
        None => folder.path().join(format!("x-{sound}")),
        // A command reads all files of a folder, so the whole folder is copied.
        Some((of, name)) => {
            let copy = folder.path().join(format!("x-{of}"));
            write_files(&copy, &files_in(&place.inputs.join(of), &[]));
            copy.join(name)
        }
    };
    fs::write(&path, &damaged.bytes).expect("writable");
    let parent = path.parent().expect("the folder that it is in");
    let argument = |word: &str| match word {
        "@x" => path.clone().into(),
        "@x/.." => parent.into(),
        // `@x.out` means the output of the run to which the damaged part belongs.
        "@x.out" => parent.with_extension("").into(),
        _ => place.words(word).remove(0),
    };
    let arguments: Vec<OsString> = words.split(' ').map(argument).collect();
    let mut command = place.command_of(folder.path(), &arguments);
    let mut limits = limits;
    if sound == "stream" {
        command.stdin(fs::File::open(&path).expect("just written"));
        // A server must answer a stream of any length with little memory.
        limits.mebibytes = 200;
    }
    let ended = run(&mut command, limits);
    let accepted = damaged.fate == Fate::Refused
        && ended.code() == Some(0)
        && !words.contains("--repair")
        && damaged.bytes != place.read(sound);
    let fault = ended
        .fault_on_input(limits)
        .or(accepted.then(|| "accepts a damaged file".to_owned()))
        .or_else(|| {
            let (is_refused, own) = (ended.is_refused(), path.file_name()?.to_string_lossy());
            let by_place = damaged.fate != Fate::Any && is_refused;
            (by_place && !names_the_place(&ended, &own)).then(|| {
                let last = ended.errors.lines().last().unwrap_or_default();
                format!("does not name the file and the place: {last}")
            })
        });
    let fault = fault.map(|fault| format!("{fault} ({})", damaged.what));
    let how = match &fault {
        Some(_) => format!("{words}\n  the file: {}", keep(&path).display()),
        None => String::new(),
    };
    findings.note(&name(&words.replace("@x", sound)), fault, ended.end(), &how);
}

fn names_the_place(ended: &Ended, file: &str) -> bool {
    const NUMBERED: &str = "line |byte |section |record |game |position |version ";
    const NAMED: &str =
        "begins with `|expected a|section `| bytes|the board has|empty squares|pattern|a file of|`";
    let Some((_, place)) = ended.errors.split_once(file) else { return false };
    let is_numbered = NUMBERED.split('|').any(|word| {
        place.split(word).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    is_numbered || NAMED.split('|').any(|words| place.contains(words))
}

/// Copies a file that may reveal a fault into a folder that is not deleted. Returns the new path.
fn keep(path: &Path) -> PathBuf {
    let folder = std::env::temp_dir().join("othello-torture");
    let _ = fs::create_dir_all(&folder);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free =
        (0..).map(|number| folder.join(format!("{number}-{name}"))).find(|path| !path.exists());
    let kept = free.expect("there are names enough");
    let _ = fs::copy(path, &kept);
    kept
}

/// Kills a command, then resumes it `files` times, each time with one of its partial files damaged.
/// The command must refuse the file or finish; if it can detect the damage, with the same result as
/// an undisturbed run.
fn resume_damaged(ground: &mut Ground<'_>, (words, is_fixed): (Words, bool), files: usize) {
    let whole = ground.undisturbed(words);
    let Some(left) = unfinished(ground, words) else { return };
    let left = files_in(left.path(), &[]);
    let &mut Ground { place, limits, ref mut draws, ref mut findings, .. } = ground;
    let is_container = |(name, bytes): &(&PathBuf, &Vec<u8>)| {
        is_unfinished(name) && bytes.starts_with(b"OTHELLO") && bytes.len() >= 20
    };
    let containers: Vec<_> = left.iter().filter(is_container).collect();
    for _ in 0..files.min(containers.len() * files) {
        let folder = tempfile::tempdir().expect("a folder");
        write_files(folder.path(), &left);
        let (file, bytes) = containers[draws.below(containers.len())];
        let (damaged, must_be_as_undisturbed) = damage_unfinished(bytes, draws);
        let path = folder.path().join(file);
        fs::write(&path, &damaged.bytes).expect("writable");
        let kept = keep(&path);
        let (result, code) = finish(place.command(folder.path(), words), folder.path(), limits);
        let is_refused = is_refusal(Some(code));
        let wrong = match result {
            Ok(result) if must_be_as_undisturbed => whole.outcome.difference(&result, is_fixed),
            Err(error) if !is_refused => Some(error),
            _ => None,
        };
        let how = format!("{words}\n  {}: {}", file.display(), kept.display());
        let wrong = wrong.map(|wrong| format!("{wrong} ({})", damaged.what));
        if wrong.is_none() {
            let _ = fs::remove_file(kept);
        }
        let end = if is_refused { End::Refused } else { End::Done };
        findings.note(&format!("{}, resumed", name(words)), wrong, end, &how);
    }
}
