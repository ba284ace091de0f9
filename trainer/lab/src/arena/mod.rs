//! Matches in pairs of games between evaluations or external programs, and their statistics.

mod external;
#[cfg(windows)]
mod job;
mod match_file;
mod match_report;
mod opening;
mod paired;
mod player;
mod process;
mod result;
mod sprt;
mod statistics;

pub use external::Terms;
pub use match_file::{Conditions, KeptMatch, MatchFile, match_stage, pack};
pub use match_report::{Finding, MatchReport};
pub use opening::{Opening, checksum, draw_openings};
pub use paired::Match;
pub use player::{Budget, Contestant, Effort};
pub use process::Misconduct;
pub use result::{Forfeit, MatchResult, PlayedGame, PlayedPair};
pub use sprt::{Decision, ErrorRate, Hypotheses, Sprt, SprtReport};
pub use statistics::{MAX_ELO, Pair, Pentanomial, SIGNIFICANT, Statistics, smallest_elo};
