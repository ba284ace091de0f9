//! `othello-trainer`: the table of contents of its subcommands.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use othello_engine::cli::common;
use othello_trainer::cli::import;

/// Trains evaluation weights for Othello, and measures them.
#[derive(Parser, Debug)]
#[command(name = "othello-trainer", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: common::Common,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Turn other people's data into records
    Import(import::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    common::run(&arguments.common, |session| match &arguments.command {
        Command::Import(arguments) => import::run(arguments, session),
    })
}
