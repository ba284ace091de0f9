//! Makes the steps of a recipe one after another, inside this process. First verifies that a
//! changed program would make the finished steps in the same way.
//!
//! `run.json` in the folder of a run has checksums of the program and of the recipe, and for each
//! step its *probe*: the checksum of the step's file in a small version of the recipe
//! ([`Recipe::in_small`]), which takes about a second to make. A changed program makes the small
//! version again, and refuses finished steps whose probes differ. A probe is a sample, so equal
//! probes do not prove that the full steps are equal. Steps that `--fresh` makes anew need no
//! probe.

use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail, ensure};
use othello_cli::arguments::{self, parse_words};
use othello_cli::{Outcome, Session};
use othello_engine::file::{make_folder, plain, remove_if_there, sha256_of, sha256_of_file};
use othello_engine::progress::{Progress as _, Silent};
use othello_engine::run::Shard;
use othello_engine::text::read_by;
use serde::{Deserialize, Serialize};

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
    /// The shard whose parts this process makes first, before it makes parts of other shards.
    pub shard: Shard,
    pub session: &'a Session,
}

/// A finished step of a recipe.
#[derive(Clone, Serialize, schemars::JsonSchema)]
pub(super) struct FinishedStep {
    /// The name of the step, which is also the name of its output file in the folder of the run.
    pub name: String,
    /// The SHA-256 of the file, as `sha256sum` prints it.
    pub sha256: String,
    /// The size of the file.
    pub bytes: u64,
    /// `made` if this run made the file, `kept` if an earlier run had made it.
    pub state: &'static str,
    /// The wall time of the step.
    pub seconds: f64,
    /// The summary that the step's command printed.
    #[serde(skip)]
    pub summary: String,
}

/// The commands whose files contain measured times: `verify` cannot compare such files.
const TIMED: [&str; 2] = ["match", "report"];

/// The program and the recipe that made the steps, as `run.json` stores them.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Maker {
    /// The checksum of the program file.
    program: String,
    /// The SHA-256 of the small recipe ([`Recipe::in_small`]) as TOML text, with the run's seed.
    recipe: String,
    /// For each step, the checksum of its file in a run of the small recipe. Missing are steps that
    /// fail there, that write measured times, or that were begun with an unknown checksum.
    probes: Probes,
}

