//! Messages on standard error: lines, texts that are safe for a terminal, and counts with their
//! nouns.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write as _;

/// Writes a line to standard error. If nobody reads it any more, the work goes on.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", shortened(&harmless(line)));
}

/// Escapes the characters of a text that act on a terminal, except line breaks and tabs. Messages
/// quote names and provenance from files, which may come from anybody.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let is_obeyed = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if !text.contains(is_obeyed) {
        return text.into();
    }
    let mut shown = String::new();
    for letter in text.chars() {
        if is_obeyed(letter) {
            shown.extend(letter.escape_debug());
        } else {
            shown.push(letter);
        }
    }
    shown.into()
}

/// The greatest length of a message in bytes, far more than any that does not repeat its input.
const MOST: usize = 8 << 10;

/// Returns a message; cuts a longer one to its beginning and its end, which has the remedy.
pub(super) fn shortened(line: &str) -> Cow<'_, str> {
    if line.len() <= MOST {
        return line.into();
    }
    let beginning = &line[..line.floor_char_boundary(MOST / 2)];
    let end = &line[line.ceil_char_boundary(line.len() - MOST / 4)..];
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
        assert!(said.len() < MOST, "{}", said.len());
        assert!(said.starts_with("a.games: é") && said.ends_with(" is too long; cut it"));
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(1_u64, "shard"), "1 shard");
        assert_eq!([counted(0_usize, "run"), counted(2_usize, "match")], ["0 runs", "2 matches"]);
    }
}
