//! Messages on standard error: lines, text made safe for a terminal, and counts with nouns.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write as _;

/// Prints a line to standard error. Ignores failures, such as a closed standard error.
pub(crate) fn say(line: &str) {
    let line = shortened_words(line);
    let _ = writeln!(std::io::stderr(), "{}", shortened(&harmless(&line)));
}

const MAX_WORD_CHARS: usize = 300;
const SHORTENED_WORD_CHARS: [usize; 2] = [50, 27];

pub(crate) fn quoted(argument: &str) -> Cow<'_, str> {
    escaped(shortened_word(argument), char::is_control)
}

fn shortened_words(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_WORD_CHARS {
        return text.into();
    }
    text.split_inclusive(char::is_whitespace).map(shortened_word).collect::<String>().into()
}

fn shortened_word(word: &str) -> Cow<'_, str> {
    if word.chars().nth(MAX_WORD_CHARS).is_none() {
        return word.into();
    }
    let [first, last] = SHORTENED_WORD_CHARS;
    let beginning: String = word.chars().take(first).collect();
    let end = word.char_indices().rev().nth(last - 1).map_or(0, |(at, _)| at);
    format!("{beginning} … {}", &word[end..]).into()
}

/// Escapes control characters except line breaks and tabs, because messages quote untrusted files.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    escaped(text.into(), |letter| letter.is_control() && !matches!(letter, '\n' | '\t'))
}

fn escaped(text: Cow<'_, str>, is_obeyed: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_obeyed) {
        return text;
    }
    let shown = text.chars().map(|letter| match is_obeyed(letter) {
        true => letter.escape_debug().to_string(),
        false => letter.to_string(),
    });
    shown.collect::<String>().into()
}

const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// Returns the line. If it is longer than [`MAX_MESSAGE_BYTES`], replaces its middle by `…`.
pub(crate) fn shortened(line: &str) -> Cow<'_, str> {
    if line.len() <= MAX_MESSAGE_BYTES {
        return line.into();
    }
    let beginning = &line[..line.floor_char_boundary(MAX_MESSAGE_BYTES / 2)];
    let end = &line[line.ceil_char_boundary(line.len() - MAX_MESSAGE_BYTES / 4)..];
    format!("{beginning} … {end}").into()
}

/// Returns a count with its noun: `1 shard`, `3 shards`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let end = match noun {
        _ if count == N::from(1) => "",
        _ if noun.ends_with("ch") || noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{count} {noun}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        assert_eq!(harmless("a\tb\nc é"), "a\tb\nc é");
        assert_eq!(harmless("a\u{1b}[2J\r\u{9b}b"), "a\\u{1b}[2J\\r\\u{9b}b");
    }

    #[test]
    fn a_message_that_repeats_its_input_keeps_its_beginning_and_its_remedy() {
        let line = format!("a.games: {} is too long; cut it", "é".repeat(100_000));
        let said = shortened(&line);
        assert!(said.len() < MAX_MESSAGE_BYTES, "{}", said.len());
        assert!(said.starts_with("a.games: é") && said.ends_with(" is too long; cut it"));
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn a_long_word_is_told_by_its_beginning_and_its_end() {
        let argument = format!("<{}>", "é".repeat(100_000));
        for shown in
            [quoted(&argument), shortened_words(&format!("error: {argument}: is too long"))]
        {
            assert!(shown.chars().count() < 110, "{shown}");
            assert!(shown.contains("<ééé") && shown.contains("ééé>"), "{shown}");
        }
        let path = format!("/{}", "x".repeat(MAX_WORD_CHARS - 1));
        assert_eq!(
            (quoted(&path), shortened_words(&path)),
            (path.as_str().into(), path.as_str().into())
        );
        assert_eq!(quoted("a\u{1b}[2J\nb"), "a\\u{1b}[2J\\nb");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(1_u64, "shard"), "1 shard");
        assert_eq!([counted(0_usize, "run"), counted(2_usize, "match")], ["0 runs", "2 matches"]);
    }
}
