use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use super::{TextSource, bad_line, decode};
use crate::file::{FileError, Result};

/// The greatest length of a line in bytes, so that a file without line ends cannot fill the memory.
pub const MAX_LINE_BYTES: u64 = 4096;

/// A reader of the records of a text file, which may be compressed by zstd. A record is a line, or
/// the lines of a game with PGN tags or numbered moves. Skips blank lines, comments (lines that
/// begin with `%`) and the column names in the first line of a table.
pub struct Lines {
    source: TextSource,
    record: Vec<u8>,
    number: u64,
    /// The line after the current record, with its line number, if it was already read.
    ahead: Option<(u64, Vec<u8>)>,
}

impl From<TextSource> for Lines {
    fn from(source: TextSource) -> Self {
        Self { source, record: vec![], number: 0, ahead: None }
    }
}

impl Lines {
    /// Opens a text file, compressed or not.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(TextSource::open(path)?.into())
    }

    /// Returns the text file that is read, with its size and the number of bytes already read.
    pub fn source(&self) -> &TextSource {
        &self.source
    }

    /// Returns the line number, counted from 1, at which the last record that was read begins.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Parses the next record with the function `parse`; `None` at the end of the file. If the
    /// record is invalid, the inner error is the message of `parse`.
    pub fn next_by<T, E: Display>(
        &mut self,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<Result<T, String>>> {
        if !self.read_record()? {
            return Ok(None);
        }
        let parsed = match self.record.len() as u64 > MAX_LINE_BYTES {
            true => Err(format!("longer than {MAX_LINE_BYTES} bytes")),
            false => parse(&decode(&self.record)).map_err(|error| error.to_string()),
        };
        Ok(Some(parsed))
    }

    /// Parses the next record; `None` at the end of the file.
    pub fn next_line<T: FromStr<Err: Display>>(&mut self) -> Result<Option<T>> {
        let parsed = self.next_by(T::from_str)?.transpose();
        parsed.map_err(|reason| bad_line(self.source.path(), self.number, &reason))
    }

    /// Parses up to `count` records; returns an empty vector at the end of the file.
    pub fn next_lines<T: FromStr<Err: Display>>(&mut self, count: usize) -> Result<Vec<T>> {
        std::iter::from_fn(|| self.next_line().transpose()).take(count).collect()
    }

    /// Parses all remaining records. If none remains, the error says that `record`, such as
    /// `a position`, is missing.
    pub fn all<T: FromStr<Err: Display>>(&mut self, record: &str) -> Result<Vec<T>> {
        let all = self.next_lines(usize::MAX)?;
        if all.is_empty() { Err(self.ended_without(record)) } else { Ok(all) }
    }

    /// Returns the error for a file in which `record`, such as `a position`, is missing.
    pub fn ended_without(&self, record: &str) -> FileError {
        let expected = "expected boards, OBF or transcripts, one a line";
        let reason = format!("the input ends without {record}; {expected}");
        bad_line(self.source.path(), self.source.line(), &reason)
    }

    /// Reads the next record into `self.record`, cut if too long. Returns false at the file's end.
    fn read_record(&mut self) -> Result<bool> {
        loop {
            self.record.clear();
            if let Some(ahead) = self.ahead.take() {
                (self.number, self.record) = ahead;
            } else {
                let (read, number) = read_line(&mut self.source, &mut self.record)?;
                if !read {
                    return Ok(false);
                }
                self.number = number;
            }
            let line = self.record.trim_ascii();
            if !(line.is_empty() || self.number == 1 && is_table_head(line)) {
                break;
            }
        }
        let mut goes_on = is_pgn_tag(&self.record) || move_number(&self.record) == Some(1);
        while goes_on && self.record.len() as u64 <= MAX_LINE_BYTES {
            let mut line = vec![];
            let (read, number) = read_line(&mut self.source, &mut line)?;
            goes_on = read && continues(&self.record, &line);
            if goes_on {
                self.record.push(b'\n');
                self.record.append(&mut line);
            } else if read {
                self.ahead = Some((number, line));
            }
        }
        Ok(true)
    }
}

/// Reads a line, and clears it if it is a comment. Returns (is there a line, its line number).
fn read_line(source: &mut TextSource, line: &mut Vec<u8>) -> Result<(bool, u64)> {
    let number = source.line();
    let read = source.read_until(b'\n', MAX_LINE_BYTES, line)? > 0;
    if line.trim_ascii_start().first() == Some(&b'%') {
        line.clear();
    }
    line.truncate(line.trim_ascii_end().len());
    Ok((read, number))
}

