//! The steps by which weights were made, as text.

use std::fmt;

use serde_json::{Map, Value as Json};

use crate::text::{excerpt, quoted_reason};

/// The greatest number of an object's fields that are printed.
const MOST_FIELDS: usize = 64;

/// The greatest number of entries of a list that are printed. Of a longer list, only the number of
/// entries is printed.
const SHOWN: usize = 3;

/// The provenance of weights, written as text: the last step first, then the step that made its
/// initial weights, and so on.
pub(super) struct History<'a>(pub(super) &'a Map<String, Json>);

impl<'a> fmt::Display for History<'a> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let earlier = |step: &&'a Map<String, Json>| step.get("weights_provenance")?.as_object();
        for (number, step) in std::iter::successors(Some(self.0), earlier).enumerate() {
            let heading = if number == 0 { "made by" } else { "before that" };
            writeln!(f, "{heading:12} {}", text(step.get("command").unwrap_or(&Json::Null)))?;
            let told = |key: &str| key == "command" || key == "weights_provenance";
            for (key, value) in step.iter().filter(|(key, _)| !told(key)) {
                writeln!(f, "             {}: {}", excerpt(key), text(value))?;
            }
        }
        Ok(())
    }
}

/// Writes a value in one line, without control characters. For long lists and texts, writes only
/// the length.
fn text(value: &Json) -> String {
    match value {
        Json::Array(list) if list.is_empty() => "none".to_owned(),
        Json::Array(list) if list.len() > SHOWN => format!("{} of them", list.len()),
        Json::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Json::Object(map) => {
            let fields = map.iter().map(|(key, value)| format!("{} {}", excerpt(key), text(value)));
            quoted_reason(&fields.take(MOST_FIELDS).collect::<Vec<_>>().join(", "))
        }
        Json::String(words) if words.contains('\n') => format!("{} lines", words.lines().count()),
        Json::String(words) => quoted_reason(words),
        Json::Null => "none".to_owned(),
        Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_told_from_the_last_to_the_first_a_value_a_line() {
        let fit = json!({"command": "fit", "data": [1, 2, 3, 4], "initial": null, "patterns": "a\nb\n",
            "settings": {"adam": {"epochs": 3}, "ridge": 0.5}});
        let last = json!({"command": "quantize", "label_error": 5.0, "weights": "0a\u{1b}", "weights_provenance": fit});
        let told = "\
made by      quantize
             label_error: 5.0
             weights: 0a\\u{1b}
before that  fit
             data: 4 of them
             initial: none
             patterns: 2 lines
             settings: adam epochs 3, ridge 0.5
";
        assert_eq!(History(last.as_object().unwrap()).to_string(), told);
    }
}
