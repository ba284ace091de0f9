//! Verifies that a changed program would make the finished steps of a run in the same way.
//!
//! `run.json` in the folder of a run has checksums of the program and of the recipe, and for each
//! step its *probe*: the checksum of the step's file in a small version of the recipe
//! ([`Recipe::in_small`]), which takes about a second to make. A changed program makes the small
//! version again, and refuses finished steps whose probes differ. A probe is a sample, so equal
//! probes do not prove that the full steps are equal. Steps that `--fresh` makes anew need no
//! probe.

use std::collections::BTreeMap;
use std::env;
use std::fs;

use anyhow::{Context as _, bail};
use othello_engine::file::{plain, sha256_of};
use othello_engine::progress::Progress as _;
use othello_engine::run::Shard;
use othello_engine::text::read_by;
use serde::{Deserialize, Serialize};

use super::steps::Making;
use crate::recipe::{Recipe, Step};

/// The commands whose files contain measured times: `verify` cannot compare such files.
const TIMED: [&str; 2] = ["match", "report"];

/// The program and the recipe that made the steps, as `run.json` stores them.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Maker {
    /// The checksum of the program file.
    program: String,
    /// The checksum of the small version of the recipe, including the seed of the run.
    recipe: String,
    /// The checksum of each step's file in the small recipe; missing if it could not be verified.
    probes: Probes,
}

/// The checksum of each step's file in the small version of the recipe, by the step's name.
type Probes = BTreeMap<String, String>;

impl Making<'_> {
    /// Returns an error if this program and the one that made a finished step make different files
    /// from the small version of the recipe; else records this program in `run.json`. Ignores the
    /// steps of `wanted` with true, which are made anew.
    pub(super) fn verify(&self, wanted: &[(&Step, bool)]) -> anyhow::Result<()> {
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

    /// Makes the small recipe. Returns the checksums of its files, except those of steps that fail,
    /// or whose files contain measured times.
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