/// Returns true if `line` continues the game with the lines `game`: if the last line of `game` is a
/// PGN tag, or if `game` has move number 1 and `line` has later moves or a result.
fn continues(game: &[u8], line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let last = game.rsplit(|&byte| byte == b'\n').find(|line| !line.is_empty()).unwrap_or(game);
    if is_pgn_tag(last) {
        return true;
    }
    let mut lines = game.split(|&byte| byte == b'\n');
    let is_numbered = lines.any(|line| move_number(line) == Some(1));
    let goes_on = match (move_number(line), line) {
        (Some(number), _) => number != 1,
        (None, b"1/2-1/2") => true,
        // A line that begins with several moves without blanks is the beginning of the next game.
        (None, _) if line.iter().take_while(|byte| **byte != b' ').count() > 5 => false,
        (None, [first, second, ..]) => {
            let is_result = first.is_ascii_digit() && b"-:".contains(second);
            is_result || second.is_ascii_digit() || b"-p".contains(&first.to_ascii_lowercase())
        }
        _ => line == b"*",
    };
    is_numbered && goes_on && !is_pgn_tag(line)
}

fn is_pgn_tag(line: &[u8]) -> bool {
    let tag = line.trim_ascii().strip_prefix(b"[").and_then(|tag| tag.strip_suffix(b"]"));
    tag.is_some_and(|tag| match tag.trim_ascii() {
        [first, second, ..] => first.is_ascii_alphabetic() && !second.is_ascii_digit(),
        _ => false,
    })
}

fn move_number(line: &[u8]) -> Option<u64> {
    let line = line.trim_ascii_start();
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = str::from_utf8(&line[..digits]).ok()?;
    if matches!(line.get(digits), Some(b'.' | b')')) { number.parse().ok() } else { None }
}

