//! `othello-trainer`: the table of contents of its subcommands.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use othello_engine::cli::common;
use othello_trainer::cli::{
    bench, calibrate, diff, doctor, export, fit, import, inspect, loss, matches, merge, quickstart,
    relabel, sample, shuffle, split, validate,
};

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
    /// How fast the inner loop of a fit is, beside what the machine could do at most
    Bench(bench::Arguments),
    /// Learn what orders moves in the last plies
    Calibrate(calibrate::Arguments),
    /// How two weights files differ
    Diff(diff::Arguments),
    /// What this machine has, and what will be used
    Doctor(doctor::Arguments),
    /// Write weights in the format of another program
    Export(export::Arguments),
    /// Fit the weights of 60 phases
    Fit(Box<fit::Arguments>),
    /// Turn other people's data into records
    Import(import::Arguments),
    /// What files of records hold
    Inspect(inspect::Arguments),
    /// The errors of an evaluation on data
    Loss(loss::Arguments),
    /// Play paired games between two evaluations
    Match(matches::Arguments),
    /// Put the shards of a run together
    Merge(merge::Arguments),
    /// Run the whole loop, small: openings, games, fit, match
    Quickstart(quickstart::Arguments),
    /// Give games and positions exact scores
    Relabel(relabel::Arguments),
    /// Take some games of many
    Sample(sample::Arguments),
    /// Put games into another order
    Shuffle(shuffle::Arguments),
    /// Divide games into training, validation and test
    Split(split::Arguments),
    /// Whether files are what was written
    Validate(validate::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    common::run(&arguments.common, |session| match &arguments.command {
        Command::Bench(arguments) => bench::run(arguments, session),
        Command::Calibrate(arguments) => calibrate::run(arguments, session),
        Command::Diff(arguments) => diff::run(arguments, session),
        Command::Doctor(arguments) => doctor::run(arguments, session),
        Command::Export(arguments) => export::run(arguments, session),
        Command::Fit(arguments) => fit::run(arguments, session),
        Command::Import(arguments) => import::run(arguments, session),
        Command::Inspect(arguments) => inspect::run(arguments, session),
        Command::Loss(arguments) => loss::run(arguments, session),
        Command::Match(arguments) => matches::run(arguments, session),
        Command::Merge(arguments) => merge::run(arguments, session),
        Command::Quickstart(arguments) => quickstart::run(arguments, session),
        Command::Relabel(arguments) => relabel::run(arguments, session),
        Command::Sample(arguments) => sample::run(arguments, session),
        Command::Shuffle(arguments) => shuffle::run(arguments, session),
        Command::Split(arguments) => split::run(arguments, session),
        Command::Validate(arguments) => validate::run(arguments, session),
    })
}
