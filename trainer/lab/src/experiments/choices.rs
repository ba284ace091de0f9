use std::fmt;

use othello_engine::file::sha256_of;
use othello_engine::random::Generator;
use othello_engine::text::{Invalid, from_toml};
use serde::Serialize;
use toml::{Table, Value};

const MOST: u64 = 1_000_000;

/// Lists of values to try for some entries of a recipe, the TOML file that describes a fit. In
/// TOML, a list stands in place of the single value of a recipe:
///
/// ```toml
/// patterns = ["standard", "scalars"]
///
/// [settings]
/// ridge = [10, 30, 100]
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Choices(Vec<(EntryPath, Vec<Value>)>);

/// The path of an entry in TOML: the names of the tables that enclose it, then its own name.
type EntryPath = Vec<String>;

/// One value for each varied entry of a recipe, with the path of the entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Values(Vec<(EntryPath, Value)>);

/// An entry of a tuned recipe whose best value is the smallest or the largest number tried for it.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
pub struct AtAnEnd {
    /// The path of the entry in the recipe, such as `settings.ridge`.
    pub name: String,
    /// The best of the values that were tried for the entry of the recipe.
    pub value: f64,
    /// `smallest` or `largest`, if `value` is the smallest or largest number tried.
    pub end: &'static str,
}

impl Choices {
    /// Parses lists of values to try from TOML, with one to a million combinations in all.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let choices = Self(collect(&from_toml(text)?, &[])?);
        let count = if choices.0.is_empty() { 0 } else { choices.combinations() };
        if !(1..=MOST).contains(&count) {
            return Err(Invalid(format!("{count} combinations of values; expected 1 to {MOST}")));
        }
        Ok(choices)
    }

    /// Returns the number of combinations of one value from each list.
    pub fn combinations(&self) -> u64 {
        self.0.iter().map(|(_, values)| values.len() as u64).fold(1, u64::saturating_mul)
    }

    /// Returns all combinations, in an order in which the value of the last entry changes fastest.
    pub fn all(&self) -> Vec<Values> {
        (0..self.combinations()).map(|number| self.combination(number)).collect()
    }

    /// Draws `count` different combinations (all if fewer exist), in the order of [`Self::all`].
    pub fn draw(&self, count: usize, seed: u64) -> Vec<Values> {
        let mut numbers: Vec<u64> = (0..self.combinations()).collect();
        Generator::new(seed).shuffle(&mut numbers);
        numbers.truncate(count);
        numbers.sort_unstable();
        numbers.into_iter().map(|number| self.combination(number)).collect()
    }

    /// Returns the entries whose value in `values` (from [`Values::to_json`]) is the smallest or
    /// the largest of the numbers to try. Omits entries with only one number.
    pub fn at_an_end(&self, values: &serde_json::Value) -> Vec<AtAnEnd> {
        let number = |value: &Value| value.as_float().or(value.as_integer().map(|n| n as f64));
        let of_choice = |(path, choices): &(EntryPath, Vec<Value>)| {
            let numbers = choices.iter().map(number).collect::<Option<Vec<f64>>>()?;
            let smallest = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let name = path.join(".");
            let value = values.get(&name)?.as_f64()?;
            let ends = [(smallest, "smallest"), (largest, "largest")];
            let (_, end) = ends.into_iter().find(|&(end, _)| end == value)?;
            (smallest < largest).then_some(AtAnEnd { name, value, end })
        };
        self.0.iter().filter_map(of_choice).collect()
    }

    fn combination(&self, mut number: u64) -> Values {
        let mut values = vec![];
        for (path, choices) in self.0.iter().rev() {
            let count = choices.len() as u64;
            values.push((path.clone(), choices[(number % count) as usize].clone()));
            number /= count;
        }
        values.reverse();
        Values(values)
    }
}

fn collect(table: &Table, above: &[String]) -> Result<Vec<(EntryPath, Vec<Value>)>, Invalid> {
    const OWN: [&str; 4] = ["name", "settings.seed", "settings.share", "settings.test_percent"];
    let mut entries: Vec<(&String, &Value)> = table.iter().collect();
    entries.sort_by_key(|(name, _)| *name);
    let mut choices = vec![];
    for (name, value) in entries {
        let path = [above, std::slice::from_ref(name)].concat();
        let dotted = path.join(".");
        match value {
            _ if OWN.contains(&dotted.as_str()) => {
                return Err(Invalid(format!("`{dotted}` is set by the study; remove it")));
            }
            Value::Table(table) => choices.extend(collect(table, &path)?),
            Value::Array(values) => choices.push((path, values.clone())),
            _ => {
                let expected = format!("expected such as `{dotted} = [1, 2]`");
                let reason = format!("`{dotted}` is not a list of values to try; {expected}");
                return Err(Invalid(reason));
            }
        }
    }
    Ok(choices)
}

