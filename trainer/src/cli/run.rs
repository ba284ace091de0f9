//! `othello-trainer run`: makes weights by the steps of a recipe.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use othello_cli::arguments::number_from;
use othello_cli::{Outcome, Session};
use othello_engine::run::Shard;
use othello_engine::text::read_by;
use serde::Serialize;

use super::steps::{FinishedStep, Making};
use crate::recipe::Recipe;

/// Arguments of `run`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[arg(value_name = "RECIPE", help = recipes())]
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
    /// Make this step anew, and those that depend on it; without a name, all steps
    #[arg(long, value_name = "STEP", num_args = 0..=1)]
    fresh: Option<Option<String>>,
    /// Compare the files of the steps in this list of lines `SHA256  STEP` with their checksums;
    /// exit status 1 if a file differs or its step was not made
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Append a table of the steps, and the results of fits and matches, to this file as Markdown
    #[arg(long, value_name = "FILE.md")]
    summary: Option<PathBuf>,
}

fn recipes() -> String {
    let names: Vec<_> = Recipe::shipped_names().collect();
    format!("Recipe: a TOML file, or {}", names.join(", "))
}

#[derive(Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Plan {
    /// The steps, in the order in which they are made.
    steps: Vec<PlannedStep>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct PlannedStep {
    /// The name of the step, which is also the name of its output file in the folder of the run.
    name: String,
    /// `othello-engine` or `othello-trainer`.
    program: &'static str,
    /// The arguments of the program, with `--out` last.
    arguments: Vec<String>,
    /// The names of the earlier steps whose files this step reads.
    inputs: Vec<String>,
    /// The time that the step takes on one core of the reference machine (AMD EPYC, Zen 5), in
    /// seconds; 0 if unknown.
    core_seconds: f64,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| {
            let words = shlex::try_join(step.arguments.iter().map(String::as_str));
            writeln!(f, "{} {}", step.program, words.map_err(|_| fmt::Error)?)
        })
    }
}

#[derive(Default, Serialize, schemars::JsonSchema)]
pub(in crate::cli) struct Report {
    /// The steps, in the order of the recipe.
    steps: Vec<FinishedStep>,
    /// The SHA-256 of the last weights file of `steps`; if none is a weights file, of the last
    /// step's file.
    sha256: Option<String>,
    /// The result of `--check`; absent without this flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check>,
    /// The wall time of the command.
    seconds: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Check {
    /// The number of steps whose file has the checksum that the list of `--check` states.
    equal: usize,
    /// The first step whose checksum differs from that in the list of `--check`; absent if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    differs: Option<Difference>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Difference {
    /// The name of the step.
    step: String,
    /// The checksum that the list of `--check` states for the file of this step.
    expected: String,
    /// The SHA-256 of the file that the step made.
    found: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for FinishedStep { name, sha256, state, seconds, .. } in &self.steps {
            writeln!(f, "{sha256}  {name}  {state}, {seconds:.1} s")?;
        }
        if let Some(check) = &self.check {
            writeln!(f, "{check}")?;
        }
        write!(f, "{:.1} s in all", self.seconds)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.differs {
            None => write!(f, "{} checksums are as listed", self.equal),
            Some(Difference { step, expected, found }) => {
                write!(f, "{step} differs: expected {expected}, found {found}")
            }
        }
    }
}

impl Report {
    /// Returns Markdown: the error or else the result of `--check`, a table of the steps, and
    /// summaries of fits and matches.
    fn markdown(&self, recipe: &str, error: Option<&anyhow::Error>) -> String {
        let check = || self.check.as_ref().map(Check::to_string);
        let verdict = error.map(|error| format!("{error:#}")).or_else(check);
        let verdict = verdict.map(|verdict| format!("**{verdict}**\n\n"));
        let row = |FinishedStep { name, sha256, state, seconds, bytes, .. }: &FinishedStep| {
            format!("| {name} | {state} | {seconds:.1} | {bytes} | `{sha256}` |\n")
        };
        let printed = |made: &FinishedStep| match made.name.rsplit_once('.') {
            Some((_, "weights" | "match")) => {
                format!("\n### {}\n\n```text\n{}\n```\n", made.name, made.summary)
            }
            _ => String::new(),
        };
        format!(
            "## {recipe}: {:.0} s\n\n{}| step | state | seconds | bytes | sha256 |\n\
             |---|---|---|---|---|\n{}{}",
            self.seconds,
            verdict.unwrap_or_default(),
            self.steps.iter().map(row).collect::<String>(),
            self.steps.iter().map(printed).collect::<String>()
        )
    }
}

