//! A program that attacks `othello-engine` and `othello-trainer` and counts the attacks. The exit
//! status is 1 if an attack found a fault. `scripts/torture.sh` builds and runs it.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::path::PathBuf;
    use std::process::ExitCode;

    use clap::Parser;
    use othello_fuzz::attack::{self, Limits, Place, Rounds};

    /// Attack the programs, and count the attacks and the findings
    #[derive(Parser)]
    struct Options {
        /// Folder that contains the programs othello-engine and othello-trainer
        #[arg(long)]
        binaries: PathBuf,
        /// Seed of the attacks
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        limits: Limits,
        #[command(flatten)]
        rounds: Rounds,
    }

    let Options { binaries, seed, limits, rounds } = Options::parse();
    let inputs = tempfile::tempdir().expect("a folder");
    let place = Place::new(&binaries, inputs.path());
    if attack::all(&place, limits, seed, &rounds) {
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
