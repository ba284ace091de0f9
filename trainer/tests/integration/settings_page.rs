//! Tests that the page of all keys, `trainer/docs/settings.md`, lists the keys that the program
//! reads.

use std::collections::BTreeMap;

use othello_trainer::fit::{AdamSettings, FactorSettings, FitSettings};
use othello_trainer::study::Recipe;
use serde_json::{Value, json};

/// Returns the keys in the tables below a heading, with their defaults.
fn page(heading: &str) -> BTreeMap<String, String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/settings.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, below) = text.split_once(&format!("## {heading}")).unwrap();
    let section = below.split("\n## ").next().unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        Some((cells[0].trim_end_matches('`').to_owned(), cells[1].trim_matches('`').to_owned()))
    };
    section.lines().filter_map(row).collect()
}

/// Collects the keys of a table with dots, and their values as a person writes them.
fn flat(value: &Value, path: &str, out: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                let dot = if path.is_empty() { "" } else { "." };
                flat(value, &format!("{path}{dot}{key}"), out);
            }
        }
        Value::String(text) => drop(out.insert(path.to_owned(), text.clone())),
        number => drop(out.insert(path.to_owned(), number.as_f64().unwrap().to_string())),
    }
}

#[test]
fn the_page_has_all_settings_with_their_defaults() {
    let defaults =
        FitSettings { factors: Some(FactorSettings::default()), ..FitSettings::default() };
    let mut wanted = BTreeMap::new();
    flat(&json!(defaults), "", &mut wanted);
    // Optional settings that are omitted unless set.
    let adam = AdamSettings { clip: Some(1.0), ..AdamSettings::default() };
    let share = 0.5.try_into().unwrap();
    let mut with_all = BTreeMap::new();
    flat(&json!(FitSettings { adam, share, ..defaults }), "", &mut with_all);
    let unset: Vec<&String> = with_all.keys().filter(|key| !wanted.contains_key(*key)).collect();
    assert_eq!(unset, ["adam.clip", "share"]);
    wanted.insert("adam.clip".to_owned(), "none".to_owned());
    wanted.insert("share".to_owned(), "1".to_owned());
    assert_eq!(page("Settings"), wanted);
    // The program's refusal of an unknown key lists all keys.
    let error = FitSettings::from_toml("other = 1").unwrap_err().to_string();
    for key in wanted.keys().filter(|key| !key.contains('.')) {
        assert!(error.contains(&format!("`{key}`")), "{key}: {error}");
    }
}

#[test]
fn the_page_has_all_keys_of_a_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.toml");
    std::fs::write(&path, "other = 1").unwrap();
    let error = Recipe::read(&path).unwrap_err().to_string();
    let (_, expected) = error.split_once("expected one of ").unwrap();
    let mut keys: Vec<&str> = expected.split(", ").map(|key| key.trim_matches('`')).collect();
    keys.sort_unstable();
    assert_eq!(page("Recipes").into_keys().collect::<Vec<_>>(), keys);
}
