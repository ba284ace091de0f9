//! Recipes: files that list the commands by which weights are made from a seed.
//!
//! A recipe is a TOML file. Each table with a file name is a *step*, which makes the file of this
//! name in the folder of a run:
//!
//! ```toml
//! [selfplay]                            # flags of every step with this command
//! depth = 2
//!
//! ["first.games"]
//! command = "selfplay"
//! games = 10_000
//! seed = 0                              # added to the seed of the run
//! weights = "mobility"
//!
//! ["first.weights"]
//! command = "fit"
//! inputs = ["first.games"]              # arguments without a flag; here the file of a step
//! optimizer = "lsq"
//! ```
//!
//! `docs/guides/recipes.md` defines all keys. [`Recipe::load`] reads a recipe and checks it,
//! [`Step::words`] returns the command line of a step.

mod read;
#[cfg(test)]
mod tests;

use std::path::Path;

use othello_engine::file::FileError;
use othello_engine::text::{Invalid, read_by};
use toml::{Table, Value};

/// A recipe: a list of steps, each of which makes one file by a command.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The number that is added to the seeds of the steps.
    pub seed: u64,
    /// The steps, each after those whose files it reads.
    pub steps: Vec<Step>,
    /// The recipe as TOML, without the seed; changed recipes are derived from it.
    table: Table,
}

/// A step of a recipe: a command, and the file that the command makes.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of the file that the step makes, in the folder of the run.
    pub name: String,
    /// The time on one core of the reference machine (AMD EPYC, Zen 5) in seconds; 0 if not stated.
    pub core_seconds: f64,
    /// The subcommand, such as `calibrate ordering`.
    command: String,
    /// The arguments of the subcommand, without `--out`.
    words: Vec<Word>,
}

/// A word of a step's command line, before the folder and the seed of the run are inserted.
#[derive(Clone, Debug)]
enum Word {
    Text(String),
    /// The file of an earlier step or, with `.json` appended, the JSON report of its command.
    File(String),
    /// A number to which the seed of the run is added.
    Seed(u64),
}

/// The names and texts of the shipped recipes; `datasets/recipes` is a link to their folder.
const SHIPPED: [(&str, &str); 10] = [
    ("quickstart", include_str!("../../recipes/quickstart.toml")),
    ("five-minutes", include_str!("../../recipes/five-minutes.toml")),
    ("quarter", include_str!("../../recipes/quarter.toml")),
    ("hour", include_str!("../../recipes/hour.toml")),
    ("generation", include_str!("../../recipes/generation.toml")),
    ("shipped", include_str!("../../recipes/shipped.toml")),
    ("ninth", include_str!("../../recipes/ninth.toml")),
    ("tables", include_str!("../../recipes/tables.toml")),
    ("widest", include_str!("../../recipes/widest.toml")),
    ("small", include_str!("../../recipes/small.toml")),
];

/// The upper limits that the small version of a recipe sets on the values of these flags.
const SMALL: [(&str, i64); 3] = [("games", 64), ("plies", 5), ("positions", 100)];

