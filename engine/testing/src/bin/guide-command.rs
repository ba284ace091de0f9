//! A stand-in for the commands of a guide while `tests/guides.rs` runs its blocks. A link to this
//! program with the name of a command does what the command does, in small.
//!
//! * `othello-engine`, `othello-trainer`: the real program, with every amount in [`AT_MOST`]
//!   reduced to its limit, with [`ADDED`] for what the guide leaves out, and with missing inputs
//!   made up. A command for one of more than 3 shards is run for all of 3, so that they can be
//!   merged later. An output of an earlier block is made anew. Commands that take minutes whatever
//!   their arguments (`quickstart`), or need a missing GPU, are only checked: their arguments are
//!   read, and nothing is done. The program prints its JSON object, whose fields are recorded.
//! * `cargo run -p PROGRAM -- …`: the program, in the same way. Any other `cargo` and the
//!   repository's own scripts do nothing, except that `regenerate.sh` prints the recorded checksum,
//!   which CI compares with its own.
//!
//! Exit status 1, which means that the work found something wrong, is expected with such small
//! work.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use othello_testing::guides::{BINARIES, JSON_FIELDS, LOG, ONLY_CHECK, inputs};
use othello_testing::json_page;
use serde_json::Value;

/// The amounts, each with a sufficient limit.
const AT_MOST: [(&str, u32); 20] = [
    ("--games", 60),
    ("--pairs", 4),
    ("--depth", 2),
    ("--nodes", 300),
    ("--level", 4),
    ("--black-depth", 2),
    ("--white-depth", 1),
    ("--exact", 6),
    ("--black-exact", 6),
    ("--white-exact", 6),
    ("--plies", 5),
    ("--score-depth", 1),
    ("--hash-mb", 4),
    ("--random", 300),
    ("--count", 20),
    ("--positions", 100),
    ("--searches", 2),
    ("--epochs", 2),
    ("--repetitions", 1),
    ("--seeds", 2),
];

