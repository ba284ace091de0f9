//! Recipes: TOML files that list the commands by which weights are made from a seed.
//! `docs/guides/recipes.md` defines the keys.

#[cfg(test)]
mod tests;

use std::path::Path;

use othello_cli::arguments;
use othello_engine::cli::Program;
use othello_engine::file::FileError;
use othello_engine::text::{Invalid, from_toml, read_by};
use serde::Serialize;
use toml::{Table, Value};

#[derive(Clone, Debug)]
pub struct Recipe {
    /// A number that is added to the seeds of the steps.
    pub seed: u64,
    /// The entries of the recipe's TOML file, except `seed`.
    pub(crate) table: Table,
}

/// A step of a recipe: a command, and the file that the command makes in the folder of a run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Step {
    /// The name of the step, which is also the name of its output file in the folder of the run.
    pub name: String,
    /// `othello-engine` or `othello-trainer`.
    pub program: &'static str,
    /// The arguments of the program, with `--out` last.
    pub arguments: Vec<String>,
    /// The names of the earlier steps whose files this step reads.
    pub inputs: Vec<String>,
    /// The time that the step takes on one core of the reference machine (AMD EPYC, Zen 5), in
    /// seconds; 0 if unknown.
    pub core_seconds: f64,
    /// True if the step's file must be made anew even if it exists.
    #[serde(skip)]
    pub is_fresh: bool,
}

/// The names and texts of the shipped recipes. `datasets/recipes` is a link to the folder of the
/// recipe files.
pub(crate) const SHIPPED: [(&str, &str); 10] = [
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

impl Recipe {
    /// Parses a recipe. A syntax error names the line; an error in an entry names the entry.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        let mut table: Table = from_toml(text)?;
        let wrong = |reason: &str| Invalid(reason.to_owned());
        let seed = table.remove("seed").map_or(Some(1), |seed| seed.as_integer()?.try_into().ok());
        let seed = seed.ok_or_else(|| wrong("`seed`: expected a whole number, 0 or more"))?;
        let recipe = Self { seed, table };
        match recipe.steps(Path::new(""))?[..] {
            [] => Err(wrong("expected a step, such as [\"first.games\"]")),
            _ => Ok(recipe),
        }
    }

    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Some(Self::from_toml(text).expect("the shipped recipes are valid"))
    }

    pub fn load(name: &str) -> Result<Self, FileError> {
        Self::shipped(name).map_or_else(|| read_by(Path::new(name), Self::from_toml), Ok)
    }

    /// Returns the steps, which make files in `folder`. Each step comes after the steps whose files
    /// it reads.
    pub fn steps(&self, folder: &Path) -> Result<Vec<Step>, Invalid> {
        let engine = arguments::command::<Program>();
        let mut reader = Reader { recipe: self, folder, engine, steps: vec![] };
        for (name, value) in &self.table {
            let added = reader.add(name, value);
            added.map_err(|reason| Invalid(format!("[\"{name}\"]: {reason}")))?;
        }
        Ok(reader.steps)
    }

    /// Returns a small variant of the recipe with few games, which runs in about a second.
    pub fn in_small(&self) -> Self {
        self.changed(|_, flags| {
            for (key, most) in [("games", 64), ("plies", 5), ("positions", 100)] {
                if let Some(Value::Integer(number)) = flags.get_mut(key) {
                    *number = most.min(*number);
                }
            }
            // Weights from so few games have large errors, so the limit on the error is removed.
            flags.remove("max-mae");
        })
    }

    pub(crate) fn changed(&self, change: impl Fn(&str, &mut Table)) -> Self {
        let mut recipe = self.clone();
        for (name, value) in &mut recipe.table {
            if let Value::Table(flags) = value {
                change(name, flags);
            }
        }
        recipe
    }

    pub fn to_toml(&self) -> String {
        let mut table = Table::from_iter([("seed".to_owned(), Value::Integer(self.seed as i64))]);
        table.extend(self.table.clone());
        table.to_string()
    }
}

/// Marks the step `name` and all steps that depend on it to be made anew; with `None`, all steps.
pub fn mark_fresh(steps: &mut [Step], name: Option<&str>) {
    let mut fresh = vec![];
    for step in steps {
        let depends = step.inputs.iter().any(|input| fresh.contains(input));
        step.is_fresh = depends || name.is_none_or(|name| name == step.name);
        fresh.extend(step.is_fresh.then(|| step.name.clone()));
    }
}

struct Reader<'a> {
    recipe: &'a Recipe,
    folder: &'a Path,
    engine: clap::Command,
    steps: Vec<Step>,
}

