//! Readers of other programs' files: of records that all have the same size, and of lines. Records
//! after an invalid one are still read.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use othello_engine::board::transcript::Form;
use othello_engine::text::Lines;

use super::{DataError, Result};

/// A reader of another program's records. It goes on after refused records, not after errors.
pub trait Entries<T> {
    /// Returns the next record, or the reason why it is refused; `None` at the end of the file.
    fn next_entry(&mut self) -> Result<Option<Result<T, String>>>;

    /// Returns the number of bytes read, to show progress.
    fn bytes_read(&self) -> u64;

    /// Returns the place of the record that was read last, such as `line 7`.
    fn place(&self) -> String;

    /// Returns the notation of the record that was read last; `None` if the format has only one.
    fn form(&self) -> Option<Form> {
        None
    }
}

pub(super) struct FixedRecords<F, const BYTES: usize> {
    path: PathBuf,
    /// The file, which is initially at the end of the header.
    file: BufReader<File>,
    header_bytes: u64,
    records: u64,
    /// The number of records that were already read.
    number: u64,
    parse: F,
}

impl<F, const BYTES: usize> FixedRecords<F, BYTES> {
    pub(super) fn new(
        path: &Path,
        file: BufReader<File>,
        [header_bytes, records]: [u64; 2],
        parse: F,
    ) -> Self {
        Self { path: path.to_owned(), file, header_bytes, records, number: 0, parse }
    }
}

impl<T, F, const BYTES: usize> Entries<T> for FixedRecords<F, BYTES>
where
    F: Fn(&[u8; BYTES]) -> Result<T, String>,
{
    fn next_entry(&mut self) -> Result<Option<Result<T, String>>> {
        if self.number == self.records {
            return Ok(None);
        }
        self.number += 1;
        let mut record = [0; BYTES];
        let read = self.file.read_exact(&mut record);
        read.map_err(DataError::io(&self.path, "read it"))?;
        Ok(Some((self.parse)(&record)))
    }

    fn bytes_read(&self) -> u64 {
        self.header_bytes + self.number * BYTES as u64
    }

    fn place(&self) -> String {
        format!("record {}", self.number)
    }
}

pub(super) struct LineRecords<T> {
    lines: Lines,
    parse: Parse<T>,
    form: Option<Form>,
}

type Parse<T> = fn(&str) -> Result<(T, Form), String>;

impl<T> LineRecords<T> {
    pub(super) fn open(path: &Path, parse: Parse<T>) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)?, parse, form: None })
    }
}

impl<T> Entries<T> for LineRecords<T> {
    fn next_entry(&mut self) -> Result<Option<Result<T, String>>> {
        let read = self.lines.next_by(self.parse)?;
        self.form = read.as_ref().and_then(|parsed| Some(parsed.as_ref().ok()?.1));
        Ok(read.map(|parsed| parsed.map(|(record, _)| record)))
    }

    fn bytes_read(&self) -> u64 {
        self.lines.source().bytes_read()
    }

    fn place(&self) -> String {
        format!("line {}", self.lines.number())
    }

    fn form(&self) -> Option<Form> {
        self.form
    }
}