impl Values {
    /// Puts these values into a recipe.
    pub fn put_into(&self, recipe: &mut Table) {
        for (path, value) in &self.0 {
            let mut table = &mut *recipe;
            let Some((name, above)) = path.split_last() else { continue };
            for name in above {
                let inner = table.entry(name.clone()).or_insert_with(|| Table::new().into());
                let Value::Table(inner) = inner else { return };
                table = inner;
            }
            table.insert(name.clone(), value.clone());
        }
    }

    /// Returns the values as a JSON object. Its keys are entries' paths, such as `settings.ridge`.
    pub fn to_json(&self) -> serde_json::Value {
        let entry = |(path, value): &(EntryPath, Value)| {
            (path.join("."), serde_json::to_value(value).unwrap_or_default())
        };
        serde_json::Value::Object(self.0.iter().map(entry).collect())
    }

    /// Returns a short name: the first 10 digits of the SHA-256 of the values as JSON text.
    pub fn id(&self) -> String {
        sha256_of(self.to_json().to_string().as_bytes())[..10].to_owned()
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = |(path, value): &(EntryPath, Value)| {
            let name = path.strip_prefix(&["settings".to_owned()]).unwrap_or(path).join(".");
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{name} = {text}")
        };
        f.write_str(&self.0.iter().map(entry).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(text: &str) -> Choices {
        Choices::parse(text).unwrap()
    }

    #[test]
    fn every_combination_is_there_once_and_goes_into_the_recipe() {
        let choices = choices(
            "patterns = ['small', 'standard']\n[settings]\nridge = [1, 2.5, 3]\n\
             [settings.adam]\nepochs = [4]\n",
        );
        let all = choices.all();
        assert_eq!((choices.combinations(), all.len()), (6, 6));
        let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(texts[0], "patterns = small, adam.epochs = 4, ridge = 1");
        assert_eq!(texts[4], "patterns = standard, adam.epochs = 4, ridge = 2.5");
        let mut ids: Vec<String> = all.iter().map(Values::id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 6);
        let mut recipe: Table =
            toml::from_str("data = ['a']\npatterns = 'x'\n[settings]\nridge = 9\nwindow = '1'")
                .unwrap();
        all[4].put_into(&mut recipe);
        let expected = "data = ['a']\npatterns = 'standard'\n[settings]\nridge = 2.5\nwindow = '1'\n\
                        [settings.adam]\nepochs = 4";
        assert_eq!(recipe, toml::from_str::<Table>(expected).unwrap());
    }

    #[test]
    fn a_value_at_an_end_of_its_list_is_told() {
        let choices =
            choices("patterns = ['a', 'b']\n[settings]\nridge = [1, 2.5, 9]\nseed_of = [4]");
        let ends: Vec<Vec<(String, &str)>> = choices
            .all()
            .iter()
            .map(|values| choices.at_an_end(&values.to_json()))
            .map(|ends| ends.into_iter().map(|end| (end.name, end.end)).collect())
            .collect();
        let ridge = |end| vec![("settings.ridge".to_owned(), end)];
        assert_eq!(ends[..3], [ridge("smallest"), vec![], ridge("largest")]);
    }

    #[test]
    fn draws_are_different_combinations_and_follow_the_seed() {
        let choices = choices("[settings]\nridge = [1, 2, 3, 4, 5, 6, 7, 8]\nwindow = ['0', '1']");
        let drawn = choices.draw(5, 3);
        assert_eq!(drawn.len(), 5);
        let texts: Vec<String> = drawn.iter().map(ToString::to_string).collect();
        assert!(texts.iter().enumerate().all(|(at, text)| !texts[..at].contains(text)));
        assert_eq!(drawn, choices.draw(5, 3));
        assert_ne!(drawn, choices.draw(5, 4));
        assert_eq!(choices.draw(100, 3), choices.all());
    }

    #[test]
    fn what_is_no_list_is_refused_by_name() {
        for (text, reason) in [
            ("[settings]\nridge = 3", "`settings.ridge` is not a list"),
            ("[settings]\nridge = []", "0 combinations"),
            ("", "0 combinations"),
            ("[settings]\nseed = [1, 2]", "`settings.seed` is set by the study"),
            ("a = ", "line 1"),
        ] {
            let error = Choices::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
