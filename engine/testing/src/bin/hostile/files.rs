//! Damaged files, and forged files with right checksums, given to every command that reads them;
//! and unfinished files whose frames are not the ones that were written.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use othello_testing::container::{Container, Section};
use othello_testing::mutation::{Draws, mutate};

use crate::commands::{Ground, Words, name, writers};
use crate::findings::End;
use crate::kills::{difference, finish, undisturbed, unfinished};
use crate::process::{is_refusal, run};

const ROUND: &str = "files";

/// Returns the sound file of each kind, and the commands that read it, as `@x`.
fn read_by() -> impl Iterator<Item = (&'static str, Vec<Words>)> {
    let kinds = include_str!("files.txt").split("\n\n").skip(1);
    kinds.filter_map(|kind| {
        let (sound, readers) = kind.split_once('\n')?;
        Some((sound, readers.lines().map(str::trim).collect()))
    })
}

/// Tries every kind of file with `files` damaged ones each, and then unfinished files in the same
/// way.
pub(crate) fn round(ground: &mut Ground, files: usize) {
    for (sound, readers) in read_by() {
        let bytes = fs::read(ground.place.input(sound)).expect("an input");
        let is_container = bytes.starts_with(b"OTHELLO");
        assert!(
            !is_container || !Container::of(&bytes).sections.is_empty(),
            "{sound} has no section"
        );
        for number in 0..files {
            let damaged = damage(&bytes, number, &mut ground.draws);
            let place = number / 7 + ground.draws.below(readers.len());
            hand(ground, sound, &damaged, readers[place % readers.len()]);
        }
    }
    if files > 0 {
        nothing_but_a_name(ground);
        for (words, _) in writers() {
            forge_unfinished(ground, words, files.div_ceil(4));
        }
    }
}

/// A damaged file, with a description of the damage.
struct Damaged {
    what: &'static str,
    bytes: Vec<u8>,
    /// True if a file with checksums must be refused for it.
    must_be_refused: bool,
}

fn damage(sound: &[u8], number: usize, draws: &mut Draws) -> Damaged {
    let at = draws.below(sound.len());
    let is_container = sound.starts_with(b"OTHELLO");
    let (what, bytes) = match number % 7 {
        0 => ("cut off", sound[..at].to_vec()),
        1 => ("changed", mutate(sound, b"\x1b[2J\0\xff 9999999999", draws)),
        2 => ("foreign", b"\x89PNG\r\n\x1a\n somebody's notes\n".repeat(draws.below(50))),
        _ if is_container => return forged(&Container::of(sound), draws),
        _ => ("changed", mutate(sound, sound, draws)),
    };
    let must_be_refused = is_container && bytes != sound;
    Damaged { what, bytes, must_be_refused }
}

/// The place of a section: every kind as likely as any other, however many there are of it.
fn place_of_a_kind(container: &Container, draws: &mut Draws) -> usize {
    let kind = |section: &Section| {
        let name = String::from_utf8_lossy(&section.name).into_owned();
        name.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned()
    };
    let all: Vec<String> = container.sections.iter().map(kind).collect();
    let kinds: Vec<&String> = all.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let wanted = kinds[draws.below(kinds.len())];
    let places: Vec<usize> = (0..all.len()).filter(|&at| all[at] == *wanted).collect();
    places[draws.below(places.len())]
}

