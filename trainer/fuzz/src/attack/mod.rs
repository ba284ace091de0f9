//! Attacks, in rounds, that run `othello-engine` and `othello-trainer` as child processes.
//!
//! `kinds.txt` lists the kinds of files and the commands that read them, `commands.txt` the
//! commands that write files. Findings are: a panic, a signal, a hang, excessive memory, a wrong
//! result, an accepted damaged file, a message without the place of the damage, control characters
//! on a terminal, an overwritten file of another program, and leftover files or processes.

mod arguments;
mod disturbed;
mod engines;
mod files;
mod findings;
mod ground;
mod obstacles;
mod process;

use ground::Ground;
pub use ground::{Limits, Place};

/// The number of attacks of each kind to run; 0 omits the kind. [`Rounds::default`] omits all.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Rounds {
    /// Number of attacks that start a command a second time during its first run, for each command
    /// that writes
    #[arg(long, default_value_t = 2)]
    pub starts: usize,
    /// Number of damaged files of each file kind; the kind `stream` is standard input of servers
    #[arg(long, default_value_t = 40)]
    pub files: usize,
    /// Number of runs on a disk that becomes full, for each command that writes
    #[arg(long, default_value_t = 3)]
    pub full: usize,
    /// Number of runs with a system call that fails, transfers too little or kills the process, for
    /// each command that writes
    #[arg(long, default_value_t = 20)]
    pub calls: usize,
    /// Number of runs, each with a limit on memory, on the stack or on file size, for each command
    /// that writes
    #[arg(long, default_value_t = 3)]
    pub limits: usize,
    /// Number of attacks with pipes, devices, links and huge files in place of outputs, for each
    /// command that writes
    #[arg(long, default_value_t = 2)]
    pub obstacles: usize,
    /// Number of players, up to 6, that start further processes; the match must end those processes
    #[arg(long, default_value_t = 6)]
    pub engines: usize,
    /// Number of randomly changed lists of arguments, for all commands together
    #[arg(long, default_value_t = 400)]
    pub lists: usize,
}

type Attack = fn(&mut Ground<'_>, usize);

/// Runs all rounds, and prints counts and findings. Returns true if there is no finding.
pub fn all(place: &Place, limits: Limits, seed: u64, rounds: &Rounds) -> bool {
    let mut ground = Ground::new(place, limits, seed);
    let begun = std::time::Instant::now();
    let all: [(&'static str, Attack, usize); 8] = [
        ("starts", disturbed::starts, rounds.starts),
        ("files", files::round, rounds.files),
        ("full", disturbed::full, rounds.full),
        ("calls", disturbed::calls, rounds.calls),
        ("limits", disturbed::limits, rounds.limits),
        ("obstacles", obstacles::round, rounds.obstacles),
        ("engines", engines::round, rounds.engines),
        ("arguments", arguments::round, rounds.lists),
    ];
    for (name, round, times) in all.into_iter().filter(|(.., times)| *times > 0) {
        eprintln!("{:6.1} s: {name}", begun.elapsed().as_secs_f64());
        ground.findings.begin(name);
        round(&mut ground, times);
    }
    println!("seed {seed}\n{}", ground.findings);
    ground.findings.are_none()
}
