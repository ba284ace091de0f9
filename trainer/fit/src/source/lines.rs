//! Reads text files with one record per line. The lines after an invalid one are still read.

use std::path::Path;

use othello_engine::text::{BadLine, Lines};

use super::{Entries, Rejection, SourceError};

pub(super) struct Records<T> {
    lines: Lines,
    parse: fn(&str) -> Result<T, String>,
}

impl<T> Records<T> {
    pub(super) fn open(
        path: &Path,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<Self, SourceError> {
        Ok(Self { lines: Lines::open(path)?, parse })
    }
}

impl<T> Iterator for Records<T> {
    type Item = Result<Result<T, Rejection>, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.lines.next_by(self.parse).transpose()?;
        Some(record.map(|parsed| parsed.map_err(Rejection::from)).map_err(SourceError::from))
    }
}

impl<T> Entries<T> for Records<T> {
    fn bytes_read(&self) -> u64 {
        self.lines.source().bytes_read()
    }
}

impl From<BadLine> for Rejection {
    fn from(BadLine { path, number, reason }: BadLine) -> Self {
        Self { path, place: format!("line {number}"), reason }
    }
}
