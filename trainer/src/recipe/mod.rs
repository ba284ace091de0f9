//! Recipes: lists of commands that make weights from a seed, as data.
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
//! [`Step::words`] gives the command line of a step.

mod read;
#[cfg(test)]
mod tests;

use std::path::Path;

use othello_engine::text::{Invalid, TextError, read_by};
use toml::{Table, Value};

/// A list of steps.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The default of the seed of a run.
    pub seed: u64,
    /// The steps, each after those whose files it reads.
    pub steps: Vec<Step>,
    /// The TOML of the recipe.
    table: Table,
}

/// A step of a recipe.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of the file that it makes.
    pub name: String,
    /// The time on one core of the reference machine, an AMD EPYC (Zen 5), in seconds; 0 if the
    /// recipe does not state it.
    pub core_seconds: f64,
    /// The subcommand, such as `calibrate ordering`.
    command: String,
    /// Its arguments.
    words: Vec<Word>,
}

/// A word of a command line.
#[derive(Clone, Debug)]
enum Word {
    Text(String),
    /// The file of an earlier step, or the JSON that its command printed (`.json`).
    File(String),
    /// A number to which the seed of the run is added.
    Seed(u64),
}

/// The shipped recipes, which `datasets/recipes` also has.
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

/// The greatest values of the flags of a recipe in small.
const SMALL: [(&str, i64); 3] = [("games", 64), ("plies", 5), ("positions", 100)];

impl Recipe {
    /// Returns the names of the shipped recipes.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|&(name, _)| name)
    }

    /// Returns a shipped recipe.
    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Some(Self::from_toml(text).expect("the shipped recipes are valid"))
    }

    /// Reads a recipe: a shipped one by its name, or a file.
    pub fn load(name: &str) -> Result<Self, TextError> {
        match Self::shipped(name) {
            Some(recipe) => Ok(recipe),
            None => read_by(Path::new(name), Self::from_toml),
        }
    }

    /// Returns the names of the steps that depend on the file of a step, and that step.
    pub fn dependents(&self, name: &str) -> Vec<&str> {
        let mut found = vec![];
        for step in &self.steps {
            if step.name == name || step.inputs().any(|input| found.contains(&input)) {
                found.push(step.name.as_str());
            }
        }
        found
    }

    /// Returns the recipe with `factor` times as many games in each step of self-play, in whole
    /// multiples of 64, and the times that its games and fits then take.
    pub fn scaled(&self, factor: f64) -> Self {
        let mut table = self.table.clone();
        for (_, step) in &mut table {
            let Some(step) = step.as_table_mut() else { continue };
            if let Some(Value::Integer(games)) = step.get_mut("games") {
                *games = 64 * ((*games as f64 * factor / 64.0).round() as i64).max(1);
            } else if step.get("command").and_then(Value::as_str) != Some("fit") {
                continue;
            }
            if let Some(time) = step.get_mut("core-seconds") {
                let seconds = time.as_float().or(time.as_integer().map(|it| it as f64));
                *time = Value::Float((10.0 * factor * seconds.unwrap_or(0.0)).round() / 10.0);
            }
        }
        Self::of_table(table).expect("other numbers of games keep a recipe valid")
    }

    /// Returns the recipe in small: a few games, openings and positions for each step, with
    /// otherwise equal settings.
    pub fn in_small(&self) -> Self {
        let mut table = self.table.clone();
        for flags in table.iter_mut().filter_map(|(_, flags)| flags.as_table_mut()) {
            for (key, most) in SMALL {
                if let Some(Value::Integer(number)) = flags.get_mut(key) {
                    *number = most.min(*number);
                }
            }
            // The errors of such weights say nothing.
            flags.remove("max-mae");
        }
        Self::of_table(table).expect("smaller numbers keep a recipe valid")
    }

    /// Returns the recipe with other weights for the openings and games whose own table names none.
    pub fn with_player(&self, weights: &str) -> Result<Self, Invalid> {
        let mut table = self.table.clone();
        for command in ["openings", "selfplay"] {
            if let Some(Value::Table(flags)) = table.get_mut(command) {
                flags.insert("weights".to_owned(), Value::String(weights.to_owned()));
            }
        }
        Self::of_table(table)
    }

    /// Returns the core seconds of the steps: of those that take longer with more games, and of
    /// the others.
    pub fn core_seconds(&self) -> (f64, f64) {
        let (games, others): (Vec<&Step>, Vec<&Step>) =
            self.steps.iter().partition(|step| matches!(step.command(), "selfplay" | "fit"));
        let sum = |steps: Vec<&Step>| steps.iter().map(|step| step.core_seconds).sum();
        (sum(games), sum(others))
    }

    /// Returns the TOML of the recipe, with a table of flags for a command before all others.
    pub fn to_toml(&self, command: &str, flags: Table) -> String {
        let mut table = Table::from_iter([("seed".to_owned(), Value::Integer(self.seed as i64))]);
        table.insert(command.to_owned(), Value::Table(flags));
        table.extend(self.table.clone());
        table.to_string()
    }

    /// Returns the flags of a command that the recipe has for all steps.
    pub fn flags(&self, command: &str) -> Option<&Table> {
        self.table.get(command).and_then(Value::as_table)
    }
}

impl Step {
    /// Returns the first word of the subcommand, such as `calibrate`.
    pub fn command(&self) -> &str {
        self.command.split_whitespace().next().unwrap_or_default()
    }

    /// Returns the names of the steps whose files it reads.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter_map(|word| match word {
            Word::File(name) => Some(name.strip_suffix(".json").unwrap_or(name)),
            Word::Text(_) | Word::Seed(_) => None,
        })
    }

    /// Returns the words that may name a file which no step makes: those with an extension of
    /// records, weights, lists or settings.
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

    /// Returns the words of the command line in a run with a folder and a seed, without the name of
    /// the program.
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
