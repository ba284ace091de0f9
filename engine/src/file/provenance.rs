//! What a file was made from.

use serde_json::{Map, Value};

/// Everything that decides a file's content, as a JSON object: validated settings, seeds, the
/// checksums of the inputs, the program's version; and nothing that does not: no paths, threads,
/// device, host or date. Two are equal when their canonical JSON (keys sorted, no blanks) is.
#[derive(Clone, Debug)]
pub struct Provenance(Map<String, Value>);

impl Provenance {
    /// The provenance of what `command` of this version of the program makes.
    pub fn new(command: &str) -> Self {
        Self(Map::new()).with("command", command).with("version", env!("CARGO_PKG_VERSION"))
    }

    /// Adds a setting, or replaces it.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// The value of a setting.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// The object itself.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The canonical JSON: keys sorted at every depth, no blanks.
    pub fn canonical(&self) -> String {
        let mut object = Value::Object(self.0.clone());
        object.sort_all_objects();
        object.to_string()
    }

    /// Reads a JSON object; `None` where the text is something else.
    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        match serde_json::from_slice(json) {
            Ok(Value::Object(map)) => Some(Self(map)),
            _ => None,
        }
    }

    /// Each setting that differs, as `seed: 8 there, 7 wanted`, for a message.
    pub fn differences(there: &Self, wanted: &Self) -> String {
        let mut keys: Vec<&String> = there.0.keys().chain(wanted.0.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        let differs = |key: &&String| Self::text(there, key) != Self::text(wanted, key);
        let difference = |key: &String| {
            let short = |of| abbreviated(Self::text(of, key));
            format!("{key}: {} there, {} wanted", short(there), short(wanted))
        };
        keys.into_iter().filter(differs).map(difference).collect::<Vec<_>>().join(", ")
    }

    fn text(of: &Self, key: &str) -> String {
        let Some(value) = of.get(key) else { return "nothing".to_owned() };
        let mut value = value.clone();
        value.sort_all_objects();
        value.to_string()
    }
}

/// At most about 80 characters of a text.
fn abbreviated(text: String) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

impl PartialEq for Provenance {
    fn eq(&self, other: &Self) -> bool {
        self.canonical() == other.canonical()
    }
}

impl Eq for Provenance {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_settings_does_not_matter() {
        let one = Provenance::new("x").with("b", 1).with("a", serde_json::json!({"d": 1, "c": 2}));
        let two = Provenance::new("x").with("a", serde_json::json!({"c": 2, "d": 1})).with("b", 1);
        assert_eq!(one, two);
        assert_eq!(
            one.canonical(),
            concat!(
                r#"{"a":{"c":2,"d":1},"b":1,"command":"x","version":""#,
                env!("CARGO_PKG_VERSION"),
                r#""}"#
            )
        );
    }

    #[test]
    fn differences_name_the_setting_and_both_values() {
        let there = Provenance::new("x").with("seed", 8).with("depth", 4);
        let wanted = Provenance::new("x").with("seed", 7).with("exact", 12).with("depth", 4);
        assert_eq!(
            Provenance::differences(&there, &wanted),
            "exact: nothing there, 12 wanted, seed: 8 there, 7 wanted"
        );
        let long = Provenance::new("x").with("inputs", "é".repeat(5000));
        let message = Provenance::differences(&long, &Provenance::new("x"));
        assert!(message.ends_with("é… (10002 bytes) there, nothing wanted"), "{message}");
        assert!(message.len() < 300);
    }

    #[test]
    fn numbers_survive_being_read_back() {
        for number in [0.1, 1.0 / 3.0, 1e-300, 123_456.789_012_345_67] {
            let wanted = Provenance::new("x").with("number", number);
            assert_eq!(Provenance::parse(wanted.canonical().as_bytes()), Some(wanted));
        }
    }
}
