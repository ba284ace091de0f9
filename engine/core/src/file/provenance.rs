//! The provenance of a file: the settings and inputs that determine its content.

use serde_json::{Map, Value};

use super::differences::differences;

/// The revision of the program's behaviour, part of every provenance. Raise it by one when the same
/// settings give other games, searches or fits, which changes `trainer/recipes/small.sha256`. A new
/// entry of a provenance, or another zstd, also changes that file; a release does not.
pub const BEHAVIOUR_REVISION: u32 = 9;

/// Everything that determines a file's content, as a JSON object: settings, seeds, checksums of
/// inputs; no version, paths, threads, device, host or date. `==` compares the canonical JSON.
#[derive(Clone, Debug, derive_more::From)]
pub struct Provenance(Map<String, Value>);

impl Provenance {
    /// Creates a provenance with the command and [`BEHAVIOUR_REVISION`].
    pub fn new(command: &str) -> Self {
        Self(Map::new()).with("command", command).with("behaviour", BEHAVIOUR_REVISION)
    }

    /// Sets the value of the setting `key`. Replaces an earlier value of this setting.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Sets `key` only for an unusual value: with the usual one, the provenance stays as it was.
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
        let mut object = Value::Object(self.0.clone());
        object.sort_all_objects();
        object.to_string()
    }

    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        match serde_json::from_slice(json) {
            Ok(Value::Object(map)) => Some(Self(map)),
            _ => None,
        }
    }

    /// Lists the settings of an existing file (`there`) that differ from the wanted ones, such as
    /// `seed: 8 there, 7 wanted`. Shortens a long value to the part around the first difference.
    pub fn differences(there: &Self, wanted: &Self) -> String {
        differences(&there.0, &wanted.0)
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
        let canonical = r#"{"a":{"c":2,"d":1},"b":1,"behaviour":9,"command":"x"}"#;
        assert_eq!(one.canonical(), canonical);
    }

    /// The behaviour revision, and the checksum of the weights of `run small --seed 1`. Revisions
    /// may share a checksum, if they differ only in work that `run small` does not do.
    const RECORDED: (u32, &str) =
        (9, "91c19cc9948487642c2284c569742298b49e20d704bb7bcefd46e80999ec8120");

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
}
