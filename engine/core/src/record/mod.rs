//! Games and scored positions as records in the container of [`crate::file`].
//!
//! Self-play and the enumeration of openings write records; the trainer reads them. A frame of
//! records is one section; `datasets/formats.md` describes the bytes.
//!
//! ```text
//! file      header | section | section | …      | end
//! section   a frame: 256 games, or 4096 positions, compressed
//! game      5 bytes, and 1 byte a move: its index among the legal moves
//! position  20 bytes: player u64, opponent u64, label i16 in 1/256 disc,
//!           weight u16 in 1/64 occurrence
//! ```
//!
//! ```
//! use othello_core::board::transcript;
//! use othello_core::file::{Existing, Provenance};
//! use othello_core::record::{Game, GameReader, GameWriter};
//!
//! # let folder = std::env::temp_dir().join(format!("records-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let path = folder.join("one.games");
//! let game = Game::new(2, &transcript::parse("f5d6c5f4e7f6g5e6e3")?)?;
//! let begun = GameWriter::begin(&path, &Provenance::new("example"), Existing::Replace)?;
//! let mut writer = begun.writer().ok_or("the file is complete")?;
//! writer.push(game.clone())?;
//! writer.finish()?;
//!
//! let games = GameReader::open(&path)?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!((games[0].black_score(), games[0].positions()), (Some(64), 7));
//! # assert_eq!(games, [game]);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod folder;
mod frame;
mod game;
mod kind;
mod placed;
mod reader;
mod scored;
mod writer;

pub use crate::run::Shard;
pub use folder::{FolderEntry, RecordFolder, record_files};
pub use game::{Game, Solved, key_of_moves};
pub use kind::{GAMES_PER_FRAME, POSITIONS_PER_FRAME, Record};
pub use placed::{PLACED_BYTES, PlacedPosition};
pub use reader::{FramePlace, GameReader, PlacedReader, PositionReader, RecordReader};
pub use scored::{
    LABEL_STEPS_PER_DISC, Label, ROW_BYTES, ScoredPosition, WEIGHT_STEPS_PER_OCCURRENCE, Weight,
};
pub use writer::{GameWriter, PositionWriter, RecordWriter};

use std::path::PathBuf;

use crate::file::FileError;
use crate::progress::Interrupted;
use crate::run::RunError;
use crate::text::Invalid;
use crate::weights::PruningError;

/// The error for records that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum RecordError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    #[error(transparent)]
    Pruning(#[from] PruningError),
    #[error(transparent)]
    Search(Box<dyn std::error::Error + Send + Sync>),
    #[error("{}: {kind} {number}: {source}", path.display())]
    Record { path: PathBuf, kind: &'static str, number: u64, source: Invalid },
}

/// The error for bytes that cannot be decoded as a frame of records.
#[derive(Debug)]
pub struct FrameError {
    /// The index of the invalid record in its frame, from 0; `None` if the frame itself is invalid.
    index: Option<usize>,
    /// The fault of the record; if `index` is `None`, that of the frame, worded as the end of a
    /// message that begins with the frame's place, such as "has more than 65536 games".
    reason: Invalid,
}

#[cfg(test)]
mod tests {
    mod games;
    mod positions;
}
