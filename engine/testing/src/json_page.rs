//! The page of the JSON fields, `datasets/json.md`, and its comparison with what is printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::guides::repository;

/// The heading of the fields that every command may print.
const EVERY_COMMAND: &str = "Every command";

/// The page: the fields in the tables below each heading.
pub struct Page {
    sections: Vec<Section>,
}

struct Section {
    heading: String,
    rows: Vec<Row>,
}

/// A row of a table: a field, and the section that describes the fields within it.
struct Row {
    field: String,
    as_section: Option<String>,
    /// True if the field need not be printed when the guides are run.
    is_rare: bool,
}

/// The beginning of the headings of fields that several commands have.
const PART: &str = "Part: ";

/// The word at the beginning of a row of fields that need not be printed when the guides are run.
const RARELY: &str = "rarely";

/// The fields that were printed or written, with the command line or the kind of file.
pub struct Printed {
    /// The command line, or the page's name for the kind of file.
    pub name: String,
    /// The paths of all fields.
    pub fields: BTreeSet<String>,
}

/// Returns the paths of a value's fields: `a.b` for a field within a field, `a[]` for elements of
/// an array.
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

    /// Returns the fields of the section with this heading, with those of the sections that it
    /// refers to, each with whether it is rare.
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
                    // The section that is referred to ensures that its fields are printed
                    // somewhere.
                    fields
                        .extend(below.into_keys().map(|field| (format!("{prefix}{field}"), true)));
                }
                _ => drop(fields.insert(field.clone(), *is_rare)),
            }
        }
        fields
    }

    /// Returns the fields of a part that were printed for the sections that refer to it.
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

    /// Returns complaints about printed fields that are not on the page, and about fields of the
    /// page that were not printed. `unseen` are headings for which nothing is printed.
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

/// Returns the fields that were printed for a section.
fn found_in<'a>(
    heading: &str,
    printed: &[Printed],
    heading_of: impl Fn(&str) -> Option<&'a str>,
) -> BTreeSet<String> {
    let own = printed.iter().filter(|printed| heading_of(&printed.name) == Some(heading));
    own.flat_map(|printed| printed.fields.clone()).collect()
}

/// Returns the fields in the first cell of a table's row.
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

/// Returns the anchor of a heading, as Markdown pages have it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_ascii_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_ascii_lowercase().replace(' ', "-")
}

/// Returns whether the page describes a printed field: by its own path, by `PATH.*` of a field
/// above it, or, if it is null or empty, by fields below it.
fn is_said(said: &BTreeMap<String, bool>, found: &str) -> bool {
    said.keys().any(|said| match said.strip_suffix(".*") {
        Some(above) => found == above || found.starts_with(&format!("{above}.")),
        None => said == found || is_below(said, found),
    })
}

/// Returns whether a printed field, which may be empty, is the described field or one below it.
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
        // A field that is null now may be an object later.
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
