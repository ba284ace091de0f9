//! The command line of `othello-trainer`, with one file for each subcommand.

mod advice;
pub mod benchmark;
pub mod calibrate;
pub mod dataset;
pub mod export;
pub mod fit;
pub mod import;
pub mod inspect;
pub mod loss;
pub mod machine;
pub mod matches;
pub mod pack;
mod picture;
pub mod relabel;
pub mod report;
pub mod run;
pub mod selection;
mod steps;
pub mod studies;
pub mod train;
pub mod validate;
pub mod weights;

use std::ffi::OsString;
use std::fmt::Display;

use clap::{Parser, Subcommand};
use othello_cli::reference::{self, schema};
use othello_cli::{Outcome, Session, arguments, session};
use othello_engine::pattern::PatternSet;

use crate::calibrate::{ends, ordering, probcut, realization};
use selection::Work;

/// Fit Othello evaluation weights to games, and compare them.
#[derive(Parser, Debug)]
#[command(name = "othello-trainer", version)]
struct Program {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: arguments::Common,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Average several weights files
    Average(weights::AverageArguments),
    /// Measure the throughput of a fit's inner loop, compared with the limit set by memory accesses
    Bench(machine::BenchArguments),
    /// Measure weights and programs by the same tests, and print tables of the results
    ///
    /// --depth and --selectivity apply to searches of hard positions. --selectivity and --time
    /// apply to the match against the reference player. --out writes the tables in Markdown.
    Benchmark(benchmark::Arguments),
    /// Fit search models stored with weights, for move ordering, ProbCut and move probabilities
    Calibrate(calibrate::Arguments),
    /// Compare two recipes for weights: errors, a match and a verdict
    Compare(studies::CompareArguments),
    /// Print a script that completes arguments in a shell
    #[command(hide = true)]
    Completions(reference::Completions),
    /// Measure the errors of a recipe's weights for several amounts of training data
    Curve(studies::CurveArguments),
    /// Sort positions by phase once, for fits on many machines
    Dataset(dataset::Arguments),
    /// Compare two weights files
    Diff(weights::DiffArguments),
    /// Show the processors, memory and GPU that a fit would use
    Doctor,
    /// Write weights or games in the format of another program
    Export(export::Arguments),
    /// Fit the weights of 60 phases
    ///
    /// Metrics and a report are written next to the weights.
    Fit(Box<fit::Arguments>),
    /// Import games, boards and weights of other programs
    Import(import::Arguments),
    /// Show the contents of record files
    Inspect(inspect::Arguments),
    /// Write the leaf positions of searches, with labels
    Leaves(relabel::LeavesArguments),
    /// Measure the errors of an evaluation on data
    ///
    /// Measures static values or, with --depth, the values of searches. Near the end of the game,
    /// searches find exact values.
    Loss(loss::Arguments),
    /// Write manual pages
    #[command(hide = true)]
    Man(reference::Man),
    /// Play paired games between two players
    ///
    /// --out writes the pairs of games.
    Match(Box<matches::Arguments>),
    /// Join files of games or of positions
    Merge(selection::MergeArguments),
    /// Make the output of a run from the parts that its shards made
    Pack(pack::Arguments),
    /// Round weights to coarser steps, for a smaller file
    Quantize(weights::QuantizeArguments),
    /// Train and test small weights in a minute: openings, games, fits, matches
    Quickstart(train::Quickstart),
    /// Write the reference pages
    #[command(hide = true)]
    Reference(reference::Reference),
    /// Give games and positions exact scores, and values of searches
    ///
    /// Positions with too many empty squares for exact scores are searched with --depth, --nodes or
    /// --level. In files of games, scores and values are stored with the moves; in files of
    /// positions, they replace the labels.
    Relabel(relabel::Arguments),
    /// Write a page of charts about runs: errors, data, weights, matches
    Report(report::Arguments),
    /// Make weights by the steps of a recipe
    ///
    /// --out is a folder. A run that was stopped goes on with the same command.
    Run(run::Arguments),
    /// Take a number of games or positions at random
    Sample(selection::Sample),
    /// Put games or positions into a random order
    Shuffle(selection::Shuffle),
    /// Divide games or positions into training, validation and test
    Split(selection::SplitFiles),
    /// Make weights in a given time: games, fits, a match
    ///
    /// Measures the machine, writes a plan (a recipe) next to the output, and follows the plan.
    /// `run` repeats the plan on any machine. A run that was stopped goes on with the same command.
    Train(train::Arguments),
    /// Tune settings of a recipe by successive halving
    Tune(studies::TuneArguments),
    /// Check whether files are complete and undamaged
    Validate(validate::Arguments),
}

