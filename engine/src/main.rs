//! The program `othello-engine`, whose subcommands are in `cli/`.

use std::process::ExitCode;

fn main() -> ExitCode {
    othello_engine::cli::main(std::env::args_os().collect()).into()
}
