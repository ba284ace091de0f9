//! Self-play: games that one evaluation plays against itself, or two against each other.

mod beginning;
mod exploration;
mod game;
mod many;
mod openings;
mod perfect;
mod schedule;
mod settings;

pub use beginning::{Beginnings, MAX_DISTINCT_PLIES};
pub use exploration::Exploration;
pub use game::{Players, play, play_together};
pub use many::{HASH_MEGABYTES, Played, Run, pack, play_games};
pub use openings::{Opening, Openings, OpeningsChoice};
pub use perfect::PerfectFrom;
pub use schedule::{MAX_RANDOM_PLIES, MAX_WEIGHT, Schedule};
pub use settings::{PerSide, Settings, SideSettings};
