//! Formats the differences between two JSON objects for a message.

use serde_json::{Map, Value};

const MOST_TOLD: usize = 8;

const MOST_CHARACTERS: usize = 60;

const CHARACTERS_BEFORE: usize = 20;

/// Lists how two objects differ, such as `seed: 8 there, 7 wanted, …`.
pub(super) fn differences(there: &Map<String, Value>, wanted: &Map<String, Value>) -> String {
    let mut found = vec![];
    add_objects(&mut found, "", there, wanted);
    let told = found[..found.len().min(MOST_TOLD)].join(", ");
    match found.len().saturating_sub(MOST_TOLD) {
        0 => told,
        more => format!("{told}, and {more} more"),
    }
}

fn add(found: &mut Vec<String>, path: &str, there: Option<&Value>, wanted: Option<&Value>) {
    match (there, wanted) {
        (Some(Value::Object(there)), Some(Value::Object(wanted))) => {
            add_objects(found, path, there, wanted);
        }
        (Some(Value::Array(there)), Some(Value::Array(wanted))) => {
            for index in 0..there.len().max(wanted.len()) {
                add(found, &format!("{path}[{index}]"), there.get(index), wanted.get(index));
            }
        }
        _ => {
            let [there, wanted] = [there, wanted].map(|value| value.map(canonical));
            if there != wanted {
                let [there, wanted] =
                    [there, wanted].map(|value| value.unwrap_or("nothing".into()));
                found.push(difference(path, &there, &wanted));
            }
        }
    }
}

fn add_objects(
    found: &mut Vec<String>,
    path: &str,
    there: &Map<String, Value>,
    wanted: &Map<String, Value>,
) {
    let mut keys: Vec<&String> = there.keys().chain(wanted.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let dot = if path.is_empty() { "" } else { "." };
    for key in keys {
        add(found, &format!("{path}{dot}{key}"), there.get(key), wanted.get(key));
    }
}

fn canonical(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

fn difference(path: &str, there: &str, wanted: &str) -> String {
    let same = there.chars().zip(wanted.chars()).take_while(|(one, other)| one == other);
    let same = same.count();
    // The texts come from a file, which may contain any characters, so they are escaped.
    let [path, there, wanted] = [(path, 0), (there, same), (wanted, same)]
        .map(|(text, at)| escaped(&surroundings(text, at)));
    format!("{path}: {there} there, {wanted} wanted")
}

/// Escapes unprintable characters, as `\u{1b}`, but not quotation marks and backslashes.
pub(crate) fn escaped(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '"' | '\'' | '\\' => letter.to_string(),
        letter => letter.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Returns a short text unchanged; of a long text, only the part around the character index `at`.
fn surroundings(text: &str, at: usize) -> String {
    let length = text.chars().count();
    if length <= MOST_CHARACTERS {
        return text.to_owned();
    }
    let first = at.saturating_sub(CHARACTERS_BEFORE).min(length - MOST_CHARACTERS);
    let part: String = text.chars().skip(first).take(MOST_CHARACTERS).collect();
    let before = if first > 0 { "…" } else { "" };
    let after = if first + MOST_CHARACTERS < length { "…" } else { "" };
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Provenance;
    use super::*;

    fn differences(there: Value, wanted: Value) -> String {
        let provenance = |value: Value| Provenance::new("x").with("settings", value);
        Provenance::differences(&provenance(there), &provenance(wanted))
    }

    /// A regression: a key of 100 kB was printed in full, with its terminal control characters.
    #[test]
    fn keys_and_values_are_told_shortly_and_do_nothing_to_a_terminal() {
        let long = "k".repeat(100_000);
        let told = differences(json!({long: 1, "\u{9b}2J": "\u{9b}\u{202e}"}), json!({}));
        assert!(told.len() < 500, "{}", told.len());
        assert!(!told.contains(['\u{9b}', '\u{202e}']) && told.contains("\\u{9b}2J"), "{told}");
    }

    #[test]
    fn differences_name_the_setting_its_place_and_both_values() {
        let labels =
            |rule: &str| json!({"labels": [{"rule": "result"}, {"rule": rule, "plies": 1}]});
        for (there, wanted, expected) in [
            (
                json!({"seed": 8, "depth": 4}),
                json!({"seed": 7, "exact": 12, "depth": 4}),
                "settings.exact: nothing there, 12 wanted, settings.seed: 8 there, 7 wanted",
            ),
            (
                labels("solved"),
                labels("values"),
                "settings.labels[1].rule: \"solved\" there, \"values\" wanted",
            ),
            (json!(["a", "b"]), json!(["a"]), "settings[1]: \"b\" there, nothing wanted"),
            (json!([1.0]), json!(1), "settings: [1.0] there, 1 wanted"),
        ] {
            assert_eq!(differences(there, wanted), expected);
        }
    }

    /// A regression: of two long texts, the message showed only their equal beginnings.
    #[test]
    fn of_long_texts_what_differs_is_told() {
        let text = |middle: &str| json!(format!("{}{middle}{}", "é".repeat(500), "x".repeat(500)));
        let message = differences(text("one"), text("two"));
        assert!(message.contains("éone") && message.contains("étwo"), "{message}");
        assert!(message.chars().count() < 200, "{message}");
        let message = differences(json!("x".repeat(500)), json!("x".repeat(501)));
        assert!(message.contains("x\" there") && message.contains("xx\" wanted"), "{message}");
        let message = differences(text("one"), Value::Null);
        assert!(message.chars().count() < 200 && message.contains("null wanted"), "{message}");
    }

    #[test]
    fn of_many_differences_the_first_are_told() {
        let numbers = |from: u64| Value::from((from..from + 50).collect::<Vec<_>>());
        let message = differences(numbers(0), numbers(100));
        assert!(message.starts_with("settings[0]: 0 there, 100 wanted, settings[1]"), "{message}");
        assert!(message.ends_with("settings[7]: 7 there, 107 wanted, and 42 more"), "{message}");
    }
}
