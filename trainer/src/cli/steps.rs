//! Makes the steps of a recipe inside this process. A changed program may resume a run only if it
//! makes the begun steps as before. To check this, it compares each step's *probe*: the checksum of
//! the step's file in a small run of the recipe ([`Recipe::in_small`]), stored in `run.json`.
//! Steps that fail in the small run or write measured times have no probe, and are not checked.
//! Equal probes do not prove that the full steps are equal.

use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use othello_cli::arguments::parse_words;
use othello_cli::{Outcome, Session};
use othello_engine::file::{lock, make_folder, plain, remove_if_there, sha256_of, sha256_of_file};
use othello_engine::progress::{Progress as _, Silent};
use othello_engine::run::Shard;
use othello_engine::text::read_by;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::Program;
use crate::recipe::{Recipe, Step};

#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub recipe: &'a Recipe,
    pub folder: &'a Path,
    /// The share of each step that this process makes first. Then it makes shares that no other
    /// process makes.
    pub shard: Shard,
    pub session: &'a Session,
}

/// A finished step of a recipe.
#[derive(Clone, Serialize, schemars::JsonSchema, derive_more::Display)]
#[display("{sha256}  {name}  {state}, {seconds:.1} s")]
pub(super) struct FinishedStep {
    /// The name of the step, which is also the name of its output file in the folder of the run.
    pub name: String,
    /// The SHA-256 of the step's file, as `sha256sum` prints it.
    pub sha256: String,
    /// The size of the step's file in bytes.
    pub bytes: u64,
    /// `made` if this run made the file, `kept` if an earlier run had made it.
    pub state: &'static str,
    /// The wall time of the step.
    pub seconds: f64,
    /// The summary that the step's command printed.
    #[serde(skip)]
    pub summary: String,
}

/// The file extensions by which a word of a step's command line is recognized as the path of an
/// input file.
const INPUTS: [&str; 7] = ["games", "positions", "openings", "weights", "txt", "obf", "toml"];

type Command = Box<dyn Fn(&Session) -> Result<Outcome>>;

/// Parses a step's command line with the words `more` appended. Refuses commands that run recipes.
fn parsed(step: &Step, more: &[&str]) -> Result<Command> {
    let command = step.arguments[0].as_str();
    let is_run = matches!(command, "quickstart" | "run" | "train");
    ensure!(!is_run, "`{command}` cannot be the command of a step");
    let words = [step.program].into_iter().chain(step.arguments.iter().map(String::as_str));
    let force = step.is_fresh && !step.arguments.iter().any(|word| word == "--force");
    let words = words.chain(force.then_some("--force")).chain(more.iter().copied());
    let parsed = if step.program == "othello-trainer" {
        parse_words(words).map(|own: Program| Box::new(move |it: &Session| own.run(it)) as Command)
    } else {
        parse_words(words).map(|other: othello_engine::cli::Program| {
            Box::new(move |it: &Session| other.run(it)) as Command
        })
    };
    parsed.map_err(|error| {
        let text = error.to_string();
        let reason: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
        anyhow!("{}", reason.join(" ").trim_start_matches("error: "))
    })
}