impl Reader<'_> {
    /// Adds the step that the recipe's entry `name` describes. An entry with the key `repeat` gives
    /// that many steps.
    fn add(&mut self, name: &str, entry: &Value) -> Result<(), String> {
        let own = entry.as_table();
        let own = own.ok_or("expected `seed`, a number, or a table such as [\"first.games\"]")?;
        let Some(command) = own.get("command") else {
            // A table without the key `command` has flags for all steps with one command.
            return if name.contains('.') { Err("expected the key `command`")? } else { Ok(()) };
        };
        if name.contains(['/', '\\']) || name.starts_with('.') {
            Err("expected the name of a file, without a folder")?;
        }
        let command = command.as_str().unwrap_or_default().split_whitespace().map(str::to_owned);
        let command: Vec<String> = command.collect();
        let first = command.first().ok_or("`command`: expected a subcommand as text")?;
        let is_of_engine = self.engine.find_subcommand(first).is_some();
        let repeat = match (own.get("repeat"), name.contains('*')) {
            (None, false) => 1,
            (Some(&Value::Integer(repeat @ 1..=1000)), true) => repeat,
            _ => Err("expected both `*` in the name and the key `repeat`, 1 to 1000, or neither")?,
        };
        let seconds = own.get("core-seconds").map_or(Some(0.0), number).filter(|it| *it >= 0.0);
        let seconds = seconds.ok_or("`core-seconds`: expected a number, 0 or more")?;
        let common = self.recipe.table.get(first).and_then(Value::as_table).into_iter().flatten();
        let flags = common.filter(|(key, _)| !own.contains_key(*key)).chain(own);
        let is_flag = |key| !matches!(key, "command" | "inputs" | "repeat" | "core-seconds");
        let flags = flags.filter(|(key, _)| is_flag(key.as_str()));
        let words: Vec<_> = own.get_key_value("inputs").into_iter().chain(flags).collect();
        for part in 0..repeat {
            let mut step = Step {
                name: name.replace('*', &part.to_string()),
                program: if is_of_engine { "othello-engine" } else { "othello-trainer" },
                arguments: command.clone(),
                inputs: vec![],
                core_seconds: seconds / repeat as f64,
                is_fresh: false,
            };
            if self.steps.iter().any(|other| other.name == step.name) {
                return Err(format!("another step makes {}", step.name));
            }
            for (key, value) in &words {
                self.add_flag(&mut step, key, value, part)?;
            }
            step.arguments.extend(["--out".to_owned(), self.path(&step.name)]);
            self.steps.push(step);
        }
        Ok(())
    }

    /// Adds `--key value` to the command line of `step`; for the key `inputs`, adds only `value`.
    /// For the key `seed`, increases `value` by the recipe's seed and by `part`, the index of the
    /// step among its repetitions.
    fn add_flag(&self, step: &mut Step, key: &str, value: &Value, part: i64) -> Result<(), String> {
        let flag = (key != "inputs").then(|| format!("--{key}"));
        let seed = |number| self.recipe.seed.wrapping_add(number).wrapping_add(part as u64);
        let (texts, expected) = match value {
            Value::Boolean(is_set) => {
                step.arguments.extend(flag.filter(|_| *is_set));
                return Ok(());
            }
            Value::Integer(number @ 0..) if key == "seed" => {
                (Some(vec![seed(*number as u64).to_string()]), "")
            }
            _ if key == "seed" => (None, "a whole number, 0 or more"),
            _ => (texts(value), "a number, true, false, a text, or a list of texts"),
        };
        for text in texts.ok_or_else(|| format!("`{key}`: expected {expected}"))? {
            for file in self.files(&text, &mut step.inputs)? {
                step.arguments.extend(flag.clone().into_iter().chain([file]));
            }
        }
        Ok(())
    }

    /// If the recipe has an entry named `text`, returns the files that its steps make, and adds the
    /// names of these steps to `inputs`. Otherwise returns `text` itself.
    fn files(&self, text: &str, inputs: &mut Vec<String>) -> Result<Vec<String>, String> {
        let (name, json) = text.strip_suffix(".json").map_or((text, ""), |name| (name, ".json"));
        let made_by = self.recipe.table.get(name).filter(|it| it.get("command").is_some());
        let Some(made_by) = made_by else { return Ok(vec![text.to_owned()]) };
        let file = |part: i64| name.replace('*', &part.to_string());
        if self.steps.iter().all(|step| step.name != file(0)) {
            return Err(format!("needs {name}, which no earlier step makes"));
        }
        let repeat = made_by.get("repeat").and_then(Value::as_integer).unwrap_or(1);
        inputs.extend((0..repeat).map(file));
        Ok((0..repeat).map(|part| self.path(&file(part)) + json).collect())
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

pub(crate) fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|number| number as f64))
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| match value {
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) if number.is_finite() => Some(number.to_string()),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice).iter().map(text).collect()
}