/// The arguments to add to a call that begins so, unless it has them.
const ADDED: [(&str, &str, &str); 10] = [
    ("selfplay", "--depth", "1"),
    ("selfplay", "--exact", "6"),
    ("fit", "--epochs", "1"),
    ("fit", "--phases", "30..33"),
    ("calibrate ordering", "--positions", "100"),
    ("calibrate ordering", "--searches", "2"),
    ("calibrate probcut", "--positions", "100"),
    ("calibrate probcut", "--depth", "6"),
    ("othello-trainer bench", "--games", "60"),
    ("othello-trainer bench", "--repetitions", "1"),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let name = Path::new(&name).file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let arguments: Vec<String> = arguments.collect();
    let done = match (name.as_str(), program_of_cargo(&arguments)) {
        ("othello-engine" | "othello-trainer", _) => run(&name, &arguments),
        ("cargo", Some((program, arguments))) => run(&program, &arguments),
        _ => {
            log("left out", &name, &arguments);
            if name == "regenerate.sh" {
                print!(
                    "{}",
                    fs::read_to_string("scripts/regenerate-small.sha256").unwrap_or_default()
                );
            }
            true
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the program and the arguments that `cargo run … -p PROGRAM -- ARGUMENTS…` runs.
fn program_of_cargo(arguments: &[String]) -> Option<(String, Vec<String>)> {
    let program = arguments.iter().position(|word| word == "-p")? + 1;
    let end = arguments.iter().position(|word| word == "--")? + 1;
    let is_run = arguments.first()? == "run";
    is_run.then(|| (arguments[program].clone(), arguments[end..].to_vec()))
}

fn run(program: &str, arguments: &[String]) -> bool {
    let mut arguments = smaller(program, arguments);
    inputs::make_missing(&arguments);
    if is_only_checked(program, &arguments) {
        arguments.push("--help".to_owned());
        log("only checked", program, &arguments);
        return real(program).args(&arguments).output().is_ok_and(|out| out.status.success());
    }
    for arguments in shards(&arguments) {
        log("run", program, &arguments);
        take_away_outputs(&arguments);
        let status = run_and_record(program, &arguments);
        if !status.is_ok_and(|status| matches!(status.code(), Some(0 | 1))) {
            eprintln!("as: {program} {}", arguments.join(" "));
            return false;
        }
    }
    true
}

/// Runs a command. If JSON fields are recorded, it prints its JSON object instead of the summary.
fn run_and_record(program: &str, arguments: &[String]) -> io::Result<ExitStatus> {
    let records = std::env::var_os(JSON_FIELDS).filter(|_| !is_server(arguments));
    let Some(records) = records else { return real(program).args(arguments).status() };
    let json = arguments.iter().all(|word| word != "--json").then_some("--json");
    let output = real(program).args(arguments).args(json).stderr(Stdio::inherit()).output()?;
    io::stdout().write_all(&output.stdout)?;
    let mut records = OpenOptions::new().append(true).open(records)?;
    let call = format!("{program} {}", arguments.join(" "));
    let written = sidecars(arguments)
        .into_iter()
        .filter_map(|(name, path)| Some((name.to_owned(), fs::read(path).ok()?)));
    for (name, text) in [(call, output.stdout)].into_iter().chain(written) {
        // A document may be one line, many lines, or many documents.
        let values = serde_json::Deserializer::from_slice(&text).into_iter::<Value>();
        for value in values.map_while(Result::ok).filter(Value::is_object) {
            let record = serde_json::json!({ "name": name, "fields": json_page::fields(&value) });
            writeln!(records, "{record}")?;
        }
    }
    Ok(output.status)
}

/// Returns whether a command answers lines of input.
fn is_server(arguments: &[String]) -> bool {
    arguments.first().is_some_and(|command| ["gtp", "nboard"].contains(&command.as_str()))
}

/// Returns the JSON files that a command with these arguments may have written, with their headings
/// on the page.
fn sidecars(arguments: &[String]) -> Vec<(&'static str, PathBuf)> {
    let pairs = arguments.iter().zip(arguments.iter().skip(1));
    pairs
        .flat_map(|(flag, value)| match flag.as_str() {
            "--out" => vec![
                ("metrics.jsonl", PathBuf::from(format!("{value}.metrics.jsonl"))),
                ("report.json", PathBuf::from(format!("{value}.report.json"))),
                ("trials.jsonl", Path::new(value).join("trials.jsonl")),
            ],
            "--transcripts-out" => vec![("transcripts of a match", PathBuf::from(value))],
            _ => vec![],
        })
        .collect()
}

fn real(program: &str) -> Command {
    Command::new(PathBuf::from(std::env::var_os(BINARIES).unwrap_or_default()).join(program))
}

fn log(what: &str, program: &str, arguments: &[String]) {
    let line = format!("{what}: {program} {}\n", arguments.join(" "));
    let file = std::env::var_os(LOG).map(|path| OpenOptions::new().append(true).open(path));
    if let Some(Ok(mut file)) = file {
        let _ = file.write_all(line.as_bytes());
    }
}

fn smaller(program: &str, arguments: &[String]) -> Vec<String> {
    let mut smaller = arguments.to_vec();
    for at in 1..smaller.len() {
        let most = AT_MOST.iter().find(|(flag, _)| *flag == smaller[at - 1]);
        let said: Option<u32> = smaller[at].parse().ok();
        if let (Some((_, most)), Some(said)) = (most, said) {
            smaller[at] = said.min(*most).to_string();
        }
    }
    let call = arguments.join(" ");
    let whole_call = format!("{program} {call}");
    for (of, flag, value) in ADDED {
        // `bench` is not `benchmark`.
        let begins = |call: &str| format!("{call} ").starts_with(&format!("{of} "));
        if (begins(&call) || begins(&whole_call)) && !smaller.iter().any(|word| word == flag) {
            smaller.extend([flag.to_owned(), value.to_owned()]);
        }
    }
    smaller
}

fn is_only_checked(program: &str, arguments: &[String]) -> bool {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let doctor = || real("othello-trainer").args(["doctor", "--json"]).output();
    let has_gpu = || {
        doctor()
            .is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains(r#""device":"cuda""#))
    };
    std::env::var_os(ONLY_CHECK).is_some()
        || has("quickstart")
        || program == "othello-trainer" && has("cuda") && !has_gpu()
}

/// Returns the command for each of 3 shards if it has `--shard`, each with its own output.
fn shards(arguments: &[String]) -> Vec<Vec<String>> {
    const SHARDS: u32 = 3;
    let value_of = |flag: &str| Some(arguments.iter().position(|word| word == flag)? + 1);
    let (Some(shard), Some(out)) = (value_of("--shard"), value_of("--out")) else {
        return vec![arguments.to_vec()];
    };
    let Some((number, shards)) = arguments[shard].split_once('/') else {
        return vec![arguments.to_vec()];
    };
    if shards.parse().is_ok_and(|shards: u32| shards <= SHARDS) {
        return vec![arguments.to_vec()];
    }
    let one = |own: u32| {
        let mut arguments = arguments.to_vec();
        arguments[shard] = format!("{own}/{SHARDS}");
        arguments[out] = arguments[out].replace(number, &own.to_string());
        arguments
    };
    (1..=SHARDS).map(one).collect()
}

fn take_away_outputs(arguments: &[String]) {
    for (flag, value) in arguments.iter().zip(arguments.iter().skip(1)) {
        if matches!(flag.as_str(), "--out" | "--repair") {
            let _ = fs::remove_file(value);
            let _ = fs::remove_dir_all(value);
        }
    }
}
