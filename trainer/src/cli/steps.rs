//! Makes the steps of a recipe one after another, inside this process.

use std::collections::VecDeque;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail, ensure};
use othello_cli::arguments::{self, parse_words};
use othello_cli::{Outcome, Session};
use othello_engine::file::{make_folder, remove_if_there, sha256_of_file};
use othello_engine::progress::{Progress as _, Silent};
use othello_engine::run::Shard;
use serde::Serialize;

use super::Program;
use crate::recipe::{Recipe, Step};

/// The subcommands that a step of a recipe cannot use, because they run recipes themselves.
const RUNS: [&str; 3] = ["quickstart", "run", "train"];

/// The pause before a process tries again to get a lock that another process of the run holds.
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// A run of a recipe: makes the files of the steps in `folder`.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub recipe: &'a Recipe,
    pub folder: &'a Path,
    /// The shard of the run whose parts this process makes first.
    pub shard: Shard,
    pub session: &'a Session,
}

/// A finished step of a recipe.
#[derive(Clone, Serialize, schemars::JsonSchema)]
pub(super) struct FinishedStep {
    /// The name of the step's file.
    pub name: String,
    /// The SHA-256 of the file, as `sha256sum` prints it.
    pub sha256: String,
    /// The size of the file.
    pub bytes: u64,
    /// `made`, or `kept` if an earlier run had made it.
    pub state: &'static str,
    /// The wall time.
    pub seconds: f64,
    /// The summary that the step's command printed.
    #[serde(skip)]
    pub summary: String,
}

/// A parsed command line, which runs when it is called.
type Command = Box<dyn Fn(&Session) -> anyhow::Result<Outcome>>;

/// Returns the name of the program that has a subcommand: `othello-trainer` or `othello-engine`.
pub(super) fn program(command: &str) -> &'static str {
    let is_own = arguments::command::<Program>().find_subcommand(command).is_some();
    if is_own { "othello-trainer" } else { "othello-engine" }
}

/// Returns a command line, without the program's name, parsed. Refuses commands that run recipes.
fn parsed(words: &[String]) -> anyhow::Result<Command> {
    let command = words[0].as_str();
    ensure!(!RUNS.contains(&command), "`{command}` cannot be the command of a step");
    let program = program(command);
    let line = std::iter::once(program).chain(words.iter().map(String::as_str));
    let parsed = if program == "othello-trainer" {
        parse_words(line).map(|own: Program| Box::new(move |it: &Session| own.run(it)) as Command)
    } else {
        parse_words(line).map(|other: othello_engine::cli::Program| {
            Box::new(move |it: &Session| other.run(it)) as Command
        })
    };
    parsed.map_err(|error| {
        let text = error.to_string();
        let reason: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
        anyhow::anyhow!("{}", reason.join(" ").trim_start_matches("error: ").to_owned())
    })
}

