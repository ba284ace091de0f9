//! Self-play: games of an evaluation against itself, or of two against each other, after an opening
//! that is drawn at random or taken from a list.

mod beginning;
mod exploration;
mod game;
mod many;
mod openings;
mod perfect;
mod schedule;
mod settings;
mod sides;

pub use beginning::{Beginnings, MAX_DISTINCT_PLIES};
pub use exploration::{Exploration, ExplorationError};
pub use game::{Players, play, play_together};
pub use many::{HASH_MEGABYTES, Played, Run, pack, play_games};
pub use openings::{ListedOpenings, Openings, OpeningsChoice};
pub use perfect::{PerfectFrom, PerfectFromError};
pub use schedule::{MAX_RANDOM_PLIES, MAX_WEIGHT, Schedule, ScheduleError};
pub use settings::Settings;
pub use sides::PerSide;
