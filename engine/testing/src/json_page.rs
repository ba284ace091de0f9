//! The page of the JSON fields, `datasets/json.md`, and whether what is printed is what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::guides::repository;

/// The heading of the fields that every command may print.
const EVERY_COMMAND: &str = "Every command";

/// The page: for each heading, the fields in the tables below it.
pub struct Page {
    sections: Vec<Section>,
}

struct Section {
    heading: String,
    rows: Vec<Row>,
}

/// A row of a table: a field, and the section whose fields are those below it.
struct Row {
    field: String,
    as_section: Option<String>,
    /// The field need not be printed when the guides are run.
    is_rare: bool,
}

/// The beginning of the headings of fields that several commands have.
const PART: &str = "Part: ";

/// The word that a row of fields begins with that need not be printed when the guides are run.
const RARELY: &str = "rarely";

/// What was printed or written: the command line or the kind of file, and the fields.
pub struct Printed {
    /// The command line, or the kind of file as the page calls it.
    pub name: String,
    /// The paths of all fields.
    pub fields: BTreeSet<String>,
}

/// The paths of a value's fields: `a.b` for a field within a field, `a[]` for what an array holds.
pub fn fields(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(value, String::new(), &mut found);
    found
}

fn collect(value: &Value, path: String, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                let dot = if path.is_empty() { "" } else { "." };
                collect(value, format!("{path}{dot}{key}"), found);
            }
        }
        Value::Array(values) if !values.is_empty() => {
            values.iter().for_each(|value| collect(value, format!("{path}[]"), found));
        }
        _ => drop(found.insert(path)),
    }
}

impl Page {
    /// Reads the page.
    pub fn read() -> Self {
        let path = repository().join("datasets/json.md");
        Self::parse(&fs::read_to_string(path).expect("datasets/json.md"))
    }

    fn parse(text: &str) -> Self {
        let mut sections: Vec<Section> = vec![];
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                sections.push(Section { heading: heading.to_owned(), rows: vec![] });
            } else if let Some(section) = sections.last_mut() {
                section.rows.extend(rows(line));
            }
        }
        Self { sections }
    }

    /// The fields of the section with this heading, those of the sections that it refers to included, and whether
    /// each is rare.
    fn fields(&self, heading: &str) -> BTreeMap<String, bool> {
        let mut fields = BTreeMap::new();
        let section = self.sections.iter().find(|section| section.heading == heading);
        for row in section.into_iter().flat_map(|section| &section.rows) {
            let Row { field, as_section, is_rare } = row;
            let other = as_section.as_ref().and_then(|anchor| {
                self.sections.iter().find(|section| self::anchor(&section.heading) == *anchor)
            });
            match (other, field.strip_suffix('*')) {
                (Some(other), Some(prefix)) => {
                    let below = self.fields(&other.heading);
                    // A section of its own sees to it that they are printed somewhere.
                    fields
                        .extend(below.into_keys().map(|field| (format!("{prefix}{field}"), true)));
                }
                _ => drop(fields.insert(field.clone(), *is_rare)),
            }
        }
        fields
    }

    /// The fields of a part that were printed for the sections that refer to it.
    fn found_in_part<'a>(
        &self,
        part: &str,
        printed: &[Printed],
        heading_of: impl Fn(&str) -> Option<&'a str> + Copy,
    ) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for Section { heading, rows } in &self.sections {
            let own = rows.iter().filter(|row| row.as_section.as_deref() == Some(&anchor(part)));
            for prefix in own.filter_map(|row| row.field.strip_suffix('*')) {
                let fields = found_in(heading, printed, heading_of);
                let below = fields.iter().filter_map(|field| field.strip_prefix(prefix));
                found.extend(below.map(str::to_owned));
            }
        }
        found
    }

    /// What of the printed is not on the page, and what of the page was not printed; `unseen` are
    /// headings that nothing is printed for.
    pub fn complaints(&self, printed: &[Printed], unseen: &[&str]) -> Vec<String> {
        let every = self.fields(EVERY_COMMAND);
        let (mut complaints, mut seen_by_every) = (vec![], BTreeSet::new());
        let heading_of = |name: &str| -> Option<&str> {
            let headings = self.sections.iter().map(|section| section.heading.as_str());
            let own = headings.filter(|heading| {
                name.strip_prefix(heading)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            });
            own.max_by_key(|heading| heading.len())
        };
        for printed in printed.iter().filter(|printed| heading_of(&printed.name).is_none()) {
            complaints.push(format!("`{}` has no section", printed.name));
        }
        for Section { heading, .. } in &self.sections {
            let said = self.fields(heading);
            let found = match heading.starts_with(PART) {
                true => self.found_in_part(heading, printed, heading_of),
                false => found_in(heading, printed, heading_of),
            };
            for field in found.iter().filter(|_| !heading.starts_with(PART)) {
                if is_said(&every, field) {
                    seen_by_every.insert((*field).clone());
                } else if !is_said(&said, field) {
                    complaints.push(format!("{heading}: `{field}` is printed and not on the page"));
                }
            }
            let is_skipped = heading == EVERY_COMMAND || unseen.contains(&heading.as_str());
            for (field, _) in said.iter().filter(|(_, is_rare)| !is_skipped && !**is_rare) {
                if !found.iter().any(|found| is_at_or_below(found, field)) {
                    complaints
                        .push(format!("{heading}: `{field}` is on the page and never printed"));
                }
            }
        }
        for (field, is_rare) in every {
            if !is_rare && !seen_by_every.iter().any(|seen| is_at_or_below(seen, &field)) {
                complaints.push(format!("{EVERY_COMMAND}: `{field}` is never printed"));
            }
        }
        complaints.sort();
        complaints.dedup();
        complaints
    }
}