/// Returns true for a table's column names: two or more names, none of which begins with a square,
/// such as `a1`.
fn is_table_head(line: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        let name: Vec<u8> = name.iter().copied().filter(|byte| !b"\"' ".contains(byte)).collect();
        name.first().is_some_and(u8::is_ascii_alphabetic)
            && !matches!(name[..], [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8', ..])
            && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let names = || line.split(|byte| b",;\t|".contains(byte));
    names().count() > 1 && names().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(content: &[u8]) -> Lines {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        Lines::open(file.path()).unwrap()
    }

    #[test]
    fn blank_lines_are_skipped_and_a_last_line_needs_no_end() {
        let mut three = lines(b"1\n\n  \r\n2\n3");
        assert_eq!(three.next_lines::<u32>(usize::MAX).unwrap(), [1, 2, 3]);
        assert_eq!((three.source.bytes(), three.source.bytes_read()), (10, 10));
        assert!(lines(b"").next_lines::<u32>(usize::MAX).unwrap().is_empty());
    }

    #[test]
    fn a_bad_line_is_named_and_the_others_are_read() {
        let long = vec![b'1'; 70_000];
        for bad in [&b"1\n\nx\n2"[..], b"1\n\n\xFF\n2", &[b"1\n\n", &long[..], b"\n2"].concat()] {
            let mut lines = lines(bad);
            assert_eq!(lines.next_line::<u32>().unwrap(), Some(1));
            let error = lines.next_line::<u32>().unwrap_err().to_string();
            assert!(error.contains(": line 3: "), "{error}");
            assert_eq!(lines.next_line::<u32>().unwrap(), Some(2));
            assert_eq!(lines.source.bytes_read(), bad.len() as u64);
        }
    }

    #[test]
    fn a_packed_file_is_read_as_what_it_was() {
        let text: String = (0..100_000).map(|number| format!("{number}\n")).collect();
        let (half, packed) =
            (text.len() / 2, |text: &str| zstd::bulk::compress(text.as_bytes(), 3));
        // The file has two zstd frames one after the other, as `cat` makes them.
        let frames = [&text[..half], &text[half..]].map(|part| packed(part).unwrap()).concat();
        let mut unpacked = lines(&frames);
        assert_eq!(unpacked.source.bytes(), frames.len() as u64);
        let numbers = unpacked.next_lines::<u32>(usize::MAX).unwrap();
        assert!(numbers.into_iter().eq(0..100_000));
        assert_eq!(unpacked.source.bytes_read(), frames.len() as u64);

        let error = lines(&frames[..frames.len() / 2]).next_lines::<u32>(usize::MAX).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(": line ") && message.contains("cannot be unpacked"), "{message}");
    }

    #[test]
    fn a_byte_order_mark_before_the_first_line_is_passed_over() {
        let text = b"\xEF\xBB\xBF1\n2\n";
        for bytes in [text.to_vec(), zstd::bulk::compress(text, 3).unwrap()] {
            assert_eq!(lines(&bytes).next_lines::<u32>(9).unwrap(), [1, 2]);
        }
        assert!(lines(b"\xEF\xBB\xBF").next_lines::<u32>(9).unwrap().is_empty());
        // A byte-order mark at any other place is not skipped, and is not part of a number.
        let error = lines(b"1\n\xEF\xBB\xBF2\n").next_lines::<u32>(9).unwrap_err().to_string();
        assert!(error.contains(": line 2: "), "{error}");
    }

    #[test]
    fn a_small_file_that_unpacks_to_a_large_one_is_read_little_by_little() {
        let packed = zstd::bulk::compress(&b"1\n".repeat(4 << 20), 3).unwrap();
        let all = packed.len() as u64;
        let mut lines = lines(&packed);
        assert_eq!(lines.source.bytes_read(), 0);
        let mut read = vec![];
        while !lines.next_lines::<u32>(1 << 20).unwrap().is_empty() {
            read.push(lines.source.bytes_read());
        }
        let quarters = [1, 2, 3, 4].map(|quarter| all * quarter / 4);
        for (read, expected) in read.iter().zip(quarters) {
            assert!(read.abs_diff(expected) < all / 10, "{read} of {all}, not {expected}");
        }
        assert_eq!(read.last(), Some(&all));
    }

    #[test]
    fn a_line_of_the_largest_size_is_read() {
        let largest = "0".repeat(MAX_LINE_BYTES as usize);
        assert_eq!(lines(largest.as_bytes()).next_line::<u32>().unwrap(), Some(0));
        assert_eq!(lines(format!("{largest}\n1").as_bytes()).next_lines::<u32>(9).unwrap(), [0, 1]);
        assert!(lines(format!("{largest}0\n").as_bytes()).next_line::<u32>().is_err());
    }

    #[test]
    fn games_of_several_lines_are_records_and_comments_and_table_heads_are_not() {
        for (text, expected) in [
            ("% a\n1\n  % b\n2", &["1", "2"][..]),
            ("id,game_moves\n1,f5\nid,game_moves", &["1,f5", "id,game_moves"]),
            ("\"player1\"; 'game moves'\n1;f5", &["1;f5"]),
            ("Ann,f5\nf5,Ann", &["Ann,f5", "f5,Ann"]),
            ("[ Event \"?\" ]\n[\tWhite \"?\"]\nf5d6", &["[ Event \"?\" ]\n[\tWhite \"?\"]\nf5d6"]),
            (
                "[Event \"?\"]\n[Result \"*\"]\n\n1. e6\nf6 2. f5\n56-8\n\n[Event \"?\"]\n1. f5\n*",
                &[
                    "[Event \"?\"]\n[Result \"*\"]\n\n1. e6\nf6 2. f5\n56-8",
                    "[Event \"?\"]\n1. f5\n*",
                ],
            ),
            (
                "1. f5 d6\n2. c3 d3\n1. f5 f6\nf4\n\nf5d6",
                &["1. f5 d6\n2. c3 d3", "1. f5 f6\nf4", "f5d6"],
            ),
            ("1. f5 d6 2. c3\nf5d6c5f4", &["1. f5 d6 2. c3", "f5d6c5f4"]),
            ("1. f5 d6\n1/2-1/2\nf5d6c5", &["1. f5 d6\n1/2-1/2", "f5d6c5"]),
            (
                "1) f5 d6\n2) c3\n8-56\n[f5, d6]\n[f5]",
                &["1) f5 d6\n2) c3\n8-56", "[f5, d6]", "[f5]"],
            ),
            ("f5d6\nf5f6\n1 f5\n2 d6", &["f5d6", "f5f6", "1 f5", "2 d6"]),
        ] {
            let read = lines(text.as_bytes()).next_lines::<String>(99).unwrap();
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn other_text_than_utf_8_is_read_as_iso_8859_1() {
        assert_eq!(lines(b"\xE4\xE9").next_line::<String>().unwrap().unwrap(), "\u{E4}\u{E9}");
    }
}
