//! A stand-in for the commands of a guide while `tests/guides.rs` runs its blocks. A link to this
//! program with the name of a command does what the command does, in small.
//!
//! * `othello-engine`, `othello-trainer`: the real program, with every amount in [`AT_MOST`]
//!   reduced to its limit, with the arguments in [`ADDED`], and with missing inputs made. A command
//!   for one of more than 3 shards runs for all of 3. An output of an earlier block is made again.
//!   In blocks of `console` the program runs as it is. In blocks of `text`, if a command takes
//!   minutes whatever its arguments are (`quickstart`), and if it needs a missing GPU, only its
//!   arguments are checked.
//! * `cargo run -p PROGRAM -- …`: the program, in the same way. Any other `cargo` and the
//!   repository's own scripts do nothing, except that `regenerate.sh` prints the recorded checksum,
//!   which CI compares with its own.
//!
//! Exit status 1, which means that the work found something wrong, is expected with such small
//! work.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use othello_testing::guides::{BINARIES, TREATMENT, inputs};

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
        ("regenerate.sh", _) => {
            print!("{}", fs::read_to_string("scripts/regenerate-small.sha256").unwrap_or_default());
            true
        }
        _ => true,
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
    let treatment = std::env::var(TREATMENT).unwrap_or_default();
    let ends = |arguments: &[String]| real(program).args(arguments).status();
    if treatment == "Exact" {
        return ends(arguments).is_ok_and(|status| status.success());
    }
    let arguments = smaller(program, arguments);
    // `pack` reads the parts of an output that is not there yet.
    if arguments.first().is_none_or(|command| command != "pack") {
        inputs::make_missing(&arguments);
    }
    if treatment == "Checked" || is_only_checked(program, &arguments) {
        let help = real(program).args(&arguments).arg("--help").output();
        return help.is_ok_and(|output| output.status.success());
    }
    for arguments in shards(&arguments) {
        take_away_outputs(&arguments);
        if !ends(&arguments).is_ok_and(|status| matches!(status.code(), Some(0 | 1))) {
            eprintln!("as: {program} {}", arguments.join(" "));
            return false;
        }
    }
    true
}

fn real(program: &str) -> Command {
    Command::new(PathBuf::from(std::env::var_os(BINARIES).unwrap_or_default()).join(program))
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
    let has_gpu = || {
        let doctor = real("othello-trainer").args(["doctor", "--json"]).output();
        let found = |json: &[u8]| String::from_utf8_lossy(json).contains(r#""device":"cuda""#);
        doctor.is_ok_and(|output| found(&output.stdout))
    };
    has("quickstart") || program == "othello-trainer" && has("cuda") && !has_gpu()
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
