//! Attacks by hostile command-line arguments. A command must refuse them, or do no harm.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use othello_testing::kill::{files_in, write_files};

use super::findings::End;
use super::ground::{
    Ground, Limits, NAMED, OTHER_READERS, Place, WORDED, kinds, listed, name, writers,
};
use super::obstacles::put;
use super::process::run;
use crate::mutation::Draws;

const NUMBERS: &str = " \
    0 1 2 -1 60 65 100000 4294967295 4294967296 18446744073709551615 18446744073709551616 \
    -9223372036854775808 1e307 1e-320 nan inf -inf 1/0 0/1 3/2 4294967296/4294967297 \
    0..=4294967295 60..0 .. 8..=24*0 all:result*1e308 1,0.5,nan step:0:0 1000000";

/// Hostile paths; the first is empty. `null` and `full` link to devices; `missing` does not exist.
const PLACES: &str = " folder . / null full missing/x notes.txt notes.txt/x fifo";

const WORDS: &[u8] = b"\xff\xfe,\x1b[31m,a b, ,-,--,none,embedded,mobility,standard,*,x*1e300";

const FLAGS: &str = "\
    --threads --hash-mb --memory-mb --seed --shard --max-mae --ridge --worst --phases \
    --window --depth --test-percent";

/// Flags (and the command `perft`) whose value sets the amount of work, which may be endless.
const AMOUNTS: &str = "\
    --games --depth --exact --pairs --random --iterations --positions --searches --count \
    --repetitions --plies --score-depth --epochs \
    --random-plies --minutes --batch perft --hash-mb";

const OUTPUTS: [&str; 5] = ["--out", "--repair", "--picture", "--games-out", "--transcripts-out"];

/// Files that no command wrote. Without `--force`, no command may overwrite them.
const FOREIGN: &str = "\
    notes.txt out.weights.report.json out.weights.metrics.jsonl out.games out.bin";

const NAMES: &str = "\
    <!--<script>.weights -->]]>&lt;'\"`${x}.weights \u{1b}[2J\u{7}.weights \
    \u{9b}2J\u{202e}.weights a\nb\rc.weights é<b>.weights";

pub(super) fn round(ground: &mut Ground<'_>, lists: usize) {
    inputs_as_outputs(ground);
    hostile_words(ground);
    hostile_names(ground);
    let readers = kinds().into_iter().flat_map(|kind| {
        let sound = format!("@{}", kind.name);
        kind.readers.into_iter().map(move |words| words.replace("@x", &sound))
    });
    let others = writers().map(|(words, _)| words).chain(listed(OTHER_READERS)).map(str::to_owned);
    let commands: Vec<String> = others.chain(readers).collect();
    for words in commands.iter().cycle().take(lists) {
        let scene = scene(ground.place, &mut ground.draws);
        let (mut list, inputs) = parts(words);
        let mut is_endless = false;
        for _ in 0..1 + ground.draws.below(4) / 3 {
            is_endless |= change(&mut list, &inputs, &mut ground.draws);
        }
        attack(ground, words, scene.path(), (&list, &inputs), (is_endless, None));
    }
}

fn inputs_as_outputs(ground: &mut Ground<'_>) {
    let scene = scene(ground.place, &mut ground.draws);
    for (words, _) in writers() {
        let (list, inputs) = parts(words);
        for (at, input) in (1..list.len()).flat_map(|at| inputs.iter().map(move |it| (at, it))) {
            if OUTPUTS.iter().any(|flag| list[at - 1] == **flag) {
                let mut list = list.clone();
                // A command whose output is a folder may refuse a file for another reason.
                let is_file = list[at].to_string_lossy().contains('.');
                list[at] = Path::new(if at % 2 == 0 { "." } else { "" }).join(input).into();
                list.push("--force".into());
                let refusal = is_file.then_some("is also an input");
                attack(ground, words, scene.path(), (&list, &inputs), (false, refusal));
            }
        }
    }
}

