//! Reads text files with one record per line. The lines after an invalid one are still read.

use std::path::Path;

use othello_engine::board::transcript::Form;
use othello_engine::text::Lines;

use super::{Entries, Rejection, Result};

pub(super) struct Records<T> {
    lines: Lines,
    parse: Parse<T>,
    form: Option<Form>,
}

type Parse<T> = fn(&str) -> Result<(T, Form), String>;

impl<T> Records<T> {
    pub(super) fn open(path: &Path, parse: Parse<T>) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)?, parse, form: None })
    }
}

impl<T> Iterator for Records<T> {
    type Item = Result<Result<T, Rejection>>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.lines.next_by(self.parse).transpose()?;
        self.form = None;
        let parsed = match record {
            Ok(parsed) => parsed,
            Err(error) => return Some(Err(error.into())),
        };
        Some(Ok(match parsed {
            Ok((record, form)) => {
                self.form = Some(form);
                Ok(record)
            }
            Err(reason) => {
                let path = self.lines.source().path().to_owned();
                Err(Rejection { path, place: self.place(), reason })
            }
        }))
    }
}

impl<T> Entries<T> for Records<T> {
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