/// Runs the command line `words`, which begins with the program's name. Returns the exit status.
pub fn main(words: Vec<OsString>) -> u8 {
    session::main(|| {
        let program: Program = arguments::parse_or_exit(words);
        session::run(&program.common, |session| program.run(session))
    })
}

impl Program {
    fn run(&self, session: &Session) -> anyhow::Result<Outcome> {
        match &self.command {
            Command::Average(arguments) => weights::average(arguments, session),
            Command::Bench(arguments) => machine::bench(arguments, session),
            Command::Benchmark(arguments) => benchmark::run(arguments, session),
            Command::Calibrate(arguments) => calibrate::run(arguments, session),
            Command::Compare(arguments) => studies::compare(arguments, session),
            Command::Completions(arguments) => arguments.write(arguments::command::<Program>()),
            Command::Curve(arguments) => studies::curve(arguments, session),
            Command::Dataset(arguments) => dataset::run(arguments, session),
            Command::Diff(arguments) => weights::diff(arguments, session),
            Command::Doctor => machine::doctor(session),
            Command::Export(arguments) => export::run(arguments, session),
            Command::Fit(arguments) => fit::run(arguments, session),
            Command::Import(arguments) => import::run(arguments, session),
            Command::Inspect(arguments) => inspect::run(arguments, session),
            Command::Leaves(arguments) => relabel::write_leaves(arguments, session),
            Command::Loss(arguments) => loss::run(arguments, session),
            Command::Man(arguments) => arguments.write(arguments::command::<Program>()),
            Command::Match(arguments) => matches::run(arguments, session),
            Command::Merge(it) => selection::run(&it.files, &Work::Merge(it), session),
            Command::Pack(arguments) => pack::run(arguments, session),
            Command::Quantize(arguments) => weights::quantize(arguments, session),
            Command::Quickstart(arguments) => train::quickstart(arguments, session),
            Command::Reference(it) => it.write(arguments::command::<Program>(), &reference_pages()),
            Command::Relabel(arguments) => relabel::run(arguments, session),
            Command::Report(arguments) => report::run(arguments, session),
            Command::Run(arguments) => run::run(arguments, session),
            Command::Sample(it) => selection::run(&it.files.files, &Work::Sample(it), session),
            Command::Shuffle(it) => selection::run(&it.files.files, &Work::Shuffle(it), session),
            Command::Split(it) => selection::run(&it.files.files, &Work::Split(it), session),
            Command::Train(arguments) => train::run(arguments, session),
            Command::Tune(arguments) => studies::tune(arguments, session),
            Command::Validate(arguments) => validate::run(arguments, session),
        }
    }
}

fn pattern_sets(is_wanted: impl Fn(&PatternSet) -> bool) -> String {
    format!("Pattern set: a TOML file, or {}", PatternSet::shipped_names(is_wanted))
}

fn lines(items: impl IntoIterator<Item: Display>) -> String {
    items.into_iter().map(|item| format!("{item}\n")).collect()
}

