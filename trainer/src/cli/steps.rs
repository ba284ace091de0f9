//! The making of the steps of a recipe, one after another, inside this process.

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

/// The subcommands that a step cannot have, because they make the steps of a recipe.
const RUNS: [&str; 3] = ["quickstart", "run", "train"];

/// The time between two tries to be the only process that makes a step.
const BETWEEN_TRIES: Duration = Duration::from_millis(100);

/// A run of a recipe.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub recipe: &'a Recipe,
    /// The folder for the files of the steps.
    pub folder: &'a Path,
    pub seed: u64,
    /// The shard that this process makes, if several make the run.
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

/// A command line that was parsed.
type Command = Box<dyn Fn(&Session) -> anyhow::Result<Outcome>>;

/// The commands of a step.
pub(super) struct Commands {
    /// Makes the whole step.
    whole: Command,
    /// If several processes make the run and the command can be shared.
    shared: Option<Shared>,
}

/// The commands of a step that several processes make.
struct Shared {
    /// Makes the parts of a shard, for each shard: first that of this process.
    shards: Vec<Command>,
    /// Packs the parts of all.
    pack: Command,
}

/// Returns the program that has a subcommand.
pub(super) fn program(command: &str) -> &'static str {
    let is_own = arguments::command::<Program>().find_subcommand(command).is_some();
    if is_own { "othello-trainer" } else { "othello-engine" }
}

/// Returns whether a subcommand takes `--shard`.
fn takes_shard(command: &str) -> bool {
    let takes = |program: clap::Command| {
        let own = program.find_subcommand(command);
        own.is_some_and(|own| own.get_arguments().any(|it| it.get_long() == Some("shard")))
    };
    takes(arguments::command::<Program>())
        || takes(arguments::command::<othello_engine::cli::Program>())
}

/// Parses the arguments of a program.
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
    /// Makes the steps, a fresh one even if its file is complete. Checks all before it makes the
    /// first one, and those that are finished if another program made them.
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

    /// Parses the command line of a step, and checks that the files exist that no step makes.
    pub(super) fn parse<'s>(
        &self,
        &(step, is_fresh): &(&'s Step, bool),
    ) -> anyhow::Result<(&'s Step, Commands)> {
        let mut words = step.words(self.folder, self.seed);
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

    /// Returns for each shard the words that make its parts, first for that of this process.
    fn shares(&self, words: &[String]) -> impl Iterator<Item = Vec<String>> {
        let (own, count) = (self.shard.number(), self.shard.count());
        (0..count).map(move |next| {
            let number = (own - 1 + next) % count + 1;
            let shard = ["--shard".to_owned(), format!("{number}/{count}")];
            words.iter().cloned().chain(shard).collect()
        })
    }

    /// Returns the words that pack the parts of all processes.
    fn packing(&self, step: &Step, words: &[String]) -> Vec<String> {
        let out = self.folder.join(&step.name).display().to_string();
        let init = words.iter().position(|word| word == "--init");
        let init = init.map_or(&[][..], |at| &words[at..at + 2]);
        let pack = ["pack".to_owned(), out, "--clean".to_owned()];
        pack.into_iter().chain(init.iter().cloned()).collect()
    }

    /// Makes the parts of a step, and packs them. Makes those of other shards too, unless another
    /// process does; then waits for it.
    fn make_shared(&self, shared: &Shared, path: &Path, report: &Path) -> anyhow::Result<()> {
        let own_report = report.with_extension(format!("json.{}", self.shard.number()));
        let mut missing: Vec<&Command> = shared.shards.iter().collect();
        while !path.exists() {
            let mut left = vec![];
            for command in missing {
                match command(&self.session.step(&own_report)) {
                    Ok(_) => {}
                    // Another process has packed the parts, and removed them, in this moment.
                    Err(_) if path.exists() => return Ok(()),
                    Err(error) if is_others_work(&error) => left.push(command),
                    Err(error) => return Err(error),
                }
                remove_if_there(&own_report)?;
            }
            missing = left;
            let alone = self.wait_to_be_alone()?;
            if !path.exists() && missing.is_empty() {
                // The whole step writes `report`, which would refuse what a killed process left of
                // the report of the packing.
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

    /// Waits until no other process packs or makes a whole step of this run. Returns the lock, or
    /// nothing if no others make it.
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

    /// Estimates the time left from the core seconds of the steps: at first with all threads busy,
    /// then at the rate so far.
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

/// Returns whether a step stopped because another process makes something that it needs.
fn is_others_work(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::WouldBlock)
}

/// Returns the checksum of the content that a file states, or that of all bytes of another format.
fn checksum(path: &Path) -> anyhow::Result<String> {
    if let Ok(stated) = stated_sha256(path) {
        return Ok(stated);
    }
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(sha256_of(&bytes))
}