/// A container that is sound as such, and whose content is nonsense.
fn forged(sound: &Container, draws: &mut Draws) -> Damaged {
    let mut forged = sound.clone();
    let place = place_of_a_kind(&forged, draws);
    let section = forged.sections[place].clone();
    let renew =
        |content: &[u8]| Section { name: section.name.clone(), ..Section::new("", content) };
    let what = match draws.below(11) {
        0 => {
            forged.sections[place] =
                renew(&mutate(&section.content, b"\xff\xff\x7f\x80\0\0", draws));
            "a changed section, right checksums"
        }
        1 => {
            let byte = [0, 0x7F, 0x80, 0xFF][draws.below(4)];
            forged.sections[place] = renew(&vec![byte; section.content.len()]);
            "a section of one byte, right checksums"
        }
        2 => {
            let end = draws.below(section.content.len());
            forged.sections[place] = renew(&section.content[..end]);
            "a short section, right checksums"
        }
        3 => {
            drop(forged.sections.remove(place));
            "a section dropped, right checksums"
        }
        4 => {
            forged.sections.insert(place, section);
            "a section doubled, right checksums"
        }
        5 => {
            let other = draws.below(forged.sections.len());
            forged.sections.swap(place, other);
            "sections swapped, right checksums"
        }
        6 => {
            forged.provenance = mutate(&sound.provenance, b"{}[]\":,0-9e309null", draws);
            "other provenance, right checksums"
        }
        7 => {
            let step = [60_000_u16, 65_535, 1][draws.below(3)].to_le_bytes();
            let head = section.content.get(..2).unwrap_or_default().to_vec();
            let rest = step.into_iter().cycle().take(section.content.len().saturating_sub(2));
            forged.sections[place] = renew(&head.into_iter().chain(rest).collect::<Vec<u8>>());
            "a section of one number, right checksums"
        }
        8 => {
            let name = String::from_utf8_lossy(&section.name).into_owned();
            let other = ["0", "+", " ", "\u{1b}[2J", "<!--<script>"][draws.below(5)];
            let renamed = match name.rsplit_once(' ') {
                Some((kind, number)) => format!("{kind} {other}{number}"),
                None => format!("{other}{name}"),
            };
            forged.sections[place].name = renamed.into_bytes();
            "a section by another name, right checksums"
        }
        9 => {
            let long = "\u{1b}]0;k\u{9b}2J<!--<script>".repeat(5000);
            forged.provenance =
                serde_json::json!({"command": long, long.as_str(): long}).to_string().into_bytes();
            "provenance that a terminal obeys, right checksums"
        }
        _ => {
            forged.sections[place] = renew(&vec![0; 1 << 24]);
            "a section of zeros, right checksums"
        }
    };
    Damaged { what, bytes: forged.bytes(), must_be_refused: false }
}

/// Gives a damaged file to a command.
fn hand(ground: &mut Ground, sound: &str, damaged: &Damaged, words: Words) {
    let Ground { place, limits, findings, .. } = ground;
    let folder = tempfile::tempdir().expect("a folder");
    let path = match sound.split_once('/') {
        None => folder.path().join(format!("x-{sound}")),
        // A file of a folder is read together with the others.
        Some((of, name)) => {
            let copy = folder.path().join(format!("x-{of}"));
            fs::create_dir(&copy).expect("a folder");
            for entry in fs::read_dir(place.input(of)).expect("an input") {
                let entry = entry.expect("an entry");
                fs::copy(entry.path(), copy.join(entry.file_name())).expect("writable");
            }
            copy.join(name)
        }
    };
    fs::write(&path, &damaged.bytes).expect("writable");
    let parent = path.parent().expect("the folder that it is in").to_owned();
    let words: Vec<_> = words
        .split(' ')
        .map(|word| match word {
            "@x" => path.clone().into(),
            "@x/.." => parent.clone().into(),
            _ => place.words(word).remove(0),
        })
        .collect();
    let ended = run(&mut place.command_of(folder.path(), &words), *limits);
    let name = name(&shown(&words).replace(&path.display().to_string(), sound));
    let taken = damaged.must_be_refused && ended.code() == Some(0) && !is_repair(&words);
    let fault = ended
        .fault(*limits)
        .or_else(|| ended.misspoken())
        .or(ended.took_too_long().then(|| "hangs".to_owned()))
        .or(taken.then(|| "takes a damaged file for good".to_owned()));
    let Some(fault) = fault else {
        let end = if ended.code() == Some(0) { End::Done } else { End::Refused };
        return findings.count(ROUND, &name, end);
    };
    let kept = keep(&path);
    findings.report(
        ROUND,
        &name,
        &format!("{fault} ({})", damaged.what),
        &format!("{}\n  the file: {}", shown(&words), kept.display()),
    );
}

fn is_repair(words: &[std::ffi::OsString]) -> bool {
    words.iter().any(|word| word == "--repair")
}

