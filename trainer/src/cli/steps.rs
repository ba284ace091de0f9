//! Makes the steps of a recipe one after another, inside this process.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail, ensure};
use othello_cli::arguments::{self, parse_words};
use othello_cli::{Outcome, Session};
use othello_engine::file::{make_folder, remove_if_there, stated_sha256};
use othello_engine::progress::Progress as _;
use othello_engine::run::Shard;
use serde::Serialize;

use super::Program;
use super::export::sha256_of;
use crate::recipe::{Recipe, Step};

/// The subcommands that a step of a recipe cannot use, because they run recipes themselves.
const RUNS: [&str; 3] = ["quickstart", "run", "train"];

/// The pause before a process tries again to get a lock that another process of the run holds.
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// A run of a recipe: the steps are made in `folder`.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub recipe: &'a Recipe,
    pub folder: &'a Path,
    /// The shard of the run that this process makes.
    pub shard: Shard,
    pub session: &'a Session,
}

/// A step that was made.
#[derive(Clone, Serialize, schemars::JsonSchema)]
pub(super) struct Made {
    /// The name of its file.
    pub name: String,
    /// The checksum of the file: that of its content, which `othello-engine weights` prints too, or
    /// for other formats that of all bytes.
    pub sha256: String,
    /// The size of the file.
    pub bytes: u64,
    /// `made`, or `kept` if an earlier run had made it.
    pub state: &'static str,
    /// The wall time.
    pub seconds: f64,
    /// The summary that its command printed.
    #[serde(skip)]
    pub summary: String,
}

/// A parsed command line, which runs when it is called.
type Command = Box<dyn Fn(&Session) -> anyhow::Result<Outcome>>;

pub(super) struct Commands {
    /// The command that makes the whole step in this process.
    whole: Command,
    /// The commands for each shard; `None` if one process makes the run or the step has no shards.
    shared: Option<Shared>,
}

/// The parsed command lines of a step that several processes make together.
struct Shared {
    /// The commands that make the parts of each shard, that of this process first.
    shards: Vec<Command>,
    /// Packs the parts of all shards into the file of the step.
    pack: Command,
}

/// Returns the name of the program that has a subcommand: `othello-trainer` or `othello-engine`.
pub(super) fn program(command: &str) -> &'static str {
    let is_own = arguments::command::<Program>().find_subcommand(command).is_some();
    if is_own { "othello-trainer" } else { "othello-engine" }
}

fn takes_shard(command: &str) -> bool {
    let takes = |program: clap::Command| {
        let own = program.find_subcommand(command);
        own.is_some_and(|own| own.get_arguments().any(|it| it.get_long() == Some("shard")))
    };
    takes(arguments::command::<Program>())
        || takes(arguments::command::<othello_engine::cli::Program>())
}