fn hostile_words(ground: &mut Ground<'_>) {
    let scene = scene(ground.place, &mut ground.draws);
    let long = "x".repeat(100_000);
    for (word, shown) in
        [(long.as_str(), "xxx … xxx"), ("z\u{1b}[2J\u{9b}2J", "z\\u{1b}[2J\\u{9b}2J")]
    {
        for words in listed(WORDED) {
            let list: Vec<OsString> =
                words.split(' ').map(|part| part.replace("WORD", word).into()).collect();
            attack(ground, words, scene.path(), (&list, &[]), (false, Some(shown)));
        }
    }
}

fn hostile_names(ground: &mut Ground<'_>) {
    for name in NAMES.split(' ') {
        let scene = scene(ground.place, &mut ground.draws);
        fs::copy(scene.path().join("whole.weights"), scene.path().join(name)).expect("writable");
        for words in listed(NAMED) {
            let (list, inputs) = parts(&words.replace("NAME", &format!("./{name}")));
            attack(ground, words, scene.path(), (&list, &inputs), (false, None));
        }
    }
}

fn parts(words: &str) -> (Vec<OsString>, Vec<OsString>) {
    let inputs = words.split(' ').filter_map(|word| Some(word.strip_prefix('@')?.into()));
    (words.split(' ').map(|word| word.trim_start_matches('@').into()).collect(), inputs.collect())
}

/// Makes a folder with files that arguments may name. It has devices only as links (`null`,
/// `full`), because a command that runs as root could replace a device named by its own path.
fn scene(place: &Place, draws: &mut Draws) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write_files(folder.path(), &files_in(&place.inputs, &[]));
    let things = ["a folder", "a pipe", "/dev/null", "/dev/full"];
    for (name, thing) in ["folder", "fifo", "null", "full"].iter().zip(things) {
        put(&folder.path().join(name), thing);
    }
    let all = draws.below(2) == 0;
    for foreign in FOREIGN.split(' ').take(if all { usize::MAX } else { 1 }) {
        fs::write(folder.path().join(foreign), "somebody's notes\n").expect("writable");
    }
    folder
}

/// Runs the command line `list`, and notes any fault. If `is_endless`, the command may run forever.
/// With a `refusal`, it must refuse its arguments, with this text in its message.
fn attack(
    ground: &mut Ground<'_>,
    words: &str,
    folder: &Path,
    (list, inputs): (&[OsString], &[OsString]),
    (is_endless, refusal): (bool, Option<&str>),
) {
    let &mut Ground { place, limits, ref mut findings, .. } = ground;
    let before = regular_files(folder);
    let seconds = if is_endless { 2 } else { limits.seconds };
    let limits = Limits { seconds: limits.seconds.min(seconds), ..limits };
    let ended = run(&mut place.command_of(folder, list), limits);
    let after = regular_files(folder);
    let is_refused = refusal.is_none_or(|words| ended.is_refused() && ended.errors.contains(words));
    let fault = ended
        .fault_on_input(limits)
        .filter(|fault| fault != "hangs" || !is_endless)
        .or_else(|| ended.repeats_its_input())
        .or_else(|| harm(list, inputs, [&before, &after]))
        .or_else(|| litter(list, ended.code(), [&before, &after]))
        .or_else(|| (!is_refused).then(|| format!("is not refused so: {}", ended.errors)));
    let shown = list.iter().map(|word| word.to_string_lossy().chars().take(80).collect::<String>());
    let shown: Vec<String> = shown.map(|word| format!("{word:?}")).collect();
    let end = match ended.code() {
        None => End::Stopped,
        Some(0 | 1) => End::Done,
        Some(_) => End::Refused,
    };
    findings.note(&name(words), fault, end, &shown.join(" "));
}

