//! Attacks the programs from outside, and counts. `scripts/hostile.sh` builds everything and runs
//! this.
//!
//! Nine rounds: commands killed at random moments and gone on with; damaged and forged files; calls
//! of the system that fail; faults at every write, rename and map; limits on memory and on the size
//! of files; pipes, devices, links and huge files where outputs belong, and beside inputs; programs
//! in a match that leave others behind; names with markup; hostile lists of arguments. A panic, a
//! signal, a hang, too much memory, a wrong result, what a terminal obeys, a file written over that
//! is somebody else's, and what is left behind are findings: exit status 1.

#[cfg(target_os = "linux")]
mod arguments;
#[cfg(target_os = "linux")]
mod beside;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod commands;
#[cfg(target_os = "linux")]
mod engines;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod findings;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod markup;
#[cfg(target_os = "linux")]
mod process;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::path::PathBuf;
    use std::process::ExitCode;
    use std::time::Instant;

    use clap::Parser;
    use othello_testing::mutation::Draws;

    /// Attack the programs from outside, and count
    #[derive(Parser)]
    struct Options {
        /// The folder of othello-engine and othello-trainer
        #[arg(long)]
        binaries: PathBuf,
        /// fail.c as a library
        #[arg(long)]
        library: PathBuf,
        /// Decides every attack
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Kills of each command that writes
        #[arg(long, default_value_t = 2)]
        kills: usize,
        /// Damaged files of each kind
        #[arg(long, default_value_t = 28)]
        files: usize,
        /// Failing calls of the system for each command that writes
        #[arg(long, default_value_t = 18)]
        calls: usize,
        /// Places of each call of the system at which each command that writes meets a fault
        #[arg(long, default_value_t = 1)]
        faults: usize,
        /// Limits on memory and on the size of files for each command that writes
        #[arg(long, default_value_t = 3)]
        limits: usize,
        /// Things that are no file of ours where outputs of each command that writes belong
        #[arg(long, default_value_t = 2)]
        beside: usize,
        /// Lists of arguments, in all
        #[arg(long, default_value_t = 400)]
        lists: usize,
        /// Seconds after which a command counts as hanging
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Mebibytes of memory that no command may exceed
        #[arg(long, default_value_t = 1024)]
        mebibytes: u64,
    }

    let options = Options::parse();
    let folder = tempfile::tempdir().expect("a folder");
    let binaries = options.binaries.canonicalize().expect("the folder of the binaries");
    let place = commands::Place::new(&binaries, &folder.path().join("inputs"));
    let library = options.library.canonicalize().expect("the library");
    let limits = process::Limits { seconds: options.seconds, mebibytes: options.mebibytes };
    let mut findings = findings::Findings::default();
    let mut draws = Draws(options.seed);
    let begun = Instant::now();
    let say = |round: &str| eprintln!("{:6.1} s: {round}", begun.elapsed().as_secs_f64());
    say("kills");
    kills::round(&place, options.kills, limits, &mut draws, &mut findings);
    say("files");
    files::round(&place, options.files, limits, &mut draws, &mut findings);
    say("calls of the system");
    calls::round(&place, &library, options.calls, limits, &mut draws, &mut findings);
    say("faults");
    faults::round(&place, options.faults, limits, &mut draws, &mut findings);
    say("limits");
    limits::round(&place, options.limits, limits, &mut draws, &mut findings);
    say("beside");
    beside::round(&place, options.beside, limits, &mut draws, &mut findings);
    say("engines");
    engines::round(&place, limits, &mut findings);
    say("markup");
    markup::round(&place, limits, &mut findings);
    say("arguments");
    arguments::round(&place, options.lists, limits, &mut draws, &mut findings);
    say("done");
    println!("{findings}");
    if findings.are_none() {
        println!("no finding");
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("error: the attacks need Linux");
    std::process::exit(2);
}