impl Making<'_> {
    /// Parses all commands, verifies finished steps of another version of the program, and makes
    /// the steps in order; true in `steps` requests to make a step anew. Stops after a step whose
    /// check fails (exit status 1). Appends each finished step to `made`.
    pub(super) fn make(
        &self,
        steps: &[(&Step, bool)],
        made: &mut Vec<FinishedStep>,
    ) -> anyhow::Result<Outcome> {
        let with_words = |&(step, is_fresh): &_| Ok((step, self.words(step, is_fresh)?));
        let commands: anyhow::Result<Vec<_>> = steps.iter().map(with_words).collect();
        let commands = commands?;
        make_folder(self.folder)?;
        {
            let _alone = self.wait_to_be_alone()?;
            self.verify(steps)?;
        }
        let begun = Instant::now();
        let mut left: f64 = commands.iter().map(|(step, _)| step.core_seconds).sum();
        let mut finished = 0.0;
        for (number, (step, words)) in commands.iter().enumerate() {
            let seconds = begun.elapsed().as_secs_f64();
            let time_left = self.time_left(left, finished, seconds);
            let (number, count, name) = (number + 1, commands.len(), &step.name);
            self.session
                .progress()
                .message(&format!("step {number} of {count}: {name}{time_left}"));
            let (step_made, outcome) =
                self.make_step(step, words).map_err(|error| of_step(name, error))?;
            left -= step.core_seconds;
            if step_made.state == "made" {
                finished += step.core_seconds;
            }
            made.push(step_made);
            if let Outcome::FoundWrong = outcome {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Done)
    }

    /// Returns the command line of a step, with `--force` if `is_fresh`. Fails if the command line
    /// is not valid, or if an input file that no step makes does not exist.
    pub(super) fn words(&self, step: &Step, is_fresh: bool) -> anyhow::Result<Vec<String>> {
        let mut words = step.words(self.folder, self.recipe.seed);
        let force = "--force".to_owned();
        if is_fresh && !words.contains(&force) {
            words.push(force);
        }
        drop(parsed(&words).with_context(|| format!("step {}", step.name))?);
        if let Some(file) = step.foreign_files().find(|file| !file.exists()) {
            bail!(
                "step {} reads {}, which does not exist and which no step makes; start in the folder of \
                 a clone or archive, or see the head of the recipe",
                step.name,
                file.display()
            );
        }
        Ok(words)
    }

    /// Returns the command for each shard of a step, beginning with the shard of this process; an
    /// error if the command line of the step does not take `--shard`.
    fn shards(&self, words: &[String]) -> anyhow::Result<Vec<Command>> {
        let (own, count) = (self.shard.number(), self.shard.count());
        let numbers = (0..count).map(|next| (own - 1 + next) % count + 1);
        let shard =
            |number| parsed(&[words, &["--shard".into(), format!("{number}/{count}")]].concat());
        numbers.map(shard).collect()
    }

    /// Makes the parts of a step together with other processes: first those of the process's own
    /// shard, then those of shards that no other process makes, until all are made.
    fn make_parts(&self, shards: Vec<Command>, path: &Path) -> anyhow::Result<()> {
        let report = path.with_added_extension(format!("json.{}", self.shard.number()));
        let mut missing = VecDeque::from(shards);
        while let Some(command) = missing.pop_front()
            && !path.exists()
        {
            match command(&self.session.step(&report)) {
                Ok(_) => {}
                // Another process has just packed the parts into the step's file.
                Err(_) if path.exists() => {}
                Err(error) if is_others_work(&error) => {
                    missing.push_back(command);
                    self.pause()?;
                }
                Err(error) => return Err(error),
            }
            remove_if_there(&report)?;
        }
        Ok(())
    }

    /// Runs a step's command for the whole step; the command packs the parts that shards wrote.
    /// Tries again while another process of the run holds a lock.
    fn make_whole(&self, command: &Command, report: &Path) -> anyhow::Result<(Session, Outcome)> {
        loop {
            let alone = self.wait_to_be_alone()?;
            let session = self.session.step(report);
            match command(&session) {
                // Another process locks a shard for an instant, to check that it is complete.
                Err(error) if alone.is_some() && is_others_work(&error) => {}
                outcome => return Ok((session, outcome?)),
            }
            drop(alone);
            self.pause()?;
        }
    }

    fn pause(&self) -> anyhow::Result<()> {
        self.session.progress().check()?;
        thread::sleep(BETWEEN_TRIES);
        Ok(())
    }

    /// Takes the lock under which one process makes a whole step; waits while another process holds
    /// it. Returns `None`, without a lock, if the run is not divided into shards.
    fn wait_to_be_alone(&self) -> anyhow::Result<Option<File>> {
        if self.shard.is_whole() {
            return Ok(None);
        }
        let path = self.folder.join("run.lock");
        let failed = || path.display().to_string();
        let file = File::create(&path).with_context(failed)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) => self.pause()?,
                Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
            }
        }
    }

    /// Returns a text with the estimated time for `left` core seconds of work: at first as if all
    /// threads were busy, then at the rate so far, `finished` core seconds in `seconds` seconds.
    /// The text is empty for less than half a second.
    fn time_left(&self, left: f64, finished: f64, seconds: f64) -> String {
        let by_threads = 1.0 / self.session.threads() as f64;
        let rate = if finished > 0.0 { seconds / finished } else { by_threads };
        match left * rate {
            left if left < 0.5 => String::new(),
            left if left < 90.0 => format!(", about {left:.0} s left in all"),
            left => format!(", about {:.0} min left in all", left / 60.0),
        }
    }

    pub(super) fn make_step(
        &self,
        step: &Step,
        words: &[String],
    ) -> anyhow::Result<(FinishedStep, Outcome)> {
        self.session.progress().check()?;
        let path = self.folder.join(&step.name);
        let modified = || -> Option<SystemTime> { fs::metadata(&path).ok()?.modified().ok() };
        let before = modified();
        let report = self.folder.join(format!("{}.json", step.name));
        if !self.shard.is_whole()
            && let Ok(shards) = self.shards(words)
        {
            self.make_parts(shards, &path)?;
        }
        let (session, outcome) = self.make_whole(&parsed(words)?, &report)?;
        let is_kept = before.is_some() && before == modified();
        let made = FinishedStep {
            name: step.name.clone(),
            sha256: sha256_of_file(&path, &Silent)?,
            bytes: fs::metadata(&path).map_or(0, |it| it.len()),
            state: if is_kept { "kept" } else { "made" },
            seconds: session.seconds(),
            summary: session.summary().unwrap_or_default().to_owned(),
        };
        Ok((made, outcome))
    }
}

fn of_step(name: &str, error: anyhow::Error) -> anyhow::Error {
    match format!("{error:#}") {
        text if text.contains("--force") => {
            anyhow::anyhow!("step {name}: {}", text.replace("--force", &format!("--fresh {name}")))
        }
        _ => error.context(format!("step {name}")),
    }
}

/// Returns true if a step failed because another process has locked the same work.
fn is_others_work(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::WouldBlock)
}
