//! What every subcommand shares: threads, `--json`, progress, exit status.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::Context as _;

use super::interrupt;
use super::output::{self, Report};
use super::progress::{Reporter, say};
use crate::progress::Interrupted;

/// The options of every subcommand, flattened into the binary's arguments.
#[derive(clap::Args, Debug)]
pub struct Common {
    /// Threads to work with [default: all cores]
    #[arg(long, value_name = "N", global = true)]
    pub threads: Option<NonZeroUsize>,

    /// Print one JSON object to standard output instead of a summary
    #[arg(long, global = true)]
    pub json: bool,
}

/// How work that ran to its end came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Done: exit status 0.
    Done,
    /// The work found something wrong, such as a wrong score or a failed check: exit status 1.
    FoundWrong,
}

impl Outcome {
    /// [`Outcome::FoundWrong`] where `wrong` holds.
    pub fn wrong_if(wrong: bool) -> Self {
        if wrong { Self::FoundWrong } else { Self::Done }
    }
}

/// What a running subcommand has at hand.
pub struct Session {
    threads: usize,
    json: bool,
    reporter: Reporter,
}

impl Session {
    /// How many threads the global rayon pool has.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether standard output is to get one JSON object; for a subcommand that writes its own.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Bars on a terminal, plain lines elsewhere; always on standard error.
    pub fn progress(&self) -> &Reporter {
        &self.reporter
    }

    /// Ends the progress display and prints the report to standard output, with what was there
    /// from an earlier run.
    pub fn print(&self, report: &impl Report) -> anyhow::Result<()> {
        self.reporter.finish();
        output::print(report, &self.reporter.resumed(), self.json)
    }
}

/// Runs a subcommand: starts the thread pool, and turns the result into the exit status (an error
/// is 2, as clap's own are; an interrupt 128 and the signal's number, as in shells).
pub fn run(common: &Common, command: impl FnOnce(&Session) -> anyhow::Result<Outcome>) -> ExitCode {
    let outcome = start(common).and_then(|session| {
        let outcome = command(&session);
        session.reporter.finish();
        outcome
    });
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::FoundWrong) => ExitCode::from(1),
        Err(error) if error.chain().any(|cause| cause.is::<Interrupted>()) => {
            say(interrupt::farewell());
            ExitCode::from(interrupt::exit_status())
        }
        Err(error) => {
            say(&format!("error: {}", explanation(&error)));
            ExitCode::from(2)
        }
    }
}

/// An error and its causes, less those whose words are in it already.
fn explanation(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| {
        if text.is_empty() {
            cause
        } else if text.contains(&cause) {
            text
        } else {
            format!("{text}: {cause}")
        }
    })
}

/// The stack of a worker thread, whatever the environment says (`RUST_MIN_STACK`): a search of 60 plies
/// takes some hundred kilobytes.
const STACK_BYTES: usize = 4 << 20;

fn start(common: &Common) -> anyhow::Result<Session> {
    interrupt::listen().context("cannot listen for interrupts")?;
    // Rayon reads 0 as "all cores".
    let threads = common.threads.map_or(0, NonZeroUsize::get);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .build_global()
        .context("cannot start the threads; try a smaller --threads")?;
    Ok(Session {
        threads: rayon::current_num_threads(),
        json: common.json,
        reporter: Reporter::for_standard_error(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Library errors repeat their cause in their own words.
    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("no space").context("a.games: no space; make room");
        assert_eq!(explanation(&error.context("stopped")), "stopped: a.games: no space; make room");
    }
}
