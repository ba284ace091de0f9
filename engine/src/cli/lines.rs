//! Text files read line by line, each line parsed on its own.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, bail};

use crate::file::FileError;

/// No line of a sensible file is longer: a file without line ends must not fill the memory.
const MAX_LINE_BYTES: u64 = 1 << 16;

/// The lines of a text file; blank ones are skipped. An error names the file and the line.
pub struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    bytes: u64,
    bytes_read: u64,
}

impl Lines {
    /// Opens a file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let failed = |source| FileError::Io { path: path.to_owned(), action: "open it", source };
        let file = File::open(path).map_err(failed)?;
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

    /// The next line that is not blank; `None` at the end of the file.
    pub fn next_line<T>(&mut self) -> anyhow::Result<Option<T>>
    where
        T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
    {
        loop {
            self.line.clear();
            let mut limited = (&mut self.reader).take(MAX_LINE_BYTES);
            let bytes = limited.read_until(b'\n', &mut self.line);
            self.number += 1;
            let bytes = bytes.with_context(|| self.place())? as u64;
            self.bytes_read += bytes;
            match bytes {
                0 => return Ok(None),
                MAX_LINE_BYTES => bail!("{}: longer than {MAX_LINE_BYTES} bytes", self.place()),
                _ => {}
            }
            let text = str::from_utf8(&self.line).with_context(|| self.place())?.trim_ascii();
            if !text.is_empty() {
                return text.parse().map(Some).with_context(|| self.place());
            }
        }
    }

    /// Up to `count` lines; an empty vector at the end of the file.
    pub fn next_lines<T>(&mut self, count: usize) -> anyhow::Result<Vec<T>>
    where
        T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
    {
        let mut lines = vec![];
        while lines.len() < count
            && let Some(line) = self.next_line()?
        {
            lines.push(line);
        }
        Ok(lines)
    }

    fn place(&self) -> String {
        format!("{}, line {}", self.path.display(), self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8]) -> anyhow::Result<Vec<u32>> {
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), content)?;
        let mut lines = Lines::open(file.path())?;
        lines.next_lines(usize::MAX)
    }

    #[test]
    fn blank_lines_are_skipped_and_a_last_line_needs_no_end() {
        assert_eq!(read(b"1\n\n  \r\n2\n3").unwrap(), [1, 2, 3]);
        assert!(read(b"").unwrap().is_empty());
    }

    #[test]
    fn a_bad_line_is_named() {
        for bad in
            [&b"1\n\nx\n"[..], b"1\n\n\xFF\n", &[b"1\n\n".to_vec(), vec![b'1'; 70_000]].concat()]
        {
            let error = format!("{:#}", read(bad).unwrap_err());
            assert!(error.contains(", line 3"), "{error}");
        }
    }
}
