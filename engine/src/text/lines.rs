//! Text files of one record a line, each parsed on its own.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::TextError;

/// No line of a sensible file is longer: a file without line ends must not fill the memory.
pub const MAX_LINE_BYTES: u64 = 4096;

/// The lines of a text file; blank ones are skipped.
pub struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    bytes: u64,
    bytes_read: u64,
}

/// A line that is not what it should be. The lines after it can still be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: line {number}: {reason}", path.display())]
pub struct BadLine {
    /// The file.
    pub path: PathBuf,
    /// Counted from 1, blank lines too.
    pub number: u64,
    /// What is wrong with it.
    pub reason: String,
}

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, TextError> {
        let file = File::open(path).map_err(|error| TextError::io(path, "open it", error))?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        let reader = BufReader::with_capacity(1 << 18, file);
        Ok(Self { path: path.into(), reader, line: vec![], number: 0, bytes, bytes_read: 0 })
    }

    /// The size of the file; 0 for a pipe.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How much of it has been read.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// The next line that is not blank, by `parse`; `None` at the end of the file.
    pub fn next_by<T, E: Display>(
        &mut self,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<Result<T, BadLine>>, TextError> {
        while self.read_line().map_err(|error| TextError::io(&self.path, "read it", error))? {
            let line = self.line.trim_ascii();
            if !line.is_empty() {
                let parsed = text(line).and_then(|line| parse(line).map_err(|e| e.to_string()));
                let bad = |reason| BadLine { path: self.path.clone(), number: self.number, reason };
                return Ok(Some(parsed.map_err(bad)));
            }
        }
        Ok(None)
    }

    /// The next line that is not blank; `None` at the end of the file.
    pub fn next_line<T: FromStr<Err: Display>>(&mut self) -> Result<Option<T>, TextError> {
        Ok(self.next_by(T::from_str)?.transpose()?)
    }

    /// Up to `count` lines; an empty vector at the end of the file.
    pub fn next_lines<T: FromStr<Err: Display>>(
        &mut self,
        count: usize,
    ) -> Result<Vec<T>, TextError> {
        let mut lines = vec![];
        while lines.len() < count
            && let Some(line) = self.next_line()?
        {
            lines.push(line);
        }
        Ok(lines)
    }

    /// Reads a line; false at the end of the file. Of one that is too long, the beginning.
    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut limited = (&mut self.reader).take(MAX_LINE_BYTES + 1);
        let mut bytes = limited.read_until(b'\n', &mut self.line)? as u64;
        if bytes > MAX_LINE_BYTES && self.line.last() != Some(&b'\n') {
            bytes += self.reader.skip_until(b'\n')? as u64;
        }
        self.bytes_read += bytes;
        self.number += 1;
        Ok(bytes > 0)
    }
}

fn text(line: &[u8]) -> Result<&str, String> {
    if line.len() as u64 > MAX_LINE_BYTES {
        return Err(format!("longer than {MAX_LINE_BYTES} bytes"));
    }
    str::from_utf8(line).map_err(|_| "is no text in UTF-8".to_owned())
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
        assert_eq!((three.bytes(), three.bytes_read()), (10, 10));
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
            assert_eq!(lines.bytes_read(), bad.len() as u64);
        }
    }

    #[test]
    fn a_line_of_the_largest_size_is_read() {
        let largest = "0".repeat(MAX_LINE_BYTES as usize);
        assert_eq!(lines(largest.as_bytes()).next_line::<u32>().unwrap(), Some(0));
        assert_eq!(lines(format!("{largest}\n1").as_bytes()).next_lines::<u32>(9).unwrap(), [0, 1]);
        assert!(lines(format!("{largest}0\n").as_bytes()).next_line::<u32>().is_err());
    }
}
