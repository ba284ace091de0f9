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

    /// A round of attacks, so many of each kind
    type Round = fn(&mut commands::Ground, usize);

    let options = Options::parse();
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = folder.path().join("inputs");
    let mut ground = commands::Ground {
        place: commands::Place::new(&options.binaries, &options.library, &inputs),
        limits: process::Limits { seconds: options.seconds, mebibytes: options.mebibytes },
        draws: Draws(options.seed),
        findings: findings::Findings::default(),
    };
    let begun = Instant::now();
    let rounds: [(&str, Round, usize); 9] = [
        ("kills", kills::round, options.kills),
        ("files", files::round, options.files),
        ("calls of the system", calls::round, options.calls),
        ("faults", faults::round, options.faults),
        ("limits", limits::round, options.limits),
        ("beside", beside::round, options.beside),
        ("engines", |ground, _| engines::round(ground), 1),
        ("markup", |ground, _| markup::round(ground), 1),
        ("arguments", arguments::round, options.lists),
    ];
    for (name, round, times) in rounds {
        eprintln!("{:6.1} s: {name}", begun.elapsed().as_secs_f64());
        round(&mut ground, times);
    }
    let findings = ground.findings;
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