/// The fields that were printed for a section.
fn found_in<'a>(
    heading: &str,
    printed: &[Printed],
    heading_of: impl Fn(&str) -> Option<&'a str>,
) -> BTreeSet<String> {
    let own = printed.iter().filter(|printed| heading_of(&printed.name) == Some(heading));
    own.flat_map(|printed| printed.fields.clone()).collect()
}

/// The fields in the first cell of a table's row.
fn rows(line: &str) -> Vec<Row> {
    let Some((cell, text)) = line.strip_prefix("| `").and_then(|rest| rest.split_once(" | "))
    else {
        return vec![];
    };
    let as_section = text.split_once("](#").and_then(|(_, rest)| rest.split_once(')'));
    let as_section = as_section.map(|(anchor, _)| anchor.to_owned());
    let names = cell.split('`').step_by(2).filter(|name| !name.is_empty());
    let is_rare = text.starts_with(RARELY);
    let row = |name: &str| Row { field: name.to_owned(), as_section: as_section.clone(), is_rare };
    names.map(row).collect()
}

/// The anchor of a heading, as pages of Markdown have it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_ascii_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_ascii_lowercase().replace(' ', "-")
}

/// Whether a field that was found is said: by its own path, by `PATH.*` of anything above it, or, where it
/// is null or empty, by what would be below it.
fn is_said(said: &BTreeMap<String, bool>, found: &str) -> bool {
    said.keys().any(|said| match said.strip_suffix(".*") {
        Some(above) => found == above || found.starts_with(&format!("{above}.")),
        None => said == found || is_below(said, found),
    })
}

/// Whether a field that was found, perhaps empty, shows that what is said is there.
fn is_at_or_below(found: &str, said: &str) -> bool {
    let said = said.strip_suffix(".*").or(said.strip_suffix("[]")).unwrap_or(said);
    found == said || is_below(found, said)
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PAGE: &str = "# Page\n\n## Every command\n\n| `json_version` | the version |\n| `resumed.*` | rarely: stages |\n\n\
        ## othello one\n\n| `a`, `b[].c` | numbers |\n| `d.*` | as [two](#othello-two) |\n| `*` | as [three](#part-three) |\n\n\
        ## othello two\n\n| field | is |\n|---|---|\n| `e` | a number |\n| `f.*` | counts |\n| `g.h` | rarely: more |\n\n\
        ## Part: three\n\n| `i[]` | numbers |\n";

    fn complaints(printed: &[(&str, Value)]) -> Vec<String> {
        let printed = printed
            .iter()
            .map(|(name, value)| Printed { name: (*name).to_owned(), fields: fields(value) });
        Page::parse(PAGE).complaints(&printed.collect::<Vec<_>>(), &[])
    }

    fn sound() -> [(&'static str, Value); 2] {
        let resumed = json!({ "a stage": 3 });
        let two = json!({"e": 1, "f": {"x": 1, "y": 2}, "json_version": 1});
        [
            (
                "othello one --flag",
                json!({"a": 1, "b": [{"c": 2}, {"c": 3}], "d": two, "i": [], "resumed": resumed}),
            ),
            ("othello two", two),
        ]
    }

    #[test]
    fn a_page_that_says_what_is_printed_has_no_complaints() {
        let mut sound = sound();
        sound[0].1["d"].as_object_mut().unwrap().remove("json_version");
        assert_eq!(complaints(&sound), [""; 0]);
        // What is null once may be an object another time.
        let null = ("othello one", json!({"b": null, "d": null}));
        assert_eq!(complaints(&[&sound[..], &[null]].concat()), [""; 0]);
    }

    #[test]
    fn what_is_missing_on_either_side_is_told() {
        let one = |value| [&sound()[..], &[("othello one", value)]].concat();
        assert_eq!(
            complaints(&one(json!({"g": [{"h": 1}]}))),
            [
                "othello one: `d.json_version` is printed and not on the page",
                "othello one: `g[].h` is printed and not on the page"
            ]
        );
        assert_eq!(
            complaints(&[("othello three", json!({}))])[0],
            "Every command: `json_version` is never printed"
        );
        let never = complaints(&sound()[1..]).join("\n");
        for field in ["othello one: `a`", "othello one: `b[].c`", "Part: three: `i[]`"] {
            assert!(
                never.contains(&format!("{field} is on the page and never printed")),
                "{never}"
            );
        }
    }
}
