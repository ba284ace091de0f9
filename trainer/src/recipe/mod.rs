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

#[cfg(test)]
mod tests;

use std::path::Path;

use othello_engine::file::FileError;
use othello_engine::text::{Invalid, from_toml, read_by};
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
    /// The time that the step takes on one core of the reference machine (AMD EPYC, Zen 5), in
    /// seconds; 0 if the recipe does not state it.
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
    /// The name of an earlier step's file or, with `.json` appended, of its command's JSON report.
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

/// The greatest value of `repeat`, the number of files that a step with `*` in its name makes.
const MAX_REPEAT: i64 = 1000;

/// The keys of a step that are not flags of its command.
const OWN_KEYS: [&str; 4] = ["command", "inputs", "repeat", "core-seconds"];

impl Recipe {
    /// Parses a recipe. A syntax error names the line; any other error names the table.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        Self::of_table(from_toml(text)?)
    }

    fn of_table(mut table: Table) -> Result<Self, Invalid> {
        let seed = match table.remove("seed") {
            None => 1,
            Some(Value::Integer(seed @ 0..)) => seed as u64,
            Some(_) => {
                return Err(Invalid("`seed`: expected a whole number, 0 or more".to_owned()));
            }
        };
        let mut reader = Reader { table: &table, steps: vec![] };
        for (name, value) in &table {
            match value {
                Value::Table(own) if own.contains_key("command") => reader.step(name, own)?,
                Value::Table(_) if name.contains('.') => {
                    return Err(Invalid(format!("[\"{name}\"]: expected the key `command`")));
                }
                // A table without the key `command` has flags for all steps with one command.
                Value::Table(_) => {}
                _ => {
                    return Err(Invalid(format!(
                        "{name}: expected `seed`, a number, or a table such as [\"first.games\"]"
                    )));
                }
            }
        }
        let steps = reader.steps;
        if steps.is_empty() {
            return Err(Invalid("expected a step, such as [\"first.games\"]".to_owned()));
        }
        Ok(Self { seed, steps, table })
    }

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
    /// 64. Also multiplies `core-seconds`, the expected time, of these steps and of fits.
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

    /// Returns a small version of the recipe, which runs in about a second: each step has only a
    /// few games, openings or positions. The limit `max-mae` is removed; other settings are equal.
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

    /// Returns two sums of the stated core seconds: of the self-play and fit steps, whose time
    /// grows with the number of games, and of all other steps.
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

    /// Returns the arguments that look like file names by their extension, and that no step makes.
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

struct Reader<'a> {
    table: &'a Table,
    steps: Vec<Step>,
}

impl Reader<'_> {
    /// Adds the step that the table `own` describes or, if the table has the key `repeat`, as many
    /// numbered steps as this key states.
    fn step(&mut self, name: &str, own: &Table) -> Result<(), Invalid> {
        let wrong = |problem: &str| Invalid(format!("[\"{name}\"]: {problem}"));
        let is_file_name = !name.contains(['/', '\\']) && !name.starts_with('.');
        if !is_file_name {
            return Err(wrong("expected the name of a file, without a folder"));
        }
        let command = own.get("command").and_then(Value::as_str).unwrap_or_default();
        let first = command.split_whitespace().next();
        let first = first.ok_or_else(|| wrong("`command`: expected a subcommand as text"))?;
        let repeat = match own.get("repeat") {
            None => 1,
            Some(Value::Integer(repeat @ 1..=MAX_REPEAT)) => *repeat,
            Some(_) => return Err(wrong("`repeat`: expected a whole number from 1 to 1000")),
        };
        if name.contains('*') != own.contains_key("repeat") {
            return Err(wrong("expected both `*` in the name and the key `repeat`, or neither"));
        }
        let core_seconds = match own.get("core-seconds") {
            None => 0.0,
            Some(Value::Integer(seconds @ 0..)) => *seconds as f64,
            Some(Value::Float(seconds)) if *seconds >= 0.0 => *seconds,
            Some(_) => return Err(wrong("`core-seconds`: expected a number, 0 or more")),
        };
        let none = Table::new();
        let common = self.table.get(first).and_then(Value::as_table).unwrap_or(&none);
        for number in 0..repeat {
            let mut words = vec![];
            if let Some(inputs) = own.get("inputs") {
                for text in texts(inputs).ok_or_else(|| wrong("`inputs`: expected texts"))? {
                    words.extend(self.word(name, &text)?);
                }
            }
            let flags = common.iter().filter(|(key, _)| !own.contains_key(*key)).chain(own);
            for (key, value) in flags.filter(|(key, _)| !OWN_KEYS.contains(&key.as_str())) {
                words.extend(self.flag(name, key, value, number)?);
            }
            let name = name.replace('*', &number.to_string());
            if self.steps.iter().any(|step| step.name == name) {
                return Err(wrong(&format!("another step makes {name}")));
            }
            let core_seconds = core_seconds / repeat as f64;
            let command = command.to_owned();
            self.steps.push(Step { name, core_seconds, command, words });
        }
        Ok(())
    }

    /// Returns the words of a flag on the command line of `step`. Adds `part` to the number of the
    /// flag `seed`: `part` is the index of the step's file, counted from 0, if the key `repeat`
    /// makes several files, else 0.
    fn flag(&self, step: &str, key: &str, value: &Value, part: i64) -> Result<Vec<Word>, Invalid> {
        let wrong = |expected: &str| Invalid(format!("[\"{step}\"]: `{key}`: expected {expected}"));
        let flag = || Word::Text(format!("--{key}"));
        let mut words = vec![];
        match value {
            Value::Boolean(true) => words.push(flag()),
            Value::Boolean(false) => {}
            Value::Integer(number @ 0..) if key == "seed" => {
                words.extend([flag(), Word::Seed((number + part) as u64)]);
            }
            _ if key == "seed" => return Err(wrong("a whole number, 0 or more")),
            _ => {
                let expected = "a number, true, false, a text, or a list of texts";
                for text in texts(value).ok_or_else(|| wrong(expected))? {
                    for word in self.word(step, &text)? {
                        words.extend([flag(), word]);
                    }
                }
            }
        }
        Ok(words)
    }

    /// Returns what replaces `text`, an argument of the step `step`: the file of another step if
    /// `text` is its name, or all files of that step if it has the key `repeat`; otherwise `text`
    /// itself. Error messages name `step`.
    fn word(&self, step: &str, text: &str) -> Result<Vec<Word>, Invalid> {
        let (name, json) = text.strip_suffix(".json").map_or((text, ""), |name| (name, ".json"));
        let made_by = self.table.get(name).and_then(Value::as_table);
        let Some(made_by) = made_by.filter(|own| own.contains_key("command")) else {
            return Ok(vec![Word::Text(text.to_owned())]);
        };
        let count = made_by.get("repeat").and_then(Value::as_integer).unwrap_or(1);
        let files: Vec<_> = (0..count).map(|part| name.replace('*', &part.to_string())).collect();
        let is_made = |file: &String| self.steps.iter().any(|step| step.name == *file);
        if !files.iter().all(is_made) {
            let problem = format!("[\"{step}\"] needs {name}, which no earlier step makes");
            return Err(Invalid(problem));
        }
        Ok(files.into_iter().map(|file| Word::File(file + json)).collect())
    }
}

/// Converts a number, a text or a list of these to texts. Returns `None` for other values.
fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) if number.is_finite() => Some(number.to_string()),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    match value {
        Value::Array(values) => values.iter().map(text).collect(),
        value => text(value).map(|text| vec![text]),
    }
}
