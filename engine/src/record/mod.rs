//! Games and scored positions as records in the container of [`crate::file`]: what self-play and
//! the opening enumeration write and the trainer reads. `datasets/formats.md` describes the bytes.

mod distinct;
mod error;
mod finished;
mod frame;
mod game;
mod games;
mod positions;
mod scored;
mod shard;

pub use distinct::DistinctGames;
pub use error::RecordError;
pub use finished::{Finished, FinishedWork};
pub use game::{Game, GameError, Outline, Solved};
pub use games::{GAMES_PER_FRAME, GameReader, GameWriter};
pub use positions::{POSITIONS_PER_FRAME, PositionReader, PositionWriter};
pub use scored::{
    LABEL_STEPS_PER_DISC, Label, ROW_BYTES, RowError, ScoredPosition, WEIGHT_STEPS_PER_OCCURRENCE,
    Weight,
};
pub use shard::{Shard, ShardError};