fn reference_pages() -> [reference::Page; 2] {
    let json = vec![
        ("`average`", schema::<weights::Averaged>()),
        ("`bench`", schema::<machine::Bench>()),
        ("`benchmark`", schema::<crate::scorecard::BenchmarkReport>()),
        ("`calibrate ends`", schema::<calibrate::Report<ends::Calibrated>>()),
        ("`calibrate ordering`", schema::<calibrate::Report<ordering::Calibrated>>()),
        ("`calibrate probcut`", schema::<calibrate::Report<probcut::Calibrated>>()),
        ("`calibrate realization`", schema::<calibrate::Report<realization::Calibrated>>()),
        ("`compare`", schema::<crate::experiments::Comparison>()),
        ("`curve`", schema::<crate::experiments::Curve>()),
        ("`dataset`", schema::<dataset::Report>()),
        ("`dataset --shard`", schema::<dataset::ShardReport>()),
        ("`diff`", schema::<weights::Difference>()),
        ("`doctor`", schema::<machine::Findings>()),
        ("`export` of weights", schema::<export::Exported>()),
        ("`export` of games", schema::<export::ExportedGames>()),
        ("`export` of positions", schema::<export::ExportedPositions>()),
        ("`fit`", schema::<fit::Fitted>()),
        ("`import`", schema::<crate::source::import::Summary>()),
        ("`import weights`", schema::<import::ImportedWeights>()),
        ("`inspect`", schema::<inspect::Inspection>()),
        ("`leaves`", schema::<relabel::Leaves>()),
        ("`loss`", schema::<loss::Loss>()),
        ("`loss --explain`", schema::<crate::metrics::Explanation>()),
        ("`match`", schema::<crate::arena::MatchReport>()),
        ("`merge`", schema::<selection::Merged>()),
        ("`pack`", schema::<pack::Report>()),
        ("`quantize`", schema::<weights::Quantized>()),
        ("`quickstart`, `train`", schema::<train::Verdict>()),
        ("`relabel`", schema::<relabel::Report>()),
        ("`report`", schema::<report::Written>()),
        ("`run`", schema::<run::Report>()),
        ("`run --plan`", schema::<run::Plan>()),
        ("`sample`, `shuffle`, `split`", schema::<selection::Report>()),
        ("`tune`", schema::<crate::experiments::Tuned>()),
        ("`validate`", schema::<validate::Report>()),
        ("A line of `WEIGHTS.metrics.jsonl`", schema::<crate::fit::Metrics>()),
        ("A row of `WEIGHTS.report.json`", schema::<crate::fit::PhaseReport>()),
        ("A line of `trials.jsonl` (`tune`)", schema::<crate::experiments::Record>()),
        ("A line of `match --transcripts-out`", crate::arena::PlayedGame::schema()),
    ];
    let settings = vec![
        ("Settings: `fit --settings`, `dataset --settings`", schema::<crate::fit::FitSettings>()),
        ("Recipes: `compare`, `curve`, `tune`", crate::experiments::Recipe::schema()),
    ];
    [
        ("othello-trainer-json.md", include_str!("json-head.txt"), json),
        ("settings.md", include_str!("settings-head.txt"), settings),
    ]
    .map(|(file, head, objects)| reference::Page { file, head, objects })
}

#[cfg(test)]
mod tests {
    use othello_cli::arguments;
    use othello_testing::flags;

    use super::Program;

    #[test]
    fn a_flag_of_several_commands_has_one_text_and_a_heading() {
        let command = arguments::command::<Program>();
        assert_eq!(flags::faulty(&command), Vec::<String>::new());
        // A regression: some texts began with "plays", others with "play".
        let texts = command.get_subcommands().map(|sub| sub.get_about().unwrap().to_string());
        let verbs: Vec<_> = texts.map(|text| text.split(' ').next().unwrap().to_owned()).collect();
        assert!(verbs.len() > 10 && verbs.iter().all(|verb| !verb.ends_with('s')), "{verbs:?}");
        command.debug_assert();
    }
}