/// The checksums of the files in a run of the small recipe ([`Recipe::in_small`]), by step name.
type Probes = BTreeMap<String, String>;

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
    /// Makes the steps in order. Keeps the files of finished steps, but makes those steps anew that
    /// have true in `steps`. Before that, parses all commands, and verifies that this program would
    /// make the same files as the program that made the kept ones. Stops after a step whose command
    /// exits with status 1 (a failed check). Appends each step to `made` when it is finished.
    pub(super) fn make(
        &self,
        steps: &[(&Step, bool)],
        made: &mut Vec<FinishedStep>,
    ) -> anyhow::Result<Outcome> {
        let with_words = |&(step, is_fresh): &_| Ok((step, self.words(step, is_fresh)?));
        let commands: anyhow::Result<Vec<_>> = steps.iter().map(with_words).collect();
        let commands = commands?;
        make_folder(self.folder)?;
        self.patiently(|| {
            let _alone = self.lock()?;
            self.verify(steps)
        })?;
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
    fn words(&self, step: &Step, is_fresh: bool) -> anyhow::Result<Vec<String>> {
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

    /// Makes the parts of the step's file `path` together with other processes. `shards` has the
    /// command of each shard, the process's own first; the command of a shard on which another
    /// process works is tried again later.
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

    /// Returns the result of `work`; repeats it while another process of the run has a lock that it
    /// needs. Even a shard that is complete is locked for an instant, to check it.
    fn patiently<T>(&self, work: impl Fn() -> anyhow::Result<T>) -> anyhow::Result<T> {
        loop {
            match work() {
                Err(error) if !self.shard.is_whole() && is_others_work(&error) => self.pause()?,
                result => return result,
            }
        }
    }

    fn pause(&self) -> anyhow::Result<()> {
        self.session.progress().check()?;
        thread::sleep(BETWEEN_TRIES);
        Ok(())
    }

    /// Takes the lock under which one process of a run verifies steps or makes a step as a whole;
    /// fails if another process holds it. If the run is not divided into shards, takes no lock and
    /// returns `None`.
    fn lock(&self) -> anyhow::Result<Option<File>> {
        if self.shard.is_whole() {
            return Ok(None);
        }
        let path = self.folder.join("run.lock");
        let locked = File::create(&path).and_then(|file| {
            file.try_lock()?;
            Ok(file)
        });
        locked.map(Some).with_context(|| path.display().to_string())
    }

    /// Returns a text with the time estimated for `left` core seconds of work: as if all threads
    /// were busy if `finished` is 0, otherwise at the rate so far, `finished` core seconds in
    /// `seconds` seconds. The text is empty if the estimate is below half a second.
    fn time_left(&self, left: f64, finished: f64, seconds: f64) -> String {
        let by_threads = 1.0 / self.session.threads() as f64;
        let rate = if finished > 0.0 { seconds / finished } else { by_threads };
        match left * rate {
            left if left < 0.5 => String::new(),
            left if left < 90.0 => format!(", about {left:.0} s left in all"),
            left => format!(", about {:.0} min left in all", left / 60.0),
        }
    }

    fn make_step(&self, step: &Step, words: &[String]) -> anyhow::Result<(FinishedStep, Outcome)> {
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
        let command = parsed(words)?;
        // Without `--shard`, the command makes what is missing, and joins the parts that shards
        // have stored, if any.
        let (session, outcome) = self.patiently(|| {
            let _alone = self.lock()?;
            let session = self.session.step(&report);
            let outcome = command(&session)?;
            Ok((session, outcome))
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

    /// Runs the small version of the recipe ([`Recipe::in_small`]), unless `run.json` shows that
    /// this program has done so. Returns an error if the checksum of a finished step's file in it
    /// differs from the one in `run.json`: another program made the step, and this one would make
    /// it differently. Otherwise records this program and its checksums in `run.json`. Ignores the
    /// steps that `wanted` marks with true, because they are made anew.
    fn verify(&self, wanted: &[(&Step, bool)]) -> anyhow::Result<()> {
        let path = self.folder.join("run.json");
        let before: Maker = match path.exists() {
            true => read_by(&path, |text| serde_json::from_str(text))?,
            false => Maker::default(),
        };
        let small = self.recipe.in_small();
        let recipe = sha256_of(small.to_toml().as_bytes());
        let program = env::current_exe().and_then(fs::read);
        let program = sha256_of(&program.context("cannot read the program file")?);
        let fresh: Vec<&str> = wanted.iter().filter(|it| it.1).map(|it| &*it.0.name).collect();
        let has_probes = fresh.iter().all(|&name| before.probes.contains_key(name));
        if before.program == program && before.recipe == recipe && has_probes {
            return Ok(());
        }
        let mut probes = self.probes(&small)?;
        let names = self.recipe.steps.iter().map(|step| step.name.as_str());
        let (mut kept, mut unknown) = (0, vec![]);
        for name in names.filter(|name| self.is_begun(name) && !fresh.contains(name)) {
            let Some(old) = before.probes.get(name) else {
                unknown.push(name);
                probes.remove(name);
                continue;
            };
            if before.program != program && probes.get(name) != Some(old) {
                bail!(
                    "{}: the program that made this step (sha256 {:.12}) makes it otherwise than \
                     this one ({program:.12}); `--fresh {name}` makes it and what depends on it \
                     anew, `--fresh` all steps",
                    self.folder.join(name).display(),
                    before.program
                );
            }
            kept += 1;
        }
        let progress = self.session.progress();
        if kept > 0 {
            progress.message(&format!(
                "this program makes {kept} finished steps in small as the one that made them"
            ));
        }
        if !unknown.is_empty() {
            progress.message(&format!("not verified: {}", unknown.join(", ")));
        }
        let maker = Maker { program, recipe, probes };
        Ok(plain::replace(&path, &serde_json::to_vec_pretty(&maker)?)?)
    }

    fn is_begun(&self, name: &str) -> bool {
        ["", ".parts"].iter().any(|end| self.folder.join(format!("{name}{end}")).exists())
    }

    /// Runs the steps of `small` in a temporary folder. Returns the checksum of each step's file;
    /// omits steps that fail, and steps whose files contain measured times.
    fn probes(&self, small: &Recipe) -> anyhow::Result<Probes> {
        let folder = tempfile::Builder::new().prefix(".small-").tempdir_in(self.folder);
        let folder = folder.with_context(|| self.folder.display().to_string())?;
        let making = Making { recipe: small, folder: folder.path(), shard: Shard::WHOLE, ..*self };
        let mut probes = Probes::new();
        let progress = self.session.progress();
        progress.message(
            "making a small sample of each step, for checks after a change of the program",
        );
        progress.quietly(|| -> anyhow::Result<()> {
            for step in small.steps.iter().filter(|step| !TIMED.contains(&step.command())) {
                let made =
                    making.words(step, false).and_then(|words| making.make_step(step, &words));
                progress.check()?;
                if let Ok((made, _)) = made {
                    probes.insert(made.name, made.sha256);
                }
            }
            Ok(())
        })?;
        Ok(probes)
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
