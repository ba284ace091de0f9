//! Text files of one record a line. A bad line does not spoil the others.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::{Entries, Rejection, SourceError};

/// No record is longer; a file without line ends must not fill the memory.
const MAX_LINE_BYTES: u64 = 4096;

/// Parses each line that is not blank.
pub(super) struct Lines<T> {
    path: PathBuf,
    file: BufReader<File>,
    number: u64,
    bytes_read: u64,
    parse: fn(&str) -> Result<T, String>,
}

impl<T> Lines<T> {
    pub(super) fn open(
        path: &Path,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Self, SourceError> {
        let file = File::open(path).map_err(|error| SourceError::io(path, "open it", error))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::new(file),
            number: 0,
            bytes_read: 0,
            parse,
        })
    }

    /// The next line without its end, blank or not; `None` at the end of the file. What goes
    /// beyond [`MAX_LINE_BYTES`] is left out.
    fn next_line(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let mut line = vec![];
        if self.file.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.len() as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
            self.bytes_read += self.file.skip_until(b'\n')? as u64;
        }
        self.bytes_read += line.len() as u64;
        self.number += 1;
        Ok(Some(line))
    }

    fn next_that_is_not_blank(&mut self) -> Option<Result<Vec<u8>, SourceError>> {
        loop {
            match self.next_line() {
                Ok(Some(line)) if line.trim_ascii().is_empty() => {}
                Ok(line) => return line.map(Ok),
                Err(error) => return Some(Err(SourceError::io(&self.path, "read it", error))),
            }
        }
    }

    fn parse_line(&self, line: &[u8]) -> Result<T, Rejection> {
        let text = str::from_utf8(line).map_err(|_| "is no text in UTF-8".to_owned());
        let too_long = line.len() as u64 == MAX_LINE_BYTES;
        let parsed = match text {
            _ if too_long => Err(format!("{MAX_LINE_BYTES} bytes or longer")),
            Ok(text) => (self.parse)(text.trim_ascii()),
            Err(reason) => Err(reason),
        };
        let place = format!("line {}", self.number);
        parsed.map_err(|reason| Rejection { path: self.path.clone(), place, reason })
    }
}

impl<T> Iterator for Lines<T> {
    type Item = Result<Result<T, Rejection>, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_that_is_not_blank()?;
        Some(line.map(|line| self.parse_line(&line)))
    }
}

impl<T> Entries<T> for Lines<T> {
    fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    fn skip_entry(&mut self) -> Option<Result<(), SourceError>> {
        Some(self.next_that_is_not_blank()?.map(drop))
    }
}
