//! Reading of TOML, with error messages of one line.

use serde::de::DeserializeOwned;

use super::{Invalid, shortened};

/// The greatest length of a message in characters: enough for the names of all scalar features.
const MOST: usize = 270;

/// Reads a value from TOML text. The error states the line and the column.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, Invalid> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or(text);
        let begun = before.rsplit('\n').next().unwrap_or(before);
        let (line, column) = (before.matches('\n').count() + 1, begun.chars().count() + 1);
        let mut message = error.message().to_owned();
        for (kind, words) in [
            ("f64", "a number"),
            ("u64", "a whole number"),
            ("u32", "a whole number"),
            ("u8", "a whole number"),
        ] {
            message = message.replace(&format!("expected {kind}"), &format!("expected {words}"));
        }
        Invalid(format!("line {line}, column {column}: {}", shortened(&message, MOST)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, Debug)]
    #[serde(deny_unknown_fields)]
    struct Numbers {
        #[serde(rename = "a")]
        _a: u8,
    }

    #[test]
    fn errors_name_the_place() {
        let refused = |text: &str| from_toml::<Numbers>(text).unwrap_err().to_string();
        assert!(refused("\né = 1 1").starts_with("line 2, column 1: "), "{}", refused("\né = 1"));
        assert!(refused("a = 1\nb = 2").starts_with("line 2, column 1: unknown field `b`"));
        assert!(refused("a = 300").starts_with("line 1, column 5: "), "{}", refused("a = 300"));
        // A regression: the message named a Rust type, `expected u8`.
        assert!(refused("a = \"3\"").ends_with("string \"3\", expected a whole number"));
        assert!(refused("").starts_with("line 1, column 1: missing field `a`"));
        let long = refused(&format!("{} = 1", "x".repeat(100_000)));
        assert!(long.chars().count() < 300, "{long}");
    }
}
