//! `othello-trainer`: `cli/mod.rs` lists its subcommands.

use std::process::ExitCode;

fn main() -> ExitCode {
    othello_trainer::cli::main()
}