/// Changes a list of arguments at random. Returns true if the command may now run forever.
fn change(list: &mut Vec<OsString>, inputs: &[OsString], draws: &mut Draws) -> bool {
    fn one(of: &'static str, draws: &mut Draws) -> &'static str {
        draws.one::<&str>(&of.split(' ').collect::<Vec<_>>())
    }
    let place = |draws: &mut Draws| match draws.below(2) {
        0 if !inputs.is_empty() => draws.one(inputs).clone(),
        _ => one(PLACES, draws).into(),
    };
    let after =
        |flag: &str, list: &[OsString]| Some(list.iter().position(|word| word == flag)? + 1);
    let output = OUTPUTS[..3].iter().find_map(|flag| after(flag, list));
    let input = (1..list.len()).find(|&at| inputs.contains(&list[at]));
    match (draws.below(8), output, input) {
        // Replaces the output by a random path, such as an input, a device or a foreign file.
        (0..3, Some(at), _) if at < list.len() => {
            list[at] = place(draws);
            list.extend((draws.below(2) == 0).then(|| "--force".into()));
            false
        }
        // Replaces an input by a random path, such as that of a missing file or of another kind.
        (3, _, Some(at)) => {
            // A command with a FIFO as its input would wait forever for data.
            list[at] = Some(place(draws)).filter(|place| place != "fifo").unwrap_or_default();
            false
        }
        (4, ..) => {
            let at = 1 + draws.below(list.len() - 1);
            match draws.below(4) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, OsString::from("x".repeat(100_000))),
                _ => {
                    let words: Vec<&[u8]> = WORDS.split(|&letter| letter == b',').collect();
                    list[at] = OsStr::from_bytes(draws.one::<&[u8]>(&words)).to_owned();
                }
            }
            false
        }
        // Gives a flag a hostile number: a flag of the list, or one that is added.
        _ => {
            let is_number =
                |word: &OsString| word.to_str().is_some_and(|word| word.parse::<u64>().is_ok());
            let numbers: Vec<usize> = (1..list.len()).filter(|&at| is_number(&list[at])).collect();
            let number: OsString = one(NUMBERS, draws).into();
            if numbers.is_empty() || draws.below(3) == 0 {
                let flag = one(FLAGS, draws);
                list.extend([flag.into(), number]);
                return AMOUNTS.split(' ').any(|amount| amount == flag);
            }
            let at = numbers[draws.below(numbers.len())];
            list[at] = number;
            AMOUNTS.split(' ').any(|flag| list[at - 1] == flag)
        }
    }
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

fn regular_files(folder: &Path) -> Files {
    let fifo = folder.join("fifo");
    let is_fifo = fs::symlink_metadata(&fifo).is_ok_and(|metadata| !metadata.is_file());
    let except: &[&str] = if is_fifo { &["fifo"] } else { &[] };
    files_in(folder, except)
}

/// Returns a fault if a command changed or deleted an existing file. With `--force`, the command
/// may change files, but not its inputs, and `notes.txt` only if the arguments `list` name it.
fn harm(list: &[OsString], inputs: &[OsString], [before, after]: [&Files; 2]) -> Option<String> {
    let has = |word: &str| list.iter().any(|it| it == word);
    let is_input = |name: &Path| inputs.iter().any(|input| input == name.as_os_str());
    let is_foreign = |name: &Path| name == Path::new("notes.txt") && !has("notes.txt");
    let mut changed = before.iter().filter(|(name, bytes)| after.get(*name) != Some(bytes));
    let (name, _) =
        changed.find(|(name, _)| !has("--force") || is_input(name) || is_foreign(name))?;
    let whose = if is_input(name) { "its input" } else { "a file that is not its own" };
    Some(format!("overwrites {whose}, {}", name.display()))
}

/// Returns a fault if a command left temporary files behind. With `--shard`, it may leave a folder
/// `OUT.parts`.
fn litter(list: &[OsString], code: Option<i32>, [before, after]: [&Files; 2]) -> Option<String> {
    let mut new = after.keys().filter(|name| !before.contains_key(*name));
    let is_shard = list.iter().any(|word| word == "--shard");
    let is_litter = |name: &&PathBuf| {
        let name = name.to_string_lossy();
        let is_of_a_run = name.contains("partial") || name.contains(".parts/") && !is_shard;
        name.starts_with(".tmp") || code == Some(0) && is_of_a_run
    };
    let found = new.find(is_litter).filter(|_| code.is_some())?;
    Some(format!("leaves {} behind", found.display()))
}
