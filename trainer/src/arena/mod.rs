//! Which of two evaluations plays better: paired games, and what they prove.

mod openings;
mod paired;
mod statistics;

pub use openings::{Choice, OpeningsError};
pub use paired::{Match, MatchResult};
pub use statistics::{MAX_ELO, Pair, SIGNIFICANT, Statistics};
