//! `othello-engine`: the table of contents of its subcommands.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use othello_cli::{arguments, generate, reference, session};
use othello_engine::cli::{
    self, ablate, bench, evaluate, hint, openings, perft, protocols, selfplay, solve, stats,
    weights,
};

/// Play, solve and evaluate Othello positions, and make training data.
#[derive(Parser, Debug)]
#[command(name = "othello-engine", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: arguments::Common,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Solve positions with one search feature left out at a time
    Ablate(ablate::Arguments),
    /// Run fixed searches on one thread
    Bench(bench::Arguments),
    /// Print a script that completes arguments in a shell
    #[command(hide = true)]
    Completions(generate::Completions),
    /// Evaluate each board of a file, statically or by search
    Evaluate(evaluate::Arguments),
    /// Play by GTP, the Go Text Protocol, on standard input and output
    Gtp(protocols::Arguments),
    /// Show all moves of a position with their values and best lines
    Hint(hint::Arguments),
    /// Write manual pages
    #[command(hide = true)]
    Man(generate::Man),
    /// Play and analyse by the NBoard protocol on standard input and output
    Nboard(protocols::Arguments),
    /// Enumerate openings up to symmetry, and score them
    Openings(openings::Arguments),
    /// Count the leaves of the game tree from the start
    Perft(perft::Arguments),
    /// Write the reference pages
    #[command(hide = true)]
    Reference(reference::Reference),
    /// Play games of an evaluation against itself or another, and record them
    Selfplay(Box<selfplay::Arguments>),
    /// Find the exact scores of positions
    Solve(solve::Arguments),
    /// Count flips, legal moves, passes and ends by ply
    Stats(stats::Arguments),
    /// Show what a weights file holds
    Weights(weights::Arguments),
}

fn main() -> ExitCode {
    session::main(|| {
        let Arguments { command, common } = arguments::parse();
        session::run(&common, |session| match &command {
            Command::Ablate(arguments) => ablate::run(arguments, session),
            Command::Bench(arguments) => bench::run(arguments, session),
            Command::Completions(arguments) => arguments.write(Arguments::command()),
            Command::Evaluate(arguments) => evaluate::run(arguments, session),
            Command::Gtp(arguments) => protocols::gtp(arguments, session),
            Command::Hint(arguments) => hint::run(arguments, session),
            Command::Man(arguments) => arguments.write(Arguments::command()),
            Command::Nboard(arguments) => protocols::nboard(arguments, session),
            Command::Openings(arguments) => openings::run(arguments, session),
            Command::Perft(arguments) => perft::run(arguments, session),
            Command::Reference(arguments) => {
                arguments.write(Arguments::command(), &[cli::json_page()])
            }
            Command::Selfplay(arguments) => selfplay::run(arguments, session),
            Command::Solve(arguments) => solve::run(arguments, session),
            Command::Stats(arguments) => stats::run(arguments, session),
            Command::Weights(arguments) => weights::run(arguments, session),
        })
    })
}
