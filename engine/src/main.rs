//! `othello-engine`: the table of contents of its subcommands.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use othello_engine::cli::{
    ablate, bench, common, evaluate, openings, perft, selfplay, solve, stats, weights,
};

/// Othello engine: plays, solves, evaluates, and makes training data.
#[derive(Parser, Debug)]
#[command(name = "othello-engine", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: common::Common,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Solve positions with one idea of the search left out at a time
    Ablate(ablate::Arguments),
    /// Run fixed searches on one thread
    Bench(bench::Arguments),
    /// Value each board of a file, statically or by search
    Evaluate(evaluate::Arguments),
    /// Enumerate the openings up to symmetry
    Openings(openings::Arguments),
    /// Count the leaves of the game tree from the start
    Perft(perft::Arguments),
    /// Play games of an evaluation against itself, and record them
    Selfplay(Box<selfplay::Arguments>),
    /// Find the exact scores of positions
    Solve(solve::Arguments),
    /// Count what happens in games: discs turned over, choices, passes, ends
    Stats(stats::Arguments),
    /// Say what a weights file is
    Weights(weights::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    common::run(&arguments.common, |session| match &arguments.command {
        Command::Ablate(arguments) => ablate::run(arguments, session),
        Command::Bench(arguments) => bench::run(arguments, session),
        Command::Evaluate(arguments) => evaluate::run(arguments, session),
        Command::Openings(arguments) => openings::run(arguments, session),
        Command::Perft(arguments) => perft::run(arguments, session),
        Command::Selfplay(arguments) => selfplay::run(arguments, session),
        Command::Solve(arguments) => solve::run(arguments, session),
        Command::Stats(arguments) => stats::run(arguments, session),
        Command::Weights(arguments) => weights::run(arguments, session),
    })
}
