//! The run of a subcommand: its threads, its progress, its report and its exit status.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::Context as _;

use crate::arguments::Common;
use crate::interrupt;
use crate::message::say;
use crate::progress::Reporter;
use crate::progress::events::progress_file;
use crate::report::{self, Report};
use othello_core::file::{may_pass, plain};
use othello_core::progress::{Interrupted, Progress as _};
use othello_core::simd::InstructionSet;

/// The stack size of the threads of a command: deep searches may overflow a default stack.
const STACK_BYTES: usize = 8 << 20;

/// The exit status `EX_TEMPFAIL` of sysexits.h: a retry may succeed.
const TRY_AGAIN: u8 = 75;

/// The outcome of a command that completed without an error or interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The work succeeded: exit status 0.
    Done,
    /// The work found a fault, such as a wrong score or a failed check: exit status 1.
    FoundWrong,
}

impl Outcome {
    /// Returns [`Outcome::FoundWrong`] if `wrong` is true, and otherwise [`Outcome::Done`].
    pub fn wrong_if(wrong: bool) -> Self {
        if wrong { Self::FoundWrong } else { Self::Done }
    }
}

/// The state of a running subcommand.
pub struct Session {
    threads: usize,
    json: bool,
    reporter: Arc<Reporter>,
    begun: Instant,
    /// The report of a step of a recipe (`othello-trainer run`); `None` for any other subcommand.
    step: Option<StepReport>,
}

struct StepReport {
    path: PathBuf,
    summary: OnceLock<String>,
}

impl Session {
    /// Returns a session for one step of a recipe (a list of commands). This session writes the
    /// step's report to `path` as JSON.
    pub fn step(&self, path: &Path) -> Self {
        self.reporter.forget_resumed();
        Self {
            threads: self.threads,
            json: self.json,
            reporter: Arc::clone(&self.reporter),
            begun: Instant::now(),
            step: Some(StepReport { path: path.to_owned(), summary: OnceLock::new() }),
        }
    }

    /// Returns the report of a recipe's step as text; `None` until the step calls [`Self::print`].
    pub fn summary(&self) -> Option<&str> {
        self.step.as_ref()?.summary.get().map(String::as_str)
    }

    /// Returns the number of threads of the global rayon pool.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the progress display on standard error.
    pub fn progress(&self) -> &Reporter {
        &self.reporter
    }

    /// Returns the time at which the subcommand began its work.
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// Returns the time since the subcommand began its work, in seconds.
    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Ends the progress display and prints the report, or writes the report of a recipe's step to
    /// its file. Returns [`Outcome::Done`].
    pub fn print(&self, report: &impl Report) -> anyhow::Result<Outcome> {
        self.reporter.finish();
        let text = |json| report::text(report, &self.reporter.resumed(), json);
        match &self.step {
            None => {
                let text = text(self.json)?;
                report::to_standard_output(|out| out.write_all(text.as_bytes()))?;
            }
            Some(step) => {
                plain::replace(&step.path, text(true)?.as_bytes())?;
                let _ = step.summary.set(text(false)?.trim_end().to_owned());
            }
        }
        Ok(Outcome::Done)
    }

    fn start(common: &Common, reporter: Arc<Reporter>) -> anyhow::Result<Self> {
        if let Some(path) = &common.progress_file {
            let _ = reporter.file.set(progress_file(path).context("--progress-file")?);
        }
        InstructionSet::asked_for()?;
        // Rayon reads 0 as "all cores".
        rayon::ThreadPoolBuilder::new()
            .num_threads(common.threads.unwrap_or(0))
            .stack_size(STACK_BYTES)
            .build_global()
            .context("cannot start the threads; try a smaller --threads")?;
        Ok(Self {
            threads: rayon::current_num_threads(),
            json: common.json,
            reporter,
            begun: Instant::now(),
            step: None,
        })
    }
}

const PANICKED: i32 = 101;

/// Makes every panic end the process, because other threads might wait for the panicked thread.
/// Without `RUST_BACKTRACE`, the panic hook allocates nothing, so that it works if memory is
/// exhausted.
fn end_with_any_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("unnamed");
        let _ = writeln!(io::stderr(), "thread '{thread}' {panic}");
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(io::stderr(), "{trace}");
        }
        std::process::exit(PANICKED);
    }));
}

/// Runs `work` on a thread with a large stack. Returns its exit status; a panic ends the process.
pub fn main(work: impl FnOnce() -> u8 + Send) -> u8 {
    end_with_any_panic();
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("command".to_owned());
        match builder.stack_size(STACK_BYTES).spawn_scoped(scope, work) {
            Ok(command) => command.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                say(&format!("error: cannot start a thread: {error}"));
                2
            }
        }
    })
}

/// Runs a subcommand and returns its exit status; the [front page](crate) lists the statuses.
pub fn run(common: &Common, command: impl FnOnce(&Session) -> anyhow::Result<Outcome>) -> u8 {
    let reporter = Arc::new(Reporter::new(common.log));
    let answering = Arc::clone(&reporter);
    let outcome = interrupt::listen(move |signal| answering.interrupt(signal))
        .context("cannot listen for interrupts")
        .and_then(|()| Session::start(common, Arc::clone(&reporter)))
        .and_then(|session| command(&session));
    reporter.finish();
    let status = match outcome {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::FoundWrong) => 1,
        Err(error) if error.chain().any(|cause| cause.is::<Interrupted>()) => {
            reporter.message(reporter.interrupts.farewell());
            reporter.interrupts.exit_status()
        }
        Err(error) => {
            reporter.error(&explanation(&error));
            if is_passing(&error) { TRY_AGAIN } else { 2 }
        }
    };
    reporter.exit(status);
    status
}

fn is_passing(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(may_pass)
}

fn explanation(error: &anyhow::Error) -> String {
    let causes = error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty());
    let all = causes.reduce(|text, cause| match text.contains(&cause) {
        true => text,
        false => format!("{text}: {cause}"),
    });
    all.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_may_pass_differ_from_others() {
        let passes = |kind: io::ErrorKind| {
            is_passing(&anyhow::Error::new(io::Error::from(kind)).context("a.games"))
        };
        assert!(passes(io::ErrorKind::StorageFull) && passes(io::ErrorKind::TimedOut));
        assert!(!passes(io::ErrorKind::NotFound));
        assert!(!passes(io::ErrorKind::PermissionDenied));
        assert!(!is_passing(&anyhow::anyhow!("no such level")));
    }

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("no space").context("a.games: no space; free space");
        assert_eq!(
            explanation(&error.context("stopped")),
            "stopped: a.games: no space; free space"
        );
    }
}
