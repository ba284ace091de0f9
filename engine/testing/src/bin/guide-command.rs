//! Replaces the commands of a guide when `tests/guides.rs` runs the guide's code blocks. The test
//! makes links to this program, with the names of the commands. Under each name, it does this:
//!
//! * `othello-engine`, `othello-trainer`: this program creates missing inputs, deletes an output
//!   that an earlier block made, and runs the real program. It limits amounts to [`AT_MOST`], adds
//!   the arguments in [`ADDED`], and changes a shard I/N with N > 3 to 1/1. It only checks the
//!   arguments of commands in a code block of the language `text`, of runs of a recipe (which take
//!   minutes) and, without a GPU, of commands that need a GPU.
//! * `cargo` and the scripts of the repository: this program does nothing.
//!
//! If the real program exits with status 1 (its work found something wrong, as may happen on so
//! small a scale), this program exits with 0.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use othello_testing::guides::{BINARIES, CHECKED, inputs};

const AT_MOST: &str = "\
    --games 60 --pairs 4 --depth 2 --nodes 300 --level 4 --exact 6 --plies 5 --score-depth 1 \
    --hash-mb 4 --random 300 --count 20 --positions 100 --searches 1 --epochs 2 --repetitions 1 \
    --seeds 2";

/// The flags, with their values, that this program adds to commands. The line `WORDS: FLAGS` is for
/// commands that begin with WORDS; a flag that a command already has is not added.
const ADDED: &str = "\
    selfplay: --depth 1 --exact 6
    fit: --epochs 1 --phases 30..33
    calibrate ordering: --positions 100 --searches 1
    calibrate probcut: --positions 100 --depth 6
    othello-trainer bench: --games 60 --repetitions 1";

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let name = Path::new(&name).file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let arguments: Vec<String> = arguments.collect();
    let is_program = matches!(name.as_str(), "othello-engine" | "othello-trainer");
    let done = !is_program || run(&name, &arguments);
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(program: &str, arguments: &[String]) -> bool {
    let arguments = smaller(program, arguments);
    if std::env::var_os(CHECKED).is_some() || is_only_checked(program, &arguments) {
        let help = real(program).args(&arguments).arg("--help").output();
        return help.is_ok_and(|output| output.status.success());
    }
    // The argument of `pack` is not an input: it names an output that does not exist yet.
    if arguments.first().is_none_or(|command| command != "pack") {
        inputs::make_missing(&arguments);
    }
    take_away_outputs(&arguments);
    let status = real(program).args(&arguments).status();
    let is_done = status.is_ok_and(|status| matches!(status.code(), Some(0 | 1)));
    if !is_done {
        eprintln!("as: {program} {}", arguments.join(" "));
    }
    is_done
}

fn real(program: &str) -> Command {
    Command::new(PathBuf::from(std::env::var_os(BINARIES).unwrap_or_default()).join(program))
}

fn smaller(program: &str, arguments: &[String]) -> Vec<String> {
    let mut smaller = arguments.to_vec();
    for at in 1..smaller.len() {
        let most = AT_MOST.split(' ').skip_while(|flag| *flag != smaller[at - 1]).nth(1);
        let most: Option<u32> = most.and_then(|most| most.parse().ok());
        if let (Some(most), Ok(given)) = (most, smaller[at].parse::<u32>()) {
            smaller[at] = given.min(most).to_string();
        }
        let shards = smaller[at].split_once('/').and_then(|(_, shards)| shards.parse().ok());
        if smaller[at - 1] == "--shard" && shards > Some(3) {
            smaller[at] = "1/1".to_owned();
        }
    }
    let call = arguments.join(" ");
    let whole_call = format!("{program} {call}");
    for (of, added) in ADDED.lines().filter_map(|line| line.trim().split_once(": ")) {
        let begins = |call: &str| format!("{call} ").starts_with(&format!("{of} "));
        let added: Vec<&str> = added.split(' ').collect();
        for pair in added.chunks(2).filter(|_| begins(&call) || begins(&whole_call)) {
            if !smaller.iter().any(|word| word == pair[0]) {
                smaller.extend(pair.iter().map(|&word| word.to_owned()));
            }
        }
    }
    smaller
}

fn is_only_checked(program: &str, arguments: &[String]) -> bool {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let has_gpu = || {
        let doctor = real("othello-trainer").args(["doctor", "--json"]).output();
        let found = |json: &[u8]| String::from_utf8_lossy(json).contains(r#""device":"cuda""#);
        doctor.is_ok_and(|output| found(&output.stdout))
    };
    ["quickstart", "run", "train"].iter().any(|run| has(run))
        || program == "othello-trainer" && has("cuda") && !has_gpu()
}

fn take_away_outputs(arguments: &[String]) {
    for (flag, value) in arguments.iter().zip(arguments.iter().skip(1)) {
        if matches!(flag.as_str(), "--out" | "--repair") {
            let _ = fs::remove_file(value);
            let _ = fs::remove_dir_all(value);
        }
    }
}
