//! Games and scored positions as records, in files of the container format of [`crate::file`].
//!
//! Self-play and the enumeration of openings write records; the trainer reads them. Each section of
//! a file contains one frame of records; `datasets/formats.md` describes the bytes.
//!
//! ```text
//! file      header | section | section | …      | end
//! section   a frame: 256 games, or 4096 positions, compressed
//! game      5 bytes, and 1 byte a move: its index among the legal moves
//! position  20 bytes: player u64, opponent u64, label i16 in 1/256 disc,
//!           weight u16 in 1/64 (64 for a position that counts once)
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
mod placed;
mod reader;
mod scored;
mod writer;

pub use crate::run::Shard;
pub use folder::{FolderEntry, RecordFolder, record_files};
pub use game::{Game, Solved, key_of_moves};
pub use placed::{PLACED_BYTES, PlacedPosition};
pub use reader::{FramePlace, GameReader, PlacedReader, PositionReader, RecordReader};
pub use scored::{
    LABEL_STEPS_PER_DISC, Label, ROW_BYTES, ScoredPosition, WEIGHT_STEPS_PER_OCCURRENCE, Weight,
};
pub use writer::{GameWriter, PositionWriter, RecordWriter};

use std::path::PathBuf;

use crate::file::{FileError, Kind, Section};
use crate::progress::Interrupted;
use crate::run::RunError;
use crate::text::Invalid;
use crate::weights::PruningError;

/// The number of games in a frame (a section of a file of games); the last frame may have fewer.
pub const GAMES_PER_FRAME: usize = 256;

/// A type of record: a game or a scored position. Each section of a file is a frame of records.
pub trait Record: Clone + Ord + Send + Sync {
    /// The word for one record in messages, such as `game`.
    const NAME: &str;
    /// The plural of [`Self::NAME`]. It is also the name of the file sections that contain records.
    const PLURAL: &str;
    /// The number of records in a frame; the last frame may have fewer.
    const PER_FRAME: usize;
    /// The kinds of files that contain records of this type, the usual kind first.
    const KINDS: &[Kind];

    /// Encodes records as one frame: the content of a section, before the file compresses it.
    fn encode_frame(records: &[Self]) -> Vec<u8>;

    /// Encodes `records` as one frame and returns it as a section of a file.
    fn section(records: &[Self]) -> Section {
        Section { name: Self::PLURAL.to_owned(), content: Self::encode_frame(records) }
    }

    /// Decodes the records of a frame and checks each record.
    fn decode_frame(bytes: &[u8]) -> Result<Vec<Self>, FrameError>;

    /// Returns the number of records in a frame without decoding them.
    fn count_in_frame(bytes: &[u8]) -> Result<u64, FrameError>;
}

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
    /// The fault of the record; or of the frame, as a predicate such as `has 9 bytes`.
    reason: Invalid,
}

impl FrameError {
    fn of_frame(reason: impl Into<String>) -> Self {
        Self { index: None, reason: Invalid(reason.into()) }
    }

    fn of_record(index: usize) -> impl Fn(Invalid) -> Self {
        move |reason| Self { index: Some(index), reason }
    }
}

#[cfg(test)]
mod tests {
    mod games;
    mod positions;
}
