//! `othello-trainer`: `cli/mod.rs` is the table of contents of its subcommands.

use std::process::ExitCode;

fn main() -> ExitCode {
    othello_trainer::cli::main()
}
