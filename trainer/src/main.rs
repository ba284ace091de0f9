//! `othello-trainer`: the table of contents of its subcommands.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use othello_engine::cli::common;
use othello_trainer::cli::{diff, doctor, fit, import, loss, matches, quickstart};

/// Othello trainer: fits evaluation weights to games, and compares them.
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
    /// How two weights files differ
    Diff(diff::Arguments),
    /// What this machine has, and what will be used
    Doctor(doctor::Arguments),
    /// Fit the weights of 60 phases
    Fit(Box<fit::Arguments>),
    /// Turn other people's data into records
    Import(import::Arguments),
    /// The errors of an evaluation on data
    Loss(loss::Arguments),
    /// Play paired games between two evaluations
    Match(matches::Arguments),
    /// Run the whole loop, small: openings, games, fit, match
    Quickstart(quickstart::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    common::run(&arguments.common, |session| match &arguments.command {
        Command::Diff(arguments) => diff::run(arguments, session),
        Command::Doctor(arguments) => doctor::run(arguments, session),
        Command::Fit(arguments) => fit::run(arguments, session),
        Command::Import(arguments) => import::run(arguments, session),
        Command::Loss(arguments) => loss::run(arguments, session),
        Command::Match(arguments) => matches::run(arguments, session),
        Command::Quickstart(arguments) => quickstart::run(arguments, session),
    })
}