/// Parses a command line without the program's name. Refuses subcommands that run recipes.
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
    /// Parses all commands, verifies steps that another version of the program finished, and makes
    /// the steps in order, those with true anew. Stops after a step with a failed check (exit
    /// status 1). Returns the steps up to this one, and the outcome.
    pub(super) fn make(&self, steps: &[(&Step, bool)]) -> anyhow::Result<(Vec<Made>, Outcome)> {
        let parsed: Vec<_> = steps.iter().map(|step| self.parse(step)).collect::<Result<_, _>>()?;
        make_folder(self.folder)?;
        {
            let _alone = self.wait_to_be_alone()?;
            self.verify(steps)?;
        }
        let (begun, mut made) = (Instant::now(), vec![]);
        let mut left: f64 = parsed.iter().map(|(step, _)| step.core_seconds).sum();
        let mut finished = 0.0;
        for (number, (step, command)) in parsed.iter().enumerate() {
            let seconds = begun.elapsed().as_secs_f64();
            let time_left = self.time_left(left, finished, seconds);
            let (number, count, name) = (number + 1, parsed.len(), &step.name);
            self.session
                .progress()
                .message(&format!("step {number} of {count}: {name}{time_left}"));
            let (step_made, outcome) =
                self.make_step(step, command).with_context(|| format!("step {name}"))?;
            left -= step.core_seconds;
            if step_made.state == "made" {
                finished += step.core_seconds;
            }
            made.push(step_made);
            if let Outcome::FoundWrong = outcome {
                return Ok((made, outcome));
            }
        }
        Ok((made, Outcome::Done))
    }

    /// Parses the command lines of a step. Input files that no step makes must exist.
    pub(super) fn parse<'s>(
        &self,
        &(step, is_fresh): &(&'s Step, bool),
    ) -> anyhow::Result<(&'s Step, Commands)> {
        let mut words = step.words(self.folder, self.recipe.seed);
        let force = "--force".to_owned();
        if is_fresh && !words.contains(&force) {
            words.push(force);
        }
        let parse = |words: &[String]| parsed(words).with_context(|| format!("step {}", step.name));
        let commands = Commands {
            whole: parse(&words)?,
            shared: match !self.shard.is_whole() && takes_shard(step.command()) {
                true => Some(Shared {
                    shards: self.shares(&words).map(|it| parse(&it)).collect::<Result<_, _>>()?,
                    pack: parse(&self.packing(step, &words))?,
                }),
                false => None,
            },
        };
        if let Some(file) = step.foreign_files().find(|file| !file.exists()) {
            bail!(
                "step {} reads {}, which does not exist and which no step makes; the head of the \
                 recipe states where it is from",
                step.name,
                file.display()
            );
        }
        Ok((step, commands))
    }

    /// Returns the command line of each shard of a step, that of this process first.
    fn shares(&self, words: &[String]) -> impl Iterator<Item = Vec<String>> {
        let (own, count) = (self.shard.number(), self.shard.count());
        (0..count).map(move |next| {
            let number = (own - 1 + next) % count + 1;
            let shard = ["--shard".to_owned(), format!("{number}/{count}")];
            words.iter().cloned().chain(shard).collect()
        })
    }

    /// Returns the command line that packs the parts of all shards of a step.
    fn packing(&self, step: &Step, words: &[String]) -> Vec<String> {
        let out = self.folder.join(&step.name).display().to_string();
        let init = words.iter().position(|word| word == "--init");
        let init = init.map_or(&[][..], |at| &words[at..at + 2]);
        let pack = ["pack".to_owned(), out, "--clean".to_owned()];
        pack.into_iter().chain(init.iter().cloned()).collect()
    }

    /// Makes a step together with other processes: the parts of its own shard, then those of shards
    /// that no other process makes. Packs the parts unless another process does.
    fn make_shared(&self, shared: &Shared, path: &Path, report: &Path) -> anyhow::Result<()> {
        let own_report = report.with_extension(format!("json.{}", self.shard.number()));
        let mut missing: Vec<&Command> = shared.shards.iter().collect();
        while !path.exists() {
            let mut left = vec![];
            for command in missing {
                match command(&self.session.step(&own_report)) {
                    Ok(_) => {}
                    // Another process has just packed and removed the parts.
                    Err(_) if path.exists() => return Ok(()),
                    Err(error) if is_others_work(&error) => left.push(command),
                    Err(error) => return Err(error),
                }
                remove_if_there(&own_report)?;
            }
            missing = left;
            let alone = self.wait_to_be_alone()?;
            if !path.exists() && missing.is_empty() {
                // Not into `report`: the whole step would refuse what a killed packing left there.
                let packed = report.with_extension("json.pack");
                (shared.pack)(&self.session.step(&packed))?;
                return Ok(remove_if_there(&packed)?);
            }
            drop(alone);
            self.session.progress().check()?;
            thread::sleep(BETWEEN_TRIES);
        }
        Ok(())
    }

    /// Takes the lock under which one process of the run packs or makes a whole step; waits if
    /// another holds it. `None` if one process makes the run.
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
                Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_TRIES),
                Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
            }
            self.session.progress().check()?;
        }
    }

    /// Estimates the remaining time from the core seconds `left`: all threads are assumed busy at
    /// first, later the rate of `finished` core seconds in `seconds`. Empty below half a second.
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
        commands: &Commands,
    ) -> anyhow::Result<(Made, Outcome)> {
        self.session.progress().check()?;
        let path = self.folder.join(&step.name);
        let modified = || -> Option<SystemTime> { fs::metadata(&path).ok()?.modified().ok() };
        let before = modified();
        let report = self.folder.join(format!("{}.json", step.name));
        if let Some(shared) = &commands.shared {
            self.make_shared(shared, &path, &report)?;
        }
        let _alone = self.wait_to_be_alone()?;
        let session = self.session.step(&report);
        let outcome = (commands.whole)(&session)?;
        let is_kept = before.is_some() && before == modified();
        let made = Made {
            name: step.name.clone(),
            sha256: checksum(&path)?,
            bytes: fs::metadata(&path).map_or(0, |it| it.len()),
            state: if is_kept { "kept" } else { "made" },
            seconds: session.seconds(),
            summary: session.summary().unwrap_or_default().to_owned(),
        };
        Ok((made, outcome))
    }
}

/// Returns true if a step failed because another process has locked the same work.
fn is_others_work(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::WouldBlock)
}

/// Returns the checksum that a file states of its content or, without one, that of its bytes.
fn checksum(path: &Path) -> anyhow::Result<String> {
    if let Ok(stated) = stated_sha256(path) {
        return Ok(stated);
    }
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(sha256_of(&bytes))
}
