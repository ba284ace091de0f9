//! Self-play: games that an evaluation plays against itself after a random beginning.

mod game;
mod many;
mod schedule;
mod shard;

pub use game::{Settings, play};
pub use many::{HASH_MEGABYTES, Played, Run, play_games};
pub use schedule::{MAX_RANDOM_PLIES, MAX_WEIGHT, Schedule, ScheduleError};
pub use shard::{Shard, ShardError};
