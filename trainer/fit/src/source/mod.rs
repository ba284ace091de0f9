//! The sources of positions: record files of this project ([`records::Records`]), which contain
//! games, scored positions or openings, and files of other programs ([`import`]).
//!
//! A position of a game gets its label from the first of the [`LabelRules`] that applies:
//!
//! ```
//! use othello_fit::source::LabelRules;
//!
//! // Exact scores on plies 34 to 38, else the result of the game with half the weight.
//! let rules: LabelRules = "34..38:solved, 20..60:result*0.5".parse()?;
//! assert_eq!(rules.to_string(), "34..38:solved*1,20..60:result*0.5");
//! assert!("20..60:guess".parse::<LabelRules>().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod boards;
pub mod egaroucid;
pub mod ggf;
pub mod import;
mod labels;
pub mod npz;
mod pieces;
pub mod records;
pub mod transcripts;
pub mod wthor;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use othello_engine::board::transcript::{Form, Replay};
use othello_engine::board::{Discs, Position};
use othello_engine::eval::PruningError;
use othello_engine::file::FileError;
use othello_engine::progress::Interrupted;
use othello_engine::record::{Game, Label, RecordError, ScoredPosition, Weight};
use othello_engine::run::RunError;
use othello_engine::search::TableError;
use othello_engine::text::{Invalid, Lines};

use crate::memory::MemoryError;
pub(crate) use labels::ADD_VALUES;
pub use labels::{LabelRule, LabelRules, LabelSource, Labelled, Lambda, Origin, Plies};

/// A result whose error is [`DataError`] unless another type is named.
pub type Result<T, E = DataError> = std::result::Result<T, E>;

/// Errors of reading games and positions, of datasets, and of measurements and calibrations.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum DataError {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error("{0} for the search of each thread; run fewer --threads")]
    Table(#[from] TableError),
}

macro_rules! from_record {
    ($($error:ty),*) => {
        $(impl From<$error> for DataError {
            fn from(error: $error) -> Self {
                Self::Record(error.into())
            }
        })*
    };
}

from_record!(FileError, Interrupted, PruningError, RunError);

impl DataError {
    fn not(path: &Path, expected: &str, reason: impl Display) -> Self {
        Invalid(format!("{}: not {expected}: {reason}", path.display())).into()
    }

    fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| FileError::io(path, action)(source).into()
    }
}

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

struct FixedRecords<F, const BYTES: usize> {
    path: PathBuf,
    /// The file, which is initially at the end of the header.
    file: BufReader<File>,
    header_bytes: u64,
    records: u64,
    records_read: u64,
    parse: F,
}

impl<F, const BYTES: usize> FixedRecords<F, BYTES> {
    fn new(
        path: &Path,
        file: BufReader<File>,
        [header_bytes, records]: [u64; 2],
        parse: F,
    ) -> Self {
        Self { path: path.to_owned(), file, header_bytes, records, records_read: 0, parse }
    }
}

impl<T, F, const BYTES: usize> Entries<T> for FixedRecords<F, BYTES>
where
    F: Fn(&[u8; BYTES]) -> Result<T, String>,
{
    fn next_entry(&mut self) -> Result<Option<Result<T, String>>> {
        if self.records_read == self.records {
            return Ok(None);
        }
        self.records_read += 1;
        let mut record = [0; BYTES];
        let read = self.file.read_exact(&mut record);
        read.map_err(DataError::io(&self.path, "read it"))?;
        Ok(Some((self.parse)(&record)))
    }

    fn bytes_read(&self) -> u64 {
        self.header_bytes + self.records_read * BYTES as u64
    }

    fn place(&self) -> String {
        format!("record {}", self.records_read)
    }
}

struct LineRecords<T> {
    lines: Lines,
    parse: Parse<T>,
    form: Option<Form>,
}

type Parse<T> = fn(&str) -> Result<(T, Form), String>;

impl<T> LineRecords<T> {
    fn open(path: &Path, parse: Parse<T>) -> Result<Self> {
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

/// Returns the game, with `result` as its stated result. A finished game gets none if `result` is
/// its disc difference, with or without the empty squares added to the winner's discs.
fn with_result(replay: &Replay, result: Option<Discs>) -> Result<Game, Invalid> {
    let game = Game::of_replay(0, replay)?;
    let [black, white] = replay.discs();
    let is_of_board = |result| game.black_score().is_some() && result == black - white;
    match result {
        Some(result) if !is_of_board(result) => game.with_stated(result),
        _ => Ok(game),
    }
}

fn labelled(position: Position, label: Label) -> Result<ScoredPosition, String> {
    if position.moves() != 0 {
        Ok(ScoredPosition::new(position, label, Weight::ONE))
    } else if position.pass().moves() != 0 {
        Ok(ScoredPosition::new(position.pass(), label.negated(), Weight::ONE))
    } else {
        Err("the game is over, so the position has no use in training".to_owned())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the records of a file that contains `bytes`; a refused one is an `Err` with its
    /// message.
    pub(crate) fn entries_of<T, E: Entries<T>>(
        name: &str,
        bytes: &[u8],
        open: impl FnOnce(&Path) -> Result<E, DataError>,
    ) -> Result<Vec<Result<T, String>>, DataError> {
        let mut file = othello_testing::scratch::with_file(name, bytes, open)?;
        let mut entries = vec![];
        while let Some(entry) = file.next_entry()? {
            entries.push(entry.map_err(|reason| format!("{name}: {}: {reason}", file.place())));
        }
        assert_eq!(file.bytes_read(), bytes.len() as u64);
        Ok(entries)
    }
}
