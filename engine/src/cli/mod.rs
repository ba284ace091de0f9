//! The command line. Each file has the `Arguments` (clap) of a subcommand and its `run(&Arguments,
//! &Session)`. [`othello_cli`] has the parts that are not specific to the engine.

pub mod arguments;

use std::ffi::OsString;

use clap::{Parser, Subcommand};
use othello_cli::reference::{self, event_schema, schema};
use othello_cli::{Outcome, Session, arguments as shared, session};

pub mod ablate;
pub mod bench;
pub mod evaluate;
pub mod hint;
pub mod openings;
pub mod patterns;
pub mod perft;
pub mod protocols;
pub mod selfplay;
pub mod solve;
pub mod stats;
pub mod weights;

/// Play, solve and evaluate Othello positions, and make training data.
#[derive(Parser, Debug)]
#[command(name = "othello-engine", version)]
pub struct Program {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: shared::Common,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Solve positions with one search feature switched off at a time
    ///
    /// With --depth, search positions to this depth instead. With --selectivity too, also search
    /// without pruning; with `--search realization` too, search with all moves equally probable.
    Ablate(ablate::Arguments),
    /// Count and time the nodes of a built-in set of searches on one thread
    Bench(bench::Arguments),
    /// Print a script that completes arguments in a shell
    #[command(hide = true)]
    Completions(reference::Completions),
    /// Evaluate each board of a file, statically or by search
    Evaluate(evaluate::Arguments),
    /// Play by GTP, the Go Text Protocol, on standard input and output
    Gtp(protocols::Arguments),
    /// Show all moves of a position with their values and best lines
    Hint(hint::Arguments),
    /// Write manual pages
    #[command(hide = true)]
    Man(reference::Man),
    /// Play and analyse by the NBoard protocol on standard input and output
    Nboard(protocols::Arguments),
    /// Enumerate openings up to symmetry, and score them
    Openings(openings::Arguments),
    /// Show a pattern set before a fit: instances, classes, size and speed
    Patterns(patterns::Arguments),
    /// Count the leaves of the game tree from the start position
    Perft(perft::Arguments),
    /// Write the reference pages
    #[command(hide = true)]
    Reference(reference::Reference),
    /// Play games of an evaluation against itself or another, and record them
    Selfplay(Box<selfplay::Arguments>),
    /// Find the exact scores of positions
    ///
    /// The evaluation of --weights orders moves; it does not change scores.
    Solve(solve::Arguments),
    /// Count flipped discs, legal moves, passes and ends of games by ply
    Stats(stats::Arguments),
    /// Show the contents of a weights file
    Weights(weights::Arguments),
}

/// Runs a command line, whose first word is the program's name. Returns the exit status.
pub fn main(words: Vec<OsString>) -> u8 {
    session::main(|| {
        let program: Program = shared::parse_or_exit(words);
        session::run(&program.common, |session| program.run(session))
    })
}

impl Program {
    /// Runs the subcommand that the arguments select.
    pub fn run(&self, session: &Session) -> anyhow::Result<Outcome> {
        match &self.command {
            Command::Ablate(arguments) => ablate::run(arguments, session),
            Command::Bench(arguments) => bench::run(arguments, session),
            Command::Completions(arguments) => arguments.write(shared::command::<Program>()),
            Command::Evaluate(arguments) => evaluate::run(arguments, session),
            Command::Gtp(arguments) => protocols::gtp(arguments, session),
            Command::Hint(arguments) => hint::run(arguments, session),
            Command::Man(arguments) => arguments.write(shared::command::<Program>()),
            Command::Nboard(arguments) => protocols::nboard(arguments, session),
            Command::Openings(arguments) => openings::run(arguments, session),
            Command::Patterns(arguments) => patterns::run(arguments, session),
            Command::Perft(arguments) => perft::run(arguments, session),
            Command::Reference(arguments) => {
                arguments.write(shared::command::<Program>(), &[json_page()])
            }
            Command::Selfplay(arguments) => selfplay::run(arguments, session),
            Command::Solve(arguments) => solve::run(arguments, session),
            Command::Stats(arguments) => stats::run(arguments, session),
            Command::Weights(arguments) => weights::run(arguments, session),
        }
    }
}

fn json_page() -> reference::Page {
    reference::Page {
        file: "othello-engine-json.md",
        head: include_str!("json-head.txt"),
        objects: vec![
            ("`ablate`", schema::<ablate::Ablate>()),
            ("`bench`", schema::<bench::Bench>()),
            ("`evaluate`", schema::<evaluate::Evaluation>()),
            ("`hint`", schema::<hint::Hints>()),
            ("`openings`", schema::<openings::Openings>()),
            ("`patterns`", schema::<patterns::Patterns>()),
            ("`perft`", schema::<perft::Perft>()),
            ("`selfplay`", schema::<selfplay::SelfPlay>()),
            ("`solve`", schema::<solve::Solve>()),
            ("`stats`", schema::<stats::Statistics>()),
            ("`weights`", schema::<weights::Report>()),
            ("Events: `--log json`, `--progress-file`", event_schema()),
        ],
    }
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
        command.debug_assert();
    }
}
