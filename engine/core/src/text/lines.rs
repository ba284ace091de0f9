//! Text files with one record a line, each parsed on its own.

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use super::{BadLine, TextError, TextSource};

/// The greatest length of a line in bytes, so that a file without line ends cannot fill the memory.
pub const MAX_LINE_BYTES: u64 = 4096;

/// The lines of a text file, compressed by zstd or not, without blank lines.
pub struct Lines {
    source: TextSource,
    line: Vec<u8>,
    number: u64,
}

impl From<TextSource> for Lines {
    fn from(source: TextSource) -> Self {
        Self { source, line: vec![], number: 0 }
    }
}

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, TextError> {
        Ok(TextSource::open(path)?.into())
    }

    /// Returns the file, for its size and the bytes read so far.
    pub fn source(&self) -> &TextSource {
        &self.source
    }

    /// Parses the next line that is not blank by `parse`; `None` at the end of the file.
    pub fn next_by<T, E: Display>(
        &mut self,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<Result<T, BadLine>>, TextError> {
        while self.read_line()? {
            let line = self.line.trim_ascii();
            if !line.is_empty() {
                let parsed = text(line).and_then(|line| parse(line).map_err(|e| e.to_string()));
                let path = || self.source.path().to_owned();
                let bad = |reason| BadLine { path: path(), number: self.number, reason };
                return Ok(Some(parsed.map_err(bad)));
            }
        }
        Ok(None)
    }

    /// Parses the next line that is not blank; `None` at the end of the file.
    pub fn next_line<T: FromStr<Err: Display>>(&mut self) -> Result<Option<T>, TextError> {
        Ok(self.next_by(T::from_str)?.transpose()?)
    }

    /// Parses up to `count` lines; returns an empty vector at the end of the file.
    pub fn next_lines<T: FromStr<Err: Display>>(
        &mut self,
        count: usize,
    ) -> Result<Vec<T>, TextError> {
        std::iter::from_fn(|| self.next_line().transpose()).take(count).collect()
    }

    /// Reads a line, or the beginning of a long line; returns false at the end of the file.
    fn read_line(&mut self) -> Result<bool, TextError> {
        self.line.clear();
        self.number = self.source.line();
        Ok(self.source.read_until(b'\n', MAX_LINE_BYTES, &mut self.line)? > 0)
    }
}

fn text(line: &[u8]) -> Result<&str, String> {
    if line.len() as u64 > MAX_LINE_BYTES {
        return Err(format!("longer than {MAX_LINE_BYTES} bytes"));
    }
    str::from_utf8(line).map_err(|_| "is not text in UTF-8".to_owned())
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
        // Two frames one after the other, as `cat` makes them.
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

    /// A regression: a board after a byte-order mark was refused because of its third field.
    #[test]
    fn a_byte_order_mark_before_the_first_line_is_passed_over() {
        let text = b"\xEF\xBB\xBF1\n2\n";
        for bytes in [text.to_vec(), zstd::bulk::compress(text, 3).unwrap()] {
            assert_eq!(lines(&bytes).next_lines::<u32>(9).unwrap(), [1, 2]);
        }
        assert!(lines(b"\xEF\xBB\xBF").next_lines::<u32>(9).unwrap().is_empty());
        // Anywhere else, the mark is not part of a number.
        let error = lines(b"1\n\xEF\xBB\xBF2\n").next_lines::<u32>(9).unwrap_err().to_string();
        assert!(error.contains(": line 2: "), "{error}");
    }

    /// A regression: a compressed file was read at once as a whole, without progress.
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
}
