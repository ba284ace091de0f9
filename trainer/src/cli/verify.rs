//! Verifies that a changed program would make the finished steps of a run equally.
//!
//! For each step, `run.json` in the folder of a run has checksums of the program and of the recipe
//! that made it, and its *probe*: the checksum of the step's file in a small version of the recipe
//! ([`Recipe::in_small`]), which takes about a second to make. A changed program makes the small
//! version again, and refuses finished steps whose probes differ. A probe is a sample, so equal
//! probes do not prove that the full steps are equal. Steps that `--fresh` makes anew need no
//! probe.

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::fs;

use anyhow::{Context as _, bail};
use othello_engine::file::plain;
use othello_engine::progress::Progress as _;
use othello_engine::run::Shard;
use othello_engine::text::read_by;
use serde::{Deserialize, Serialize};

use super::export::sha256_of;
use super::steps::Making;
use crate::recipe::{Recipe, Step};

/// The commands whose files contain measured times, which vary: their steps have no probe.
const TIMED: [&str; 2] = ["match", "report"];

/// The program and the recipe that made a step, or began to make it, as `run.json` stores them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Maker {
    /// The checksum of the program file.
    program: String,
    /// The checksum of the small version of the recipe, including the seed of the run.
    recipe: String,
    /// The checksum of the step's small file; `None` if it contains times or could not be made.
    probe: Option<String>,
}

type Makers = BTreeMap<String, Maker>;

impl Making<'_> {
    /// Returns an error if this program makes the small version of a finished step otherwise.
    /// Records this program for all other steps. `wanted` has true for steps that are made anew.
    pub(super) fn verify(&self, wanted: &[(&Step, bool)]) -> anyhow::Result<()> {
        let path = self.folder.join("run.json");
        let mut makers: Makers = match path.exists() {
            true => read_by(&path, |text| serde_json::from_str(text))?,
            false => Makers::new(),
        };
        let small = self.recipe.in_small();
        let recipe = sha256_of(small.to_toml().as_bytes());
        let program = env::current_exe().and_then(fs::read);
        let program = sha256_of(&program.context("cannot read the program file")?);
        let is_own = |maker: &Maker| maker.program == program && maker.recipe == recipe;

        // A finished step without an entry in `run.json` cannot be verified.
        let (unrecorded, recorded): (Vec<_>, Vec<_>) = wanted.iter().partition(|(step, fresh)| {
            self.is_begun(step, *fresh) && !makers.contains_key(&step.name)
        });
        let mut unknown: Vec<&str> = unrecorded.iter().map(|(step, _)| &*step.name).collect();
        let others: Vec<_> = recorded
            .into_iter()
            .filter(|(step, _)| !makers.get(&step.name).is_some_and(is_own))
            .collect();
        let probes = if others.is_empty() { HashMap::new() } else { self.probes(&small, &others)? };
        let mut kept = 0;
        for (step, fresh) in others {
            let (name, probe) = (&step.name, probes.get(&step.name).cloned());
            if let Some(old) = makers.get(name).filter(|_| self.is_begun(step, fresh)) {
                let may_differ = old.program == program || old.probe.is_none();
                if !may_differ && old.probe != probe {
                    bail!(
                        "{}: the program that made this step (sha256 {:.12}) makes it otherwise \
                         than this one ({program:.12}); `--fresh {name}` makes it and what depends \
                         on it anew, `--fresh` all steps",
                        self.folder.join(name).display(),
                        old.program
                    );
                }
                match probe {
                    None => unknown.push(name),
                    Some(_) => kept += 1,
                }
            }
            let maker = Maker { program: program.clone(), recipe: recipe.clone(), probe };
            makers.insert(name.clone(), maker);
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
        Ok(plain::replace(&path, &serde_json::to_vec_pretty(&makers)?)?)
    }

    fn is_begun(&self, step: &Step, is_fresh: bool) -> bool {
        let is_there = |end| self.folder.join(format!("{}{end}", step.name)).exists();
        !is_fresh && (is_there("") || is_there(".parts"))
    }

    /// Makes the wanted steps of the small recipe, and those that they need. Returns the checksums
    /// of the files by step. Omits steps whose files contain times, and steps that fail.
    fn probes(
        &self,
        small: &Recipe,
        wanted: &[(&Step, bool)],
    ) -> anyhow::Result<HashMap<String, String>> {
        let mut needed: Vec<&str> = wanted.iter().map(|(step, _)| step.name.as_str()).collect();
        for step in small.steps.iter().rev() {
            if needed.contains(&step.name.as_str()) {
                needed.extend(step.inputs());
            }
        }
        let folder = tempfile::Builder::new().prefix(".small-").tempdir_in(self.folder);
        let folder = folder.with_context(|| self.folder.display().to_string())?;
        let making = Making { recipe: small, folder: folder.path(), shard: Shard::WHOLE, ..*self };
        let mut probes = HashMap::new();
        let progress = self.session.progress();
        progress.message("making the steps in small, to verify them after a change of the program");
        progress.quietly(|| -> anyhow::Result<()> {
            for step in &small.steps {
                if !needed.contains(&step.name.as_str()) || TIMED.contains(&step.command()) {
                    continue;
                }
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
