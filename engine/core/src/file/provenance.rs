use serde_json::{Map, Value};

/// The revision of the program's behaviour, part of every provenance. Raise it by one if the same
/// settings give other games, searches or fits, but not if a provenance only gets a new setting.
pub const BEHAVIOUR_REVISION: u32 = 10;

/// Everything that determines a file's content, as a JSON object: settings, seeds and checksums of
/// inputs, but no version, path, threads, device, host or date. `==` compares the canonical JSON.
#[derive(Clone, Debug, derive_more::From)]
pub struct Provenance(Map<String, Value>);

impl Provenance {
    /// Creates a provenance with the command and [`BEHAVIOUR_REVISION`].
    pub fn new(command: &str) -> Self {
        Self(Map::new()).with("command", command).with("behaviour", BEHAVIOUR_REVISION)
    }

    /// Sets or replaces the value of the setting `key`.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Sets `key` if `is_unusual` is true, so that settings with their usual values are omitted.
    #[must_use]
    pub fn with_unusual(self, is_unusual: bool, key: &str, value: impl Into<Value>) -> Self {
        if is_unusual { self.with(key, value) } else { self }
    }

    /// Removes the setting `key`, if it exists.
    #[must_use]
    pub fn without(mut self, key: &str) -> Self {
        self.0.shift_remove(key);
        self
    }

    /// Returns the value of the setting `key`; `None` if there is no such setting.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// Returns all settings as a JSON object.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Returns the canonical JSON: keys sorted at every depth, no blanks.
    pub fn canonical(&self) -> String {
        canonical(Value::Object(self.0.clone()))
    }

    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok().map(Self)
    }

    /// Lists the settings in which two provenances differ, such as `seed: 8 there, 7 wanted`.
    /// Shortens long values.
    pub fn differences(there: &Self, wanted: &Self) -> String {
        let mut found = vec![];
        let [there, wanted] = [there, wanted].map(|one| Value::Object(one.0.clone()));
        compare(&mut found, "", Some(&there), Some(&wanted));
        let told = found[..found.len().min(MOST_TOLD)].join(", ");
        match found.len().saturating_sub(MOST_TOLD) {
            0 => told,
            more => format!("{told}, and {more} more"),
        }
    }
}

impl PartialEq for Provenance {
    fn eq(&self, other: &Self) -> bool {
        self.canonical() == other.canonical()
    }
}

impl Eq for Provenance {}

const MOST_TOLD: usize = 8;
const MOST_CHARACTERS: usize = 60;
const CHARACTERS_BEFORE: usize = 20;

fn compare(found: &mut Vec<String>, path: &str, there: Option<&Value>, wanted: Option<&Value>) {
    match (there, wanted) {
        (Some(Value::Object(there)), Some(Value::Object(wanted))) => {
            let mut keys: Vec<&String> = there.keys().chain(wanted.keys()).collect();
            keys.sort_unstable();
            keys.dedup();
            let dot = if path.is_empty() { "" } else { "." };
            for key in keys {
                compare(found, &format!("{path}{dot}{key}"), there.get(key), wanted.get(key));
            }
        }
        (Some(Value::Array(there)), Some(Value::Array(wanted))) => {
            for index in 0..there.len().max(wanted.len()) {
                compare(found, &format!("{path}[{index}]"), there.get(index), wanted.get(index));
            }
        }
        _ => {
            let text = |value: Option<&Value>| value.cloned().map_or("nothing".into(), canonical);
            let (there, wanted) = (text(there), text(wanted));
            if there != wanted {
                found.push(difference(path, &there, &wanted));
            }
        }
    }
}

fn canonical(mut value: Value) -> String {
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

pub(crate) fn escaped(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '"' | '\'' | '\\' => letter.to_string(),
        letter => letter.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}

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

    use super::*;

    #[test]
    fn the_order_of_settings_does_not_matter() {
        let one = Provenance::new("x").with("b", 1).with("a", json!({"d": 1, "c": 2}));
        let two = Provenance::new("x").with("a", json!({"c": 2, "d": 1})).with("b", 1);
        assert_eq!(one, two);
        let canonical = r#"{"a":{"c":2,"d":1},"b":1,"behaviour":10,"command":"x"}"#;
        assert_eq!(one.canonical(), canonical);
    }

    /// The behaviour revision, and the SHA-256 of the weights made with it by `run small --seed 1`.
    const RECORDED: (u32, &str) =
        (10, "909fa2ab254a26c009942c2638abbcfbb5b58675ab32f277b11e34504cf13d2f");

    #[test]
    fn the_behaviour_revision_moves_with_the_recorded_checksum() {
        let list = include_str!("../../../../trainer/recipes/small.sha256");
        let (recorded, _) = list.lines().last().unwrap().split_once("  ").unwrap();
        assert_eq!(
            RECORDED,
            (BEHAVIOUR_REVISION, recorded),
            "record the new checksum here; if games, searches or fits are others than before, raise \
             BEHAVIOUR_REVISION by one"
        );
    }

    #[test]
    fn numbers_survive_being_read_back() {
        for number in [0.1, 1.0 / 3.0, 1e-300, 123_456.789_012_345_67] {
            let wanted = Provenance::new("x").with("number", number);
            assert_eq!(Provenance::parse(wanted.canonical().as_bytes()), Some(wanted));
        }
    }

    fn differences(there: Value, wanted: Value) -> String {
        let provenance = |value: Value| Provenance::new("x").with("settings", value);
        Provenance::differences(&provenance(there), &provenance(wanted))
    }

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
