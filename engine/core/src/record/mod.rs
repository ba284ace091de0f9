//! Games and scored positions as records in the container of [`crate::file`]. Self-play and the
//! opening enumeration write them; the trainer reads them. `datasets/formats.md` describes the
//! bytes.

mod distinct;
mod error;
mod folder;
mod frame;
mod game;
mod kind;
mod reader;
mod scored;
#[cfg(test)]
mod tests;
mod writer;

pub use crate::run::{Shard, ShardError};
pub use distinct::{DistinctGames, key_of_moves};
pub use error::{FrameError, RecordError};
pub use folder::{FolderEntry, RecordFolder, record_files};
pub use game::{Game, GameError, Solved};
pub use kind::{GAMES_PER_FRAME, POSITIONS_PER_FRAME, Record};
pub use reader::{FramePlace, GameReader, PositionReader, RecordReader};
pub use scored::{
    LABEL_STEPS_PER_DISC, Label, ROW_BYTES, RowError, ScoredPosition, WEIGHT_STEPS_PER_OCCURRENCE,
    Weight,
};
pub use writer::{GameWriter, PositionWriter, RecordWriter};
