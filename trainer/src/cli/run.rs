use std::fmt;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::file::refuse_shown;
use othello_engine::run::Shard;
use othello_engine::text::read_by;
use serde::Serialize;

use super::lines;
use super::steps::{FinishedStep, Making};
use crate::recipe::{Recipe, SHIPPED, Step, mark_fresh};

#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(help = format!("Recipe: a TOML file, or {}", SHIPPED.map(|(name, _)| name).join(", ")))]
    recipe: String,
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[arg(long, value_name = "S", value_parser = number_from(0_u64))]
    seed: Option<u64>,
    /// Print the commands of the steps, and run nothing
    #[arg(long)]
    plan: bool,
    #[arg(long, value_name = "STEP", num_args = 1..)]
    only: Vec<String>,
    #[arg(long, value_name = "I/N", conflicts_with = "fresh")]
    shard: Option<Shard>,
    /// Make this step and the steps that depend on it again; without STEP, make all steps again
    #[arg(long, value_name = "STEP", num_args = 0..=1)]
    fresh: Option<Option<String>>,
    /// Compare the checksums of the steps' files with this list of lines `SHA256  STEP`; exit
    /// status 1 if a file differs or its step was not made
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Append a table of the steps, and the results of fits and matches, to this file as Markdown
    #[arg(long, value_name = "FILE.md")]
    summary: Option<PathBuf>,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Plan {
    /// The steps, in the order in which they are made.
    steps: Vec<Step>,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|Step { program, arguments, .. }| {
            let words = shlex::try_join(arguments.iter().map(String::as_str));
            writeln!(f, "{program} {}", words.map_err(|_| fmt::Error)?)
        })
    }
}

#[derive(Default, Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{}{}{seconds:.1} s in all", lines(steps), lines(check))]
pub(in crate::cli) struct Report {
    /// The steps, in the order of the recipe.
    steps: Vec<FinishedStep>,
    /// The SHA-256 of the last weights file that a step makes. If no step makes one, the SHA-256 of
    /// the last step's file. Null if `steps` is empty.
    sha256: Option<String>,
    /// The result of `--check`; absent without this flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
    /// The wall time of the command.
    seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{}", differs.as_ref().map_or(format!("{equal} checksums are as listed"), Difference::to_string))]
struct Check {
    /// The number of checksums in the list of `--check` before the first difference.
    equal: usize,
    /// The first difference from the list of `--check`; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<Difference>,
}

#[derive(Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{step} differs: expected {expected}, found {found}")]
struct Difference {
    /// The name of the step.
    step: String,
    /// The checksum that the list of `--check` states for the file of this step.
    expected: String,
    /// The SHA-256 of the file that the step made; `no such step` if the step was not made.
    found: String,
}

impl Report {
    fn markdown(&self, recipe: &str, error: Option<&anyhow::Error>) -> String {
        let check = self.check.as_ref().map(Check::to_string);
        let verdict = error.map(|error| format!("{error:#}")).or(check);
        let verdict = verdict.map_or(String::new(), |verdict| format!("**{verdict}**\n\n"));
        let columns = "| step | state | seconds | bytes | sha256 |\n|---|---|---|---|---|\n";
        let mut text = format!("## {recipe}: {:.0} s\n\n{verdict}{columns}", self.seconds);
        for FinishedStep { name, sha256, state, seconds, bytes, .. } in &self.steps {
            text += &format!("| {name} | {state} | {seconds:.1} | {bytes} | `{sha256}` |\n");
        }
        for FinishedStep { name, summary, .. } in &self.steps {
            if name.ends_with(".weights") || name.ends_with(".match") {
                text += &format!("\n### {name}\n\n```text\n{summary}\n```\n");
            }
        }
        text
    }
}

pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let Arguments { recipe: name, out, only, fresh, summary, .. } = arguments;
    let mut recipe = Recipe::load(name)?;
    recipe.seed = arguments.seed.unwrap_or(recipe.seed);
    let mut steps = recipe.steps(out)?;
    for step in only.iter().chain(fresh.iter().flatten()) {
        ensure!(steps.iter().any(|it| it.name == *step), "{step}: not a step of {name}");
    }
    if let Some(path) = summary {
        refuse_shown(path)?;
    }
    if arguments.plan {
        return session.print(&Plan { steps });
    }
    if let Some(step) = fresh {
        mark_fresh(&mut steps, step.as_deref());
    }
    steps.retain(|step| only.is_empty() || only.contains(&step.name));
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let mut report = Report::default();
    let making = Making { recipe: &recipe, folder: out, shard, session };
    let list = arguments.check.as_deref().map(listed).transpose();
    let outcome = list.and_then(|list| {
        let outcome = making.make(&steps, &mut report.steps)?;
        report.check = list.map(|list| check(list, &report.steps));
        Ok(outcome)
    });
    report.seconds = session.seconds();
    let weights = report.steps.iter().rfind(|step| step.name.ends_with(".weights"));
    report.sha256 = weights.or(report.steps.last()).map(|step| step.sha256.clone());
    if let Some(path) = summary {
        let text = report.markdown(name, outcome.as_ref().err());
        let file = OpenOptions::new().append(true).create(true).open(path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("--summary {}", path.display()))?;
    }
    let outcome = outcome?;
    session.print(&report)?;
    let Some(difference) = report.check.and_then(|check| check.differs) else {
        return Ok(outcome);
    };
    session.progress().error(&difference.to_string());
    Ok(Outcome::FoundWrong)
}

/// Reads the expected checksums from lines `SHA256  STEP`, and leaves `found` empty.
fn listed(path: &Path) -> anyhow::Result<Vec<Difference>> {
    let entry = |line: &str| {
        let (sha256, step) = line.split_once("  ")?;
        let is_checksum = sha256.len() == 64 && sha256.bytes().all(|c| c.is_ascii_hexdigit());
        let [step, expected] = [step.trim(), sha256].map(str::to_owned);
        is_checksum.then_some(Difference { step, expected, found: String::new() })
    };
    let wrong = "not a list of checksums: expected lines `SHA256  STEP`";
    Ok(read_by(path, |text| {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(entry).collect::<Option<Vec<_>>>().filter(|it| !it.is_empty()).ok_or(wrong)
    })?)
}

/// Compares the listed checksums with the checksums of `steps`, up to the first difference.
fn check(mut list: Vec<Difference>, steps: &[FinishedStep]) -> Check {
    for Difference { step, found, .. } in &mut list {
        let made = steps.iter().find(|made| made.name == *step);
        *found = made.map_or("no such step", |made| &made.sha256).to_owned();
    }
    let equal = list.iter().take_while(|line| line.found == line.expected).count();
    Check { equal, differs: list.into_iter().nth(equal) }
}
