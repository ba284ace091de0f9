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
mod entries;
pub mod ggf;
pub mod import;
mod labels;
pub mod npz;
mod pieces;
pub mod records;
pub mod transcripts;
pub mod wthor;

use std::fmt::Display;
use std::io;
use std::path::Path;

use othello_engine::board::transcript::Replay;
use othello_engine::board::{Discs, Position};
use othello_engine::eval::PruningError;
use othello_engine::file::FileError;
use othello_engine::progress::Interrupted;
use othello_engine::record::{Game, Label, RecordError, ScoredPosition, Weight};
use othello_engine::run::RunError;
use othello_engine::search::TableError;
use othello_engine::text::Invalid;

use crate::memory::MemoryError;
pub use entries::Entries;
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

/// Converts errors of types that `RecordError` can contain to `DataError::Record`.
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
    /// Returns the error for a file that is not `expected`, such as "a WTHOR file of games".
    fn not(path: &Path, expected: &str, reason: impl Display) -> Self {
        Invalid(format!("{}: not {expected}: {reason}", path.display())).into()
    }

    fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| FileError::io(path, action)(source).into()
    }
}

/// Returns the records of a file that contains `bytes`; a refused one is an `Err` with its message.
#[cfg(test)]
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

/// Returns the game of a replay. Stores `result` as the stated result, unless the game is finished
/// and `result` is its score (where the winner gets the empty squares) or the difference of discs
/// on the final board.
fn with_result(replay: &Replay, result: Option<Discs>) -> Result<Game, Invalid> {
    let game = Game::of_replay(0, replay)?;
    let [black, white] = replay.discs();
    let is_of_board = |result| game.black_score().is_some() && result == black - white;
    match result {
        Some(result) if !is_of_board(result) => game.with_stated(result),
        _ => Ok(game),
    }
}

/// Returns a labelled position. If the side to move must pass, passes and negates the label.
fn labelled(position: Position, label: Label) -> Result<ScoredPosition, String> {
    if position.moves() != 0 {
        Ok(ScoredPosition::new(position, label, Weight::ONE))
    } else if position.pass().moves() != 0 {
        Ok(ScoredPosition::new(position.pass(), label.negated(), Weight::ONE))
    } else {
        Err("the game is over, so the position has no use in training".to_owned())
    }
}
