//! Reads files whose records all have the same size.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::{DataError, Entries, Rejection, Result};

type Parse<T, const BYTES: usize> = Box<dyn Fn(&[u8; BYTES]) -> Result<T, String>>;

pub(super) struct FixedRecords<T, const BYTES: usize> {
    path: PathBuf,
    /// The file, which is initially at the end of the header.
    file: BufReader<File>,
    header_bytes: u64,
    records: u64,
    /// The number of records that were already read.
    number: u64,
    parse: Parse<T, BYTES>,
}

impl<T, const BYTES: usize> FixedRecords<T, BYTES> {
    pub(super) fn new(
        path: &Path,
        file: BufReader<File>,
        [header_bytes, records]: [u64; 2],
        parse: impl Fn(&[u8; BYTES]) -> Result<T, String> + 'static,
    ) -> Self {
        let (path, parse) = (path.to_owned(), Box::new(parse));
        Self { path, file, header_bytes, records, number: 0, parse }
    }
}

impl<T, const BYTES: usize> Iterator for FixedRecords<T, BYTES> {
    type Item = Result<Result<T, Rejection>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.number == self.records {
            return None;
        }
        self.number += 1;
        let mut record = [0; BYTES];
        if let Err(error) = self.file.read_exact(&mut record) {
            self.number = self.records;
            return Some(Err(DataError::io(&self.path, "read it")(error)));
        }
        Some(Ok((self.parse)(&record).map_err(|reason| {
            let place = self.place();
            Rejection { path: self.path.clone(), place, reason }
        })))
    }
}

impl<T, const BYTES: usize> Entries<T> for FixedRecords<T, BYTES> {
    fn bytes_read(&self) -> u64 {
        self.header_bytes + self.number * BYTES as u64
    }

    fn place(&self) -> String {
        format!("record {}", self.number)
    }
}
