//! `othello-trainer`: the table of contents of its subcommands.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use othello_cli::{arguments, generate, reference, session};
use othello_trainer::cli::{
    self, average, bench, benchmark, calibrate, compare, curve, dataset, diff, doctor, export, fit,
    import, inspect, leaves, loss, matches, merge, pack, quantize, quickstart, relabel, report,
    sample, shuffle, split, tune, validate,
};

/// Fit Othello evaluation weights to games, and compare them.
#[derive(Parser, Debug)]
#[command(name = "othello-trainer", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: arguments::Common,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Take the mean of several weights files
    Average(average::Arguments),
    /// Measure the inner loop of a fit beside what the machine could do at most
    Bench(bench::Arguments),
    /// Measure weights and programs by the same tests, in one table
    Benchmark(benchmark::Arguments),
    /// Learn what searches go by beside an evaluation: move ordering, ProbCut, likely moves
    Calibrate(calibrate::Arguments),
    /// Say which of two recipes for weights is better, and how surely
    Compare(compare::Arguments),
    /// Print a script that completes arguments in a shell
    #[command(hide = true)]
    Completions(generate::Completions),
    /// Show how the error of a recipe falls with the amount of data
    Curve(curve::Arguments),
    /// Lay positions out by phase once, for fits on many machines
    Dataset(dataset::Arguments),
    /// Compare two weights files
    Diff(diff::Arguments),
    /// Show what this machine has and what a fit would use
    Doctor(doctor::Arguments),
    /// Write weights or games in the format of another program
    Export(export::Arguments),
    /// Fit the weights of 60 phases
    Fit(Box<fit::Arguments>),
    /// Turn games, boards and weights of other programs into ours
    Import(import::Arguments),
    /// Show what files of records hold
    Inspect(inspect::Arguments),
    /// Write the positions that searches of games end at, with labels
    Leaves(leaves::Arguments),
    /// Measure the errors of an evaluation on data
    Loss(loss::Arguments),
    /// Write manual pages
    #[command(hide = true)]
    Man(generate::Man),
    /// Play paired games between two evaluations
    Match(matches::Arguments),
    /// Join files of games or of positions
    Merge(merge::Arguments),
    /// Make the output of a run from the parts of its shards
    Pack(pack::Arguments),
    /// Round weights to coarser steps, for a smaller file
    Quantize(quantize::Arguments),
    /// Run the whole loop, small: openings, games, fit, match
    Quickstart(quickstart::Arguments),
    /// Write the reference pages
    #[command(hide = true)]
    Reference(reference::Reference),
    /// Give games and positions exact scores, and values of searches
    Relabel(relabel::Arguments),
    /// Write a page of charts about runs: errors, data, weights, matches
    Report(report::Arguments),
    /// Take a number of games or positions by chance
    Sample(sample::Arguments),
    /// Put games or positions into a random order
    Shuffle(shuffle::Arguments),
    /// Divide games or positions into training, validation and test
    Split(split::Arguments),
    /// Try values in a recipe, and leave early what is worse
    Tune(tune::Arguments),
    /// Check whether files are complete and undamaged
    Validate(validate::Arguments),
}

fn main() -> ExitCode {
    session::main(|| {
        let Arguments { command, common } = arguments::parse();
        session::run(&common, |session| match &command {
            Command::Average(arguments) => average::run(arguments, session),
            Command::Bench(arguments) => bench::run(arguments, session),
            Command::Benchmark(arguments) => benchmark::run(arguments, session),
            Command::Calibrate(arguments) => calibrate::run(arguments, session),
            Command::Compare(arguments) => compare::run(arguments, session),
            Command::Completions(arguments) => arguments.write(Arguments::command()),
            Command::Curve(arguments) => curve::run(arguments, session),
            Command::Dataset(arguments) => dataset::run(arguments, session),
            Command::Diff(arguments) => diff::run(arguments, session),
            Command::Doctor(arguments) => doctor::run(arguments, session),
            Command::Export(arguments) => export::run(arguments, session),
            Command::Fit(arguments) => fit::run(arguments, session),
            Command::Import(arguments) => import::run(arguments, session),
            Command::Inspect(arguments) => inspect::run(arguments, session),
            Command::Leaves(arguments) => leaves::run(arguments, session),
            Command::Loss(arguments) => loss::run(arguments, session),
            Command::Man(arguments) => arguments.write(Arguments::command()),
            Command::Match(arguments) => matches::run(arguments, session),
            Command::Merge(arguments) => merge::run(arguments, session),
            Command::Pack(arguments) => pack::run(arguments, session),
            Command::Quantize(arguments) => quantize::run(arguments, session),
            Command::Quickstart(arguments) => quickstart::run(arguments, session),
            Command::Reference(arguments) => {
                arguments.write(Arguments::command(), &cli::reference_pages())
            }
            Command::Relabel(arguments) => relabel::run(arguments, session),
            Command::Report(arguments) => report::run(arguments, session),
            Command::Sample(arguments) => sample::run(arguments, session),
            Command::Shuffle(arguments) => shuffle::run(arguments, session),
            Command::Split(arguments) => split::run(arguments, session),
            Command::Tune(arguments) => tune::run(arguments, session),
            Command::Validate(arguments) => validate::run(arguments, session),
        })
    })
}
