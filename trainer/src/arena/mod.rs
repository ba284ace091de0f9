//! Matches of two players: paired games, and what they prove. A player is an evaluation, or another
//! program that is spoken to.

mod budget;
mod external;
mod opening;
mod openings;
mod paired;
mod pairs;
mod played;
mod process;
mod sprt;
mod statistics;

pub use budget::Budget;
pub use external::{ExternalEngine, Protocol, Terms};
pub use opening::Opening;
pub use openings::{Choice, OpeningsError};
pub use paired::{Contestant, Effort, Forfeit, Match, MatchResult};
pub use pairs::{Pair, Pentanomial};
pub use played::PlayedGame;
pub use process::Misconduct;
pub use sprt::{Decision, ErrorRate, Hypotheses, Sprt, SprtReport};
pub use statistics::{MAX_ELO, SIGNIFICANT, Statistics};