impl Recipe {
    /// Returns the names of all shipped recipes, such as `quickstart`.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|&(name, _)| name)
    }

    /// Returns the shipped recipe with a given name; `None` if there is none.
    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Some(Self::from_toml(text).expect("the shipped recipes are valid"))
    }

    /// Returns the shipped recipe of this name or, if there is none, reads the file at this path.
    pub fn load(name: &str) -> Result<Self, FileError> {
        match Self::shipped(name) {
            Some(recipe) => Ok(recipe),
            None => read_by(Path::new(name), Self::from_toml),
        }
    }

    /// Returns step `name` and all that depend on its file, directly or not, in the recipe's order.
    pub fn dependents(&self, name: &str) -> Vec<&str> {
        let mut found = vec![];
        for step in &self.steps {
            if step.name == name || step.inputs().any(|input| found.contains(&input)) {
                found.push(step.name.as_str());
            }
        }
        found
    }

    /// Returns the recipe with `factor` times as many games in each step, rounded to a multiple of
    /// 64. Also multiplies the stated times of these steps and of the fits by `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        let scaled = self.changed(|_, step| {
            if let Some(Value::Integer(games)) = step.get_mut("games") {
                *games = 64 * ((*games as f64 * factor / 64.0).round() as i64).max(1);
            } else if step.get("command").and_then(Value::as_str) != Some("fit") {
                return;
            }
            if let Some(time) = step.get_mut("core-seconds") {
                let seconds = time.as_float().or(time.as_integer().map(|it| it as f64));
                *time = Value::Float((10.0 * factor * seconds.unwrap_or(0.0)).round() / 10.0);
            }
        });
        scaled.expect("other numbers of games keep a recipe valid")
    }

    /// Returns a small version of the recipe, which is made in about a second: each step has only a
    /// few games, openings or positions, with otherwise equal settings.
    pub fn in_small(&self) -> Self {
        let small = self.changed(|_, flags| {
            for (key, most) in SMALL {
                if let Some(Value::Integer(number)) = flags.get_mut(key) {
                    *number = most.min(*number);
                }
            }
            // Weights from so few games have large errors, so the limit on the error is removed.
            flags.remove("max-mae");
        });
        small.expect("smaller numbers keep a recipe valid")
    }

    /// Returns the recipe with `weights` as the player in its tables `[openings]` and `[selfplay]`.
    /// Steps that name weights in their own tables keep them.
    pub fn with_player(&self, weights: &str) -> Result<Self, Invalid> {
        self.changed(|name, flags| {
            if matches!(name, "openings" | "selfplay") {
                flags.insert("weights".to_owned(), Value::String(weights.to_owned()));
            }
        })
    }

    /// Returns the recipe with each of its tables changed by `change`, which gets the table's name.
    fn changed(&self, change: impl Fn(&str, &mut Table)) -> Result<Self, Invalid> {
        let mut table = self.table.clone();
        for (name, value) in &mut table {
            if let Value::Table(flags) = value {
                change(name, flags);
            }
        }
        Ok(Self { seed: self.seed, ..Self::of_table(table)? })
    }

    /// Returns the stated core seconds of all self-play and fit steps, which grow with the number
    /// of games, and those of all other steps.
    pub fn core_seconds(&self) -> (f64, f64) {
        let (games, others): (Vec<&Step>, Vec<&Step>) =
            self.steps.iter().partition(|step| matches!(step.command(), "selfplay" | "fit"));
        let sum = |steps: Vec<&Step>| steps.iter().map(|step| step.core_seconds).sum();
        (sum(games), sum(others))
    }

    /// Returns the recipe as TOML text.
    pub fn to_toml(&self) -> String {
        let mut table = Table::from_iter([("seed".to_owned(), Value::Integer(self.seed as i64))]);
        table.extend(self.table.clone());
        table.to_string()
    }
}

impl Step {
    /// Returns the first word of the subcommand, such as `calibrate` for `calibrate ordering`.
    pub fn command(&self) -> &str {
        self.command.split_whitespace().next().unwrap_or_default()
    }

    /// Returns the names of the earlier steps whose files this step reads.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter_map(|word| match word {
            Word::File(name) => Some(name.strip_suffix(".json").unwrap_or(name)),
            Word::Text(_) | Word::Seed(_) => None,
        })
    }

    /// Returns the arguments that may name a file which no step makes, judged by the extension.
    pub fn foreign_files(&self) -> impl Iterator<Item = &Path> {
        let extensions = ["games", "positions", "openings", "weights", "txt", "obf", "toml"];
        self.words.iter().filter_map(move |word| match word {
            Word::Text(text) => {
                let path = Path::new(text);
                let extension = path.extension()?.to_str()?;
                extensions.contains(&extension).then_some(path)
            }
            Word::File(_) | Word::Seed(_) => None,
        })
    }

    /// Returns the command line for a folder and a run's seed, without the name of the program.
    pub fn words(&self, folder: &Path, seed: u64) -> Vec<String> {
        let path = |name: &str| folder.join(name).display().to_string();
        let words = self.words.iter().map(|word| match word {
            Word::Text(text) => text.clone(),
            Word::File(name) => path(name),
            Word::Seed(number) => seed.wrapping_add(*number).to_string(),
        });
        let command = self.command.split_whitespace().map(str::to_owned);
        command.chain(words).chain(["--out".to_owned(), path(&self.name)]).collect()
    }
}