/// Runs the command `run`: makes the steps of a recipe or, with `--plan`, prints their commands.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let mut recipe = Recipe::load(&arguments.recipe)?;
    recipe.seed = arguments.seed.unwrap_or(recipe.seed);
    let named = arguments.only.iter().chain(arguments.fresh.iter().flatten());
    for name in named {
        let is_step = recipe.steps.iter().any(|step| step.name == *name);
        ensure!(is_step, "{name}: not a step of {}", arguments.recipe);
    }
    if arguments.plan {
        return session.print(&plan(&recipe, &arguments.out));
    }
    let mut report = Report::default();
    let outcome = make(&recipe, arguments, session, &mut report);
    report.seconds = session.seconds();
    if let Some(path) = &arguments.summary {
        let text = report.markdown(&arguments.recipe, outcome.as_ref().err());
        let file = OpenOptions::new().append(true).create(true).open(path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("--summary {}", path.display()))?;
    }
    let outcome = outcome?;
    session.print(&report)?;
    match report.check.filter(|check| check.differs.is_some()) {
        None => Ok(outcome),
        Some(check) => {
            session.progress().error(&check.to_string());
            Ok(Outcome::FoundWrong)
        }
    }
}

/// Makes the steps. After an error, `report` has those that were finished.
fn make(
    recipe: &Recipe,
    arguments: &Arguments,
    session: &Session,
    report: &mut Report,
) -> anyhow::Result<Outcome> {
    let Arguments { out, only, fresh, .. } = arguments;
    let list = arguments.check.as_deref().map(checksums).transpose()?;
    let fresh = match fresh {
        None => vec![],
        Some(None) => recipe.steps.iter().map(|step| step.name.as_str()).collect(),
        Some(Some(name)) => recipe.dependents(name),
    };
    let wanted = recipe.steps.iter().filter(|it| only.is_empty() || only.contains(&it.name));
    let wanted = wanted.map(|step| (step, fresh.contains(&step.name.as_str())));
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let steps = &mut report.steps;
    let outcome =
        Making { recipe, folder: out, shard, session }.make(&wanted.collect::<Vec<_>>(), steps)?;
    report.check = list.map(|list| check(list, steps));
    let weights = steps.iter().rfind(|step| step.name.ends_with(".weights"));
    report.sha256 = weights.or(steps.last()).map(|step| step.sha256.clone());
    Ok(outcome)
}

fn plan(recipe: &Recipe, folder: &Path) -> Plan {
    let planned = recipe.steps.iter().map(|step| PlannedStep {
        name: step.name.clone(),
        program: super::steps::program(step.command()),
        arguments: step.words(folder, recipe.seed),
        inputs: step.inputs().map(str::to_owned).collect(),
        core_seconds: step.core_seconds,
    });
    Plan { steps: planned.collect() }
}

/// Reads a list of lines `SHA256  STEP` as pairs (step, checksum).
fn checksums(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let pair = |line: &str| {
        let (sha256, step) = line.split_once("  ")?;
        let is_checksum = sha256.len() == 64 && sha256.bytes().all(|c| c.is_ascii_hexdigit());
        is_checksum.then(|| (step.trim().to_owned(), sha256.to_owned()))
    };
    Ok(read_by(path, |text| {
        let pairs: Option<Vec<_>> =
            text.lines().filter(|it| !it.trim().is_empty()).map(pair).collect();
        let pairs = pairs.filter(|pairs| !pairs.is_empty());
        pairs.ok_or("not a list of checksums: expected lines `SHA256  STEP`")
    })?)
}

/// Counts the pairs (step, checksum) of `list` that agree with `steps`, until one does not.
fn check(list: Vec<(String, String)>, steps: &[FinishedStep]) -> Check {
    let mut equal = 0;
    for (step, expected) in list {
        let made = steps.iter().find(|made| made.name == step);
        let found = made.map_or("no such step", |made| &made.sha256).to_owned();
        if found != expected {
            return Check { equal, differs: Some(Difference { step, expected, found }) };
        }
        equal += 1;
    }
    Check { equal, differs: None }
}
