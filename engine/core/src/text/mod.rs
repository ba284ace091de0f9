//! Shared functions of all readers of text: lines, small files, TOML, and excerpts for messages.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use serde::de::DeserializeOwned;

use crate::file::{FileError, Result, beginning, escaped, refuse_shown};

pub mod as_text;
mod lines;
mod source;

pub use lines::{Lines, MAX_LINE_BYTES};
pub use source::TextSource;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Decodes bytes as UTF-8 or, if that is invalid, as ISO-8859-1: each byte is then a character.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let other = |_| Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect());
    str::from_utf8(bytes).map_or_else(other, Cow::Borrowed)
}

/// Returns at most 40 characters of a text, control characters escaped; `…` marks omitted text.
pub fn excerpt(text: &str) -> String {
    shortened(text, 40)
}

/// Returns at most 200 characters of an error message, escaped because it may quote the input.
pub fn quoted_reason(error: &impl Display) -> String {
    shortened(&error.to_string(), 200)
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => escaped(&text[..end]) + "…",
        None => escaped(text),
    }
}

/// The greatest size of a file of settings: 1 MiB.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The error for an invalid text: a message that states what was found and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

impl Invalid {
    /// Creates an error such as "`z9` is not a square; expected a1 to h8".
    pub fn not(text: &str, kind: &str, expected: &str) -> Self {
        Self(format!("`{}` is not {kind}; expected {expected}", excerpt(text)))
    }
}

fn bad_line(path: &Path, number: u64, reason: &str) -> FileError {
    FileError::refused(path, format!("line {number}: {reason}"))
}

/// Parses `A..B` or `A..=B` (both include B) or `A`; `None` if B < A or an end is outside `limits`.
pub fn parse_range<T>(text: &str, limits: &RangeInclusive<T>) -> Option<RangeInclusive<T>>
where
    T: FromStr + PartialOrd,
{
    let end = |text: &str| text.trim().parse().ok().filter(|end| limits.contains(end));
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let range = end(first)?..=end(last.strip_prefix('=').unwrap_or(last))?;
    (!range.is_empty()).then_some(range)
}

/// Reads a value from TOML text. The error states the line and the column.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, Invalid> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or(text);
        let begun = before.rsplit('\n').next().unwrap_or(before);
        let (line, column) = (before.matches('\n').count() + 1, begun.chars().count() + 1);
        let mut message = error.message().replace("expected f64", "expected a number");
        for whole in ["expected u64", "expected u32", "expected u8"] {
            message = message.replace(whole, "expected a whole number");
        }
        // This length suffices for the names of all scalar features.
        Invalid(format!("line {line}, column {column}: {}", shortened(&message, 270)))
    })
}

/// Reads a file of settings, of at most [`MAX_FILE_BYTES`] bytes, and parses its text with `parse`.
pub fn read_by<T, E: Display>(path: &Path, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T> {
    parse(&read(path)?).map_err(|error| FileError::refused(path, error.to_string()))
}

fn read(path: &Path) -> Result<String> {
    refuse_shown(path)?;
    let file = File::open(path).map_err(FileError::io(path, "open it"))?;
    let mut bytes = beginning(file, path, MAX_FILE_BYTES + 1)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let reason =
            format!("longer than {MAX_FILE_BYTES} bytes, the maximum for a file of settings");
        return Err(FileError::refused(path, reason));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let reason = format!("byte {at} does not begin a character; expected text in UTF-8");
        FileError::refused(path, reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(excerpt("a \"b\" é"), "a \"b\" é");
        assert_eq!(excerpt("\u{1b}[2J\0\r\n"), "\\u{1b}[2J\\0\\r\\n");
        assert_eq!(excerpt(&"x".repeat(1 << 20)), format!("{}…", "x".repeat(40)));
        assert_eq!(excerpt(&"x".repeat(40)), "x".repeat(40));
    }

    #[test]
    fn a_range_includes_its_end_however_it_is_written() {
        let parse = |text| parse_range::<u8>(text, &(0..=59));
        for text in ["8..24", "8..=24", " 8 .. 24 ", "8 ..= 24"] {
            assert_eq!(parse(text), Some(8..=24), "{text}");
        }
        assert_eq!(parse("36"), Some(36..=36));
        for text in ["", "..", "24..8", "0..60", "a..b", "-1..3", "3..", "..3", "1..2..3", "300"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

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
        assert!(refused("a = \"3\"").ends_with("string \"3\", expected a whole number"));
        assert!(refused("").starts_with("line 1, column 1: missing field `a`"));
        let long = refused(&format!("{} = 1", "x".repeat(100_000)));
        assert!(long.chars().count() < 300, "{long}");
    }

    #[test]
    fn a_file_is_a_text_of_at_most_a_mebibyte_without_a_byte_order_mark() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let written = |bytes: &[u8]| {
            std::fs::write(file.path(), bytes).unwrap();
            read(file.path()).map_err(|error| error.to_string())
        };
        let largest = vec![b'x'; MAX_FILE_BYTES as usize];
        assert_eq!(written(&largest).unwrap().len(), largest.len());
        assert_eq!(written(b"\xEF\xBB\xBFname = 1").unwrap(), "name = 1");
        for (bytes, expected) in [
            (&[&largest[..], b"x"].concat()[..], "longer than 1048576 bytes"),
            (b"abc\xFF", "byte 3 does not begin a character"),
            (b"\xFF\xFEn\0", "byte 0 does not begin a character"),
        ] {
            let error = written(bytes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let error = read(Path::new("/nowhere/at all")).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/at all: cannot open it: "), "{error}");
        if cfg!(target_os = "linux") {
            let error = read(Path::new("/dev/zero")).unwrap_err().to_string();
            assert!(error.contains("longer than"), "{error}");
        }
    }
}