impl Making<'_> {
    /// Checks all commands and existing files ([`Self::verify`]), then makes `steps` in order, and
    /// appends each to `made`. Ends early if a command returns the exit status 1.
    pub(super) fn make(&self, steps: &[Step], made: &mut Vec<FinishedStep>) -> Result<Outcome> {
        steps.iter().try_for_each(|step| self.check(step))?;
        make_folder(self.folder)?;
        self.alone(|| self.verify(steps))?;
        let begun = Instant::now();
        let mut left: f64 = steps.iter().map(|step| step.core_seconds).sum();
        // The seconds for each core second: at first as if all threads were busy, then as measured.
        let (mut rate, mut finished) = (1.0 / self.session.threads() as f64, 0.0);
        for (number, step) in (1..).zip(steps) {
            let time_left = match left * rate {
                ..0.5 => String::new(),
                left @ ..90.0 => format!(", about {left:.0} s left in all"),
                left => format!(", about {:.0} min left in all", left / 60.0),
            };
            let (progress, count, name) = (self.session.progress(), steps.len(), &step.name);
            progress.message(&format!("step {number} of {count}: {name}{time_left}"));
            let (one, outcome) = self.make_step(step).map_err(|error| of_step(name, error))?;
            left -= step.core_seconds;
            if one.state == "made" && step.core_seconds > 0.0 {
                finished += step.core_seconds;
                rate = begun.elapsed().as_secs_f64() / finished;
            }
            made.push(one);
            if outcome == Outcome::FoundWrong {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Done)
    }

    /// Refuses invalid command lines, and missing input files that no step makes.
    fn check(&self, step: &Step) -> Result<()> {
        drop(parsed(step, &[]).with_context(|| format!("step {}", step.name))?);
        for file in step.arguments.iter().map(Path::new).filter(|it| !it.exists()) {
            let is_input =
                file.extension().is_some_and(|it| INPUTS.iter().any(|input| it == *input));
            ensure!(
                !is_input || file.parent() == Some(self.folder),
                "step {} reads {}, which does not exist and which no step makes; start in the folder \
                 of a clone or archive, or see the head of the recipe",
                step.name,
                file.display()
            );
        }
        Ok(())
    }

    /// Makes the parts of the step's file `path`: first the shard of this process, then the shards
    /// that no other process makes. Does nothing if the step's command has no flag `--shard`.
    fn make_parts(&self, step: &Step, path: &Path) -> Result<()> {
        let (own, count) = (self.shard.number(), self.shard.count());
        let shards = (own - 1..own - 1 + count).map(|part| Shard::of_part(part, count).to_string());
        let commands = shards.map(|shard| parsed(step, &["--shard", &shard]));
        let Ok(mut missing) = commands.collect::<Result<VecDeque<_>>>() else {
            return Ok(());
        };
        let report = path.with_added_extension(format!("json.{own}"));
        while let Some(command) = missing.pop_front()
            && !path.exists()
        {
            let made = command(&self.session.step(&report));
            remove_if_there(&report)?;
            match made {
                // Another process has just packed the parts into the step's file.
                Err(_) if path.exists() => {}
                Err(error) if is_others_work(&error) => {
                    missing.push_back(command);
                    self.pause()?;
                }
                made => drop(made?),
            }
        }
        Ok(())
    }

    /// Runs `work`, and returns its result. In a run with `--shard`, only one process runs `work`
    /// at a time. The other processes wait for `run.lock`, and for locks that `work` needs.
    fn alone<T>(&self, work: impl Fn() -> Result<T>) -> Result<T> {
        if self.shard.is_whole() {
            return work();
        }
        let path = self.folder.join("run.lock");
        loop {
            match lock(&path).map_err(Into::into).and_then(|_held| work()) {
                Err(error) if is_others_work(&error) => self.pause()?,
                result => return result,
            }
        }
    }

    fn pause(&self) -> Result<()> {
        self.session.progress().check()?;
        thread::sleep(Duration::from_millis(100));
        Ok(())
    }

    fn make_step(&self, step: &Step) -> Result<(FinishedStep, Outcome)> {
        self.session.progress().check()?;
        let path = self.folder.join(&step.name);
        let modified = || fs::metadata(&path).ok()?.modified().ok();
        let before = modified();
        if !self.shard.is_whole() {
            self.make_parts(step, &path)?;
        }
        // Without `--shard`, the command makes what is missing, and joins the parts of shards.
        let command = parsed(step, &[])?;
        let (session, outcome) = self.alone(|| {
            let session = self.session.step(&path.with_added_extension("json"));
            command(&session).map(|outcome| (session, outcome))
        })?;
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

    /// Stores each step's probe (its file's checksum in a small run of the recipe) in `run.json`.
    /// Fails if another program began a step with another probe, unless `--fresh` remakes the step.
    fn verify(&self, wanted: &[Step]) -> Result<()> {
        let path = self.folder.join("run.json");
        let read = || read_by(&path, |text| serde_json::from_str(text));
        let before: Json = path.exists().then(read).transpose()?.unwrap_or_default();
        let small = self.recipe.in_small();
        let recipe = sha256_of(small.to_toml().as_bytes());
        let program = env::current_exe().context("cannot find the program file")?;
        let program = sha256_of_file(&program, &Silent)?;
        let fresh = wanted.iter().filter(|step| step.is_fresh).map(|step| &*step.name);
        let has_probes = fresh.clone().all(|name| before["probes"].get(name).is_some());
        let is_same_program = before["program"] == program;
        if is_same_program && before["recipe"] == recipe && has_probes {
            return Ok(());
        }
        let mut probes = self.probes(&small)?;
        let steps = self.recipe.steps(self.folder)?;
        let is_there = |name: &str| self.folder.join(name).exists();
        let is_begun = |name: &str| is_there(name) || is_there(&format!("{name}.parts"));
        let names = steps.iter().map(|step| &*step.name);
        let names = names.filter(|&name| is_begun(name) && !fresh.clone().any(|it| it == name));
        let (kept, unknown): (Vec<&str>, Vec<&str>) =
            names.partition(|&name| before["probes"].get(name).is_some());
        for &name in &kept {
            ensure!(
                is_same_program || probes.get(name) == before["probes"].get(name),
                "{}: the program that made this step (sha256 {:.12}) makes it otherwise than this \
                 one ({program:.12}); `--fresh {name}` makes it and what depends on it anew, \
                 `--fresh` all steps",
                self.folder.join(name).display(),
                before["program"].as_str().unwrap_or_default()
            );
        }
        probes.retain(|name, _| !unknown.contains(&&**name));
        let progress = self.session.progress();
        if let count @ 1.. = kept.len() {
            progress.message(&format!(
                "this program makes {count} finished steps in small as the one that made them"
            ));
        }
        if !unknown.is_empty() {
            progress.message(&format!("not verified: {}", unknown.join(", ")));
        }
        let made_by = json!({"program": program, "recipe": recipe, "probes": probes});
        Ok(plain::replace(&path, &serde_json::to_vec_pretty(&made_by)?)?)
    }

    fn probes(&self, small: &Recipe) -> Result<BTreeMap<String, Json>> {
        let folder = tempfile::Builder::new().prefix(".small-").tempdir_in(self.folder);
        let folder = folder.with_context(|| self.folder.display().to_string())?;
        let making = Making { recipe: small, folder: folder.path(), shard: Shard::WHOLE, ..*self };
        let mut probes = BTreeMap::new();
        let progress = self.session.progress();
        let why = "for checks after a change of the program";
        progress.message(&format!("making a small sample of each step, {why}"));
        let mut steps = small.steps(folder.path())?;
        steps.retain(|step| !matches!(&*step.arguments[0], "match" | "report"));
        progress.quietly(|| {
            for step in &steps {
                let made = making.check(step).and_then(|()| making.make_step(step));
                progress.check()?;
                probes.extend(made.map(|(made, _)| (made.name, made.sha256.into())));
            }
            Ok(probes)
        })
    }
}

fn of_step(name: &str, error: anyhow::Error) -> anyhow::Error {
    let text = format!("{error:#}");
    if !text.contains("--force") {
        return error.context(format!("step {name}"));
    }
    anyhow!("step {name}: {}", text.replace("--force", &format!("--fresh {name}")))
}

fn is_others_work(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::WouldBlock)
}
