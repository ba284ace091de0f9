//! Hostile lists of arguments: a message or the work asked for, and nobody's file written over.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use othello_testing::kill::files_in;
use othello_testing::mutation::Draws;

use crate::commands::{Place, READERS, WRITERS, name};
use crate::findings::{End, Findings};
use crate::process::{Limits, run};

const ROUND: &str = "arguments";

const HOSTILE: [&[u8]; 48] = [
    b"",
    b" ",
    b"-",
    b"--",
    b"-1",
    b"0",
    b"1",
    b"2",
    b"65",
    b"100000",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"18446744073709551616",
    b"-9223372036854775808",
    b"1e307",
    b"1e-320",
    b"nan",
    b"inf",
    b"-inf",
    b"1/0",
    b"0/1",
    b"3/2",
    b"4294967296/4294967297",
    b"0..=4294967295",
    b"60..0",
    b"..",
    b"8..=24*0",
    b"all:result*1e308",
    b"1,0.5,nan",
    b"step:0:0",
    b"x*1e300",
    b"*",
    b"\xff\xfe",
    b"\x1b[31m",
    b"a b",
    b"none",
    b"embedded",
    b"mobility",
    b"standard",
    b".",
    b"folder",
    b"/",
    b"/dev/null",
    b"/dev/full",
    b"missing/x",
    b"notes.txt",
    b"none/none",
];

/// Flags that may ask for work without end.
const AMOUNTS: [&str; 21] = [
    "--games",
    "--depth",
    "--exact",
    "--pairs",
    "--random",
    "--iterations",
    "--positions",
    "--searches",
    "--count",
    "--repetitions",
    "--plies",
    "--score-depth",
    "--white-depth",
    "--black-depth",
    "--white-exact",
    "--epochs",
    "--random-plies",
    "--minutes",
    "--batch",
    "perft",
    "--hash-mb",
];

/// What stands beside the outputs, and is somebody else's.
const FOREIGN: [&str; 6] = [
    "notes.txt",
    "out.weights.report.json",
    "out.weights.metrics.jsonl",
    "out.weights.phase-30.checkpoint",
    "out.games",
    "out.bin",
];

/// So many lists.
pub(crate) fn round(
    place: &Place,
    lists: usize,
    limits: Limits,
    draws: &mut Draws,
    findings: &mut Findings,
) {
    let commands: Vec<&str> = WRITERS.iter().map(|(words, _)| *words).chain(READERS).collect();
    for number in 0..lists {
        let words = commands[number % commands.len()];
        attack(place, words, limits, draws, findings);
    }
}

/// A folder with copies of the inputs, a folder, a FIFO, and perhaps somebody's files.
fn scene(place: &Place, draws: &mut Draws) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(&place.inputs).expect("the inputs") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap_or_default())).expect("a copy");
    }
    fs::create_dir(folder.path().join("folder")).expect("a folder");
    mkfifo(&folder.path().join("fifo"), Mode::S_IRWXU).expect("a FIFO");
    let all = draws.below(2) == 0;
    for foreign in FOREIGN.iter().take(if all { FOREIGN.len() } else { 1 }) {
        fs::write(folder.path().join(foreign), "somebody's notes\n").expect("writable");
    }
    folder
}

fn attack(place: &Place, words: &str, limits: Limits, draws: &mut Draws, findings: &mut Findings) {
    let folder = scene(place, draws);
    let mut list: Vec<OsString> =
        words.split(' ').map(|word| word.trim_start_matches('@').into()).collect();
    let inputs: Vec<OsString> =
        words.split(' ').filter_map(|word| Some(word.strip_prefix('@')?.into())).collect();
    let mut endless = false;
    for _ in 0..1 + draws.below(3) {
        endless |= change(&mut list, &inputs, draws);
    }
    let before = regular_files(folder.path());
    let limits = if endless { Limits { seconds: limits.seconds.min(2), ..limits } } else { limits };
    let mut command = place.command_of(folder.path(), &list);
    let ended = run(&mut command, limits);
    let after = regular_files(folder.path());
    let fault = ended
        .fault(limits)
        .or((ended.took_too_long() && !endless).then(|| "hangs".to_owned()))
        .or_else(|| harm(&list, &inputs, &before, &after))
        .or_else(|| litter(ended.code(), &before, &after));
    let shown: Vec<String> = list
        .iter()
        .map(|word| format!("{:?}", word.to_string_lossy().chars().take(80).collect::<String>()))
        .collect();
    match (fault, ended.code()) {
        (Some(fault), _) => findings.report(ROUND, &name(words), &fault, &shown.join(" ")),
        (_, None) => findings.count(ROUND, &name(words), End::Stopped),
        (_, Some(0 | 1)) => findings.count(ROUND, &name(words), End::Done),
        _ => findings.count(ROUND, &name(words), End::Refused),
    }
}

/// Changes a word, takes one out or puts one in; whether the work may now take for ever.
fn change(list: &mut Vec<OsString>, inputs: &[OsString], draws: &mut Draws) -> bool {
    let at = 1 + draws.below(list.len() - 1);
    let before = list[at - 1].clone();
    let is_output = ["--out", "--repair", "--indices"].iter().any(|flag| before == *flag);
    let is_amount = AMOUNTS.iter().any(|flag| before == *flag);
    let hostile = match draws.below(12) {
        0 if !inputs.is_empty() => inputs[draws.below(inputs.len())].clone(),
        1 if is_output => "fifo".into(),
        2 => OsString::from("x".repeat(100_000)),
        _ => OsStr::from_bytes(HOSTILE[draws.below(HOSTILE.len())]).to_owned(),
    };
    match draws.below(10) {
        0 if list.len() > 2 => drop(list.remove(at)),
        1 => list.push("--force".into()),
        2 => {
            let flags = [
                "--threads",
                "--hash-mb",
                "--memory-mb",
                "--seed",
                "--shard",
                "--max-mae",
                "--ridge",
                "--worst",
            ];
            list.extend([flags[draws.below(flags.len())].into(), hostile]);
        }
        3 => list.insert(at, hostile),
        _ => list[at] = hostile,
    }
    is_amount
}

fn regular_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let fifo = folder.join("fifo");
    let is_fifo = fs::symlink_metadata(&fifo).is_ok_and(|metadata| !metadata.is_file());
    let except: &[&str] = if is_fifo { &["fifo"] } else { &[] };
    files_in(folder, except)
}

/// A file that was there and is not as it was. With `--force` the output may be, if it is no input.
fn harm(
    list: &[OsString],
    inputs: &[OsString],
    before: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
) -> Option<String> {
    let forced = list.iter().any(|word| word == "--force");
    let changed = before.iter().filter(|(name, bytes)| after.get(*name) != Some(bytes));
    for (name, _) in changed {
        let is_input = inputs.iter().any(|input| input == name.as_os_str());
        if !forced
            || is_input
            || name == Path::new("notes.txt") && !list.iter().any(|word| word == "notes.txt")
        {
            let whose = if is_input { "its input" } else { "a file that is not its own" };
            return Some(format!("writes over {whose}, {}", name.display()));
        }
    }
    None
}

/// Temporary files that stay behind.
fn litter(
    code: Option<i32>,
    before: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
) -> Option<String> {
    let mut new = after.keys().filter(|name| !before.contains_key(*name));
    let is_litter = |name: &&PathBuf| {
        let name = name.to_string_lossy();
        name.starts_with(".tmp") || code == Some(0) && name.contains("partial")
    };
    let found = new.find(is_litter).filter(|_| code.is_some())?;
    Some(format!("leaves {} behind", found.display()))
}
