//! Parses recipes from TOML.

use othello_engine::text::{Invalid, from_toml};
use toml::{Table, Value};

use super::{Recipe, Step, Word};

/// The greatest value of `repeat`, the number of files that a step with `*` in its name makes.
const MAX_REPEAT: i64 = 1000;

/// The keys of a step that are not flags of its command.
const OWN_KEYS: [&str; 4] = ["command", "inputs", "repeat", "core-seconds"];

impl Recipe {
    /// Parses a recipe. A syntax error names the line; any other error names the table.
    pub fn from_toml(text: &str) -> Result<Self, Invalid> {
        Self::of_table(from_toml(text)?)
    }

    pub(super) fn of_table(mut table: Table) -> Result<Self, Invalid> {
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
}

struct Reader<'a> {
    table: &'a Table,
    steps: Vec<Step>,
}

impl Reader<'_> {
    /// Adds the step that the table `own` describes; with the key `repeat`, so many numbered steps.
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

    /// Returns a flag's words. To a seed, adds `part`: the file's number with `repeat`, else 0.
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

    /// Returns the file of the step that `text` names (with `repeat`, its files), or `text` itself.
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
