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
use std::io::{BufReader, Read as _};
use std::path::Path;

use othello_engine::board::transcript::{Form, Replay};
use othello_engine::board::{Discs, Position};
use othello_engine::eval::PruningError;
use othello_engine::file::{FileError, open_ordinary};
use othello_engine::progress::Interrupted;
use othello_engine::record::{Game, Label, RecordError, ScoredPosition, Weight};
use othello_engine::run::RunError;
use othello_engine::search::TableError;
use othello_engine::text::{Invalid, Lines};

use crate::memory::MemoryError;
pub(crate) use labels::ADD_VALUES;
pub use labels::{LabelRule, LabelRules, LabelSource, Labelled, Lambda, Origin, Plies};

/// A result of reading data; its error type is [`DataError`] by default.
pub type Result<T, E = DataError> = std::result::Result<T, E>;

/// Errors of reading games and positions, of datasets, and of measurements and calibrations.
#[derive(Debug, thiserror::Error, derive_more::From)]
#[allow(missing_docs)]
pub enum DataError {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error("{0}")]
    NoPosition(String),
    #[error(transparent)]
    #[from(FileError, Interrupted, PruningError, RunError)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error("{0} for the search of each thread; run fewer --threads")]
    Table(#[from] TableError),
}

impl DataError {
    fn not(path: &Path, expected: &str, reason: impl Display) -> Self {
        Invalid(format!("{}: not {expected}: {reason}", path.display())).into()
    }
}

/// A reader of another program's file. It can go on after a refused record, but not after an error.
pub struct Entries<T> {
    read: Box<Read<T>>,
    /// The place of the record that was read last.
    pub at: Place,
}

type Read<T> = dyn FnMut(&mut Place) -> Result<Option<Result<T, String>>>;

/// The place of a record in its file, displayed as text such as `line 7`.
#[derive(Default, derive_more::Display)]
#[display("{unit} {number}{details}")]
pub struct Place {
    unit: &'static str,
    number: u64,
    details: String,
    /// The number of bytes read so far, to show progress.
    pub bytes_read: u64,
    /// The notation of the record; `None` if the format has only one.
    pub form: Option<Form>,
}

impl<T: 'static> Entries<T> {
    /// Creates a reader. `read` returns the next record, and sets its argument to the record's
    /// place.
    fn new(
        unit: &'static str,
        read: impl FnMut(&mut Place) -> Result<Option<Result<T, String>>> + 'static,
    ) -> Self {
        Self { read: Box::new(read), at: Place { unit, ..Place::default() } }
    }

    /// Returns the next record, or the reason why it is refused; `None` at the end of the file.
    pub fn next_entry(&mut self) -> Result<Option<Result<T, String>>> {
        (self.read)(&mut self.at)
    }

    fn of_lines(path: &Path, parse: fn(&str) -> Result<(T, Form), String>) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        Ok(Self::new("line", move |at| {
            let read = lines.next_by(parse)?;
            (at.number, at.bytes_read) = (lines.number(), lines.source().bytes_read());
            at.form = read.as_ref().and_then(|parsed| Some(parsed.as_ref().ok()?.1));
            Ok(read.map(|parsed| parsed.map(|(record, _)| record)))
        }))
    }

    /// Creates a reader of `records` records of `BYTES` bytes each. `file` is at the first record.
    fn of_bytes<const BYTES: usize>(
        path: &Path,
        mut file: BufReader<File>,
        [header_bytes, records]: [u64; 2],
        parse: impl Fn(&[u8; BYTES]) -> Result<T, String> + 'static,
    ) -> Self {
        let path = path.to_owned();
        Self::new("record", move |at| {
            at.bytes_read = header_bytes + BYTES as u64 * records.min(at.number + 1);
            if at.number == records {
                return Ok(None);
            }
            at.number += 1;
            let mut record = [0; BYTES];
            file.read_exact(&mut record).map_err(FileError::io(&path, "read it"))?;
            Ok(Some(parse(&record)))
        })
    }
}

/// Returns the game with `result` (for black) as its stated result, but only if its moves give
/// another result. `result` may count empty squares for the winner or for neither side.
fn with_result(replay: &Replay, result: Option<Discs>) -> Result<Game, Invalid> {
    let game = Game::of_replay(0, replay)?;
    let [black, white] = replay.discs();
    let is_of_board = |result| game.black_score().is_some() && result == black - white;
    match result {
        Some(result) if !is_of_board(result) => game.with_stated(result),
        _ => Ok(game),
    }
}

fn open_measured(path: &Path) -> Result<(BufReader<File>, u64)> {
    let file = open_ordinary(path)?;
    let bytes = file.metadata().map_err(FileError::io(path, "open it"))?.len();
    Ok((BufReader::with_capacity(1 << 16, file), bytes))
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

    pub(crate) fn entries_of<T: 'static>(
        name: &str,
        bytes: &[u8],
        open: fn(&Path) -> Result<Entries<T>>,
    ) -> Result<Vec<Result<T, String>>> {
        let mut file = othello_testing::scratch::with_file(name, bytes, open)?;
        let mut entries = vec![];
        while let Some(entry) = file.next_entry()? {
            entries.push(entry.map_err(|reason| format!("{name}: {}: {reason}", file.at)));
        }
        assert_eq!(file.at.bytes_read, bytes.len() as u64);
        Ok(entries)
    }
}
