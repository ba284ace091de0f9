//! The making of the steps of a recipe, one after another, inside this process.

use std::fs;
use std::path::Path;
use std::time::{Instant, SystemTime};

use anyhow::{Context as _, bail, ensure};
use othello_cli::arguments::{self, parse_words};
use othello_cli::{Outcome, Session};
use othello_engine::file::{make_folder, stated_sha256};
use othello_engine::progress::Progress as _;
use serde::Serialize;

use super::Program;
use super::export::sha256_of;
use crate::recipe::{Recipe, Step};

/// The subcommands that a step cannot have, because they make the steps of a recipe.
const RUNS: [&str; 3] = ["quickstart", "run", "train"];

/// A run of a recipe.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub recipe: &'a Recipe,
    /// The folder for the files of the steps.
    pub folder: &'a Path,
    pub seed: u64,
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
pub(super) type Command = Box<dyn Fn(&Session) -> anyhow::Result<Outcome>>;

/// Returns the program that has a subcommand.
pub(super) fn program(command: &str) -> &'static str {
    let is_own = arguments::command::<Program>().find_subcommand(command).is_some();
    if is_own { "othello-trainer" } else { "othello-engine" }
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
        self.verify(steps)?;
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
    ) -> anyhow::Result<(&'s Step, Command)> {
        let mut words = step.words(self.folder, self.seed);
        let force = "--force".to_owned();
        if is_fresh && !words.contains(&force) {
            words.push(force);
        }
        let command = parsed(&words).with_context(|| format!("step {}", step.name))?;
        if let Some(file) = step.foreign_files().find(|file| !file.exists()) {
            bail!(
                "step {} reads {}, which does not exist and which no step makes; the head of the \
                 recipe states where it is from",
                step.name,
                file.display()
            );
        }
        Ok((step, command))
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
        command: &Command,
    ) -> anyhow::Result<(Made, Outcome)> {
        self.session.progress().check()?;
        let path = self.folder.join(&step.name);
        let modified = || -> Option<SystemTime> { fs::metadata(&path).ok()?.modified().ok() };
        let before = modified();
        let report = self.folder.join(format!("{}.json", step.name));
        let session = self.session.step(&report);
        let outcome = command(&session)?;
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

/// Returns the checksum of the content that a file states, or that of all bytes of another format.
fn checksum(path: &Path) -> anyhow::Result<String> {
    if let Ok(stated) = stated_sha256(path) {
        return Ok(stated);
    }
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(sha256_of(&bytes))
}