fn shown(words: &[std::ffi::OsString]) -> String {
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Copies a file that revealed something to a place where it stays.
fn keep(path: &Path) -> PathBuf {
    let folder = std::env::temp_dir().join("othello-hostile");
    let _ = fs::create_dir_all(&folder);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free =
        (0..).map(|number| folder.join(format!("{number}-{name}"))).find(|path| !path.exists());
    let kept = free.expect("there are names enough");
    let _ = fs::copy(path, &kept);
    kept
}

/// Tries weights whose pattern set has no pattern and no scalar: no command can use them.
fn nothing_but_a_name(ground: &mut Ground) {
    let mut weights =
        Container::of(&fs::read(ground.place.input("small.weights")).expect("an input"));
    for section in &mut weights.sections {
        let empty = if section.name == b"pattern set" { &b"name = \"t\"\n"[..] } else { b"" };
        *section = Section { name: section.name.clone(), ..Section::new("", empty) };
    }
    let what = "a set without patterns, right checksums";
    let damaged = Damaged { what, bytes: weights.bytes(), must_be_refused: true };
    let set = Damaged { what, bytes: b"name = \"t\"\n".to_vec(), must_be_refused: true };
    for (sound, readers) in read_by() {
        let damaged = match sound {
            "small.weights" => &damaged,
            "patterns.toml" => &set,
            _ => continue,
        };
        readers.iter().for_each(|words| hand(ground, sound, damaged, words));
    }
}

/// Changes the files of a killed run: they must be refused, or give the undisturbed result.
fn forge_unfinished(ground: &mut Ground, words: Words, files: usize) {
    let &mut Ground { ref place, limits, ref mut draws, ref mut findings } = ground;
    let whole = undisturbed(place, words, limits);
    let Some(left) = unfinished(place, words, whole.seconds, draws) else { return };
    let left = othello_testing::kill::files_in(left.path(), &[]);
    for _ in 0..files {
        let folder = tempfile::tempdir().expect("a folder");
        othello_testing::kill::write_files(folder.path(), &left);
        // A complete output with right checksums counts as sound.
        let is_partial = |name: &&PathBuf| name.to_string_lossy().ends_with(".partial");
        let partial: Vec<&PathBuf> = left.keys().filter(is_partial).collect();
        let Some(&name_of_file) = partial.get(draws.below(partial.len().max(1))) else { return };
        let bytes = &left[name_of_file];
        if !bytes.starts_with(b"OTHELLO") || bytes.len() < 20 {
            continue;
        }
        let (damaged, must_be_as_undisturbed) = forge(bytes, draws);
        fs::write(folder.path().join(name_of_file), &damaged.bytes).expect("writable");
        let how =
            format!("{words}\n  {} of a killed run: {}", name_of_file.display(), damaged.what);
        let name = format!("{}, resumed", name(words));
        let (result, code) = finish(place, folder.path(), words, limits);
        let wrong = match result {
            Ok(result) if must_be_as_undisturbed => difference(&whole, &result, false),
            Err(error) if !is_refusal(Some(code)) => Some(error),
            _ => None,
        };
        match wrong {
            Some(wrong) => {
                let kept = folder.path().join("forged");
                fs::write(&kept, &damaged.bytes).expect("writable");
                let kept = keep(&kept);
                let how = format!("{how}\n  the file: {}", kept.display());
                findings.report(ROUND, &name, &format!("{wrong} ({})", damaged.what), &how);
            }
            None if is_refusal(Some(code)) => findings.count(ROUND, &name, End::Refused),
            None => findings.count(ROUND, &name, End::Done),
        }
    }
}

/// Changes an unfinished file; returns whether the result must be the undisturbed one. After a
/// change of a section's content with right checksums, it need not be.
fn forge(bytes: &[u8], draws: &mut Draws) -> (Damaged, bool) {
    let sound = Container::of(bytes);
    if draws.below(3) == 0 || sound.sections.is_empty() {
        let damaged = damage(bytes, draws.below(3), draws);
        return (damaged, true);
    }
    if draws.below(2) == 0 {
        return (forged(&sound, draws), false);
    }
    let mut forged = sound.clone();
    let (one, other) = (draws.below(forged.sections.len()), draws.below(forged.sections.len()));
    let what = match draws.below(3) {
        0 => {
            forged.sections.swap(one, other);
            "frames swapped, right checksums"
        }
        1 => {
            let section = forged.sections[one].clone();
            forged.sections.insert(other, section);
            "a frame doubled, right checksums"
        }
        _ => {
            drop(forged.sections.remove(one));
            "a frame dropped, right checksums"
        }
    };
    (Damaged { what, bytes: forged.bytes(), must_be_refused: false }, true)
}
