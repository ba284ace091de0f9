//! Matches of two players: paired games, and what they prove. A player is an evaluation, or another
//! program that is spoken to.

mod external;
mod opening;
mod openings;
mod paired;
mod process;
mod statistics;

pub use external::{ExternalEngine, Protocol, Terms};
pub use opening::Opening;
pub use openings::{Choice, OpeningsError};
pub use paired::{Contestant, Effort, Forfeit, Match, MatchResult};
pub use process::Misconduct;
pub use statistics::{MAX_ELO, Pair, SIGNIFICANT, Statistics};
