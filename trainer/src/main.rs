//! The program `othello-trainer`. The file `cli/mod.rs` lists its subcommands.

use std::process::ExitCode;

fn main() -> ExitCode {
    othello_trainer::cli::main(std::env::args_os().collect()).into()
}
