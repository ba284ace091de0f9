//! Shared functions of all readers of text: lines, small files, TOML, and excerpts for messages.

use std::borrow::Cow;

use crate::file::escaped;

pub mod as_text;
mod error;
mod lines;
mod range;
mod source;
mod toml;
mod whole;

pub use error::{Invalid, MAX_FILE_BYTES};
pub use lines::{Lines, MAX_LINE_BYTES};
pub use range::parse_range;
pub use source::TextSource;
pub use toml::from_toml;
pub use whole::read_by;

/// The UTF-8 byte order mark, with which some editors begin a file. Every reader skips it.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Decodes a text as UTF-8, or, if it is invalid, as ISO-8859-1: every byte is a character.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let other = |_| Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect());
    str::from_utf8(bytes).map_or_else(other, Cow::Borrowed)
}

const EXCERPT: usize = 40;

/// Returns at most 40 characters of a text for a message, control characters as `\u{1b}`.
pub fn excerpt(text: &str) -> String {
    shortened(text, EXCERPT)
}

/// Returns at most 200 characters of a library's message, escaped because it may quote the input.
pub fn quoted_reason(error: &impl std::fmt::Display) -> String {
    const MOST: usize = 200;
    shortened(&error.to_string(), MOST)
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => escaped(&text[..end]) + "…",
        None => escaped(text),
    }
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
}
