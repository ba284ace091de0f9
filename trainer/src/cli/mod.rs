//! The command line: one file per subcommand.

pub mod average;
pub mod bench;
pub mod benchmark;
pub mod calibrate;
pub mod compare;
pub mod curve;
pub mod dataset;
pub mod diff;
pub mod doctor;
pub mod export;
pub mod fit;
mod histogram;
pub mod import;
pub mod inspect;
pub mod leaves;
pub mod loss;
pub mod matches;
pub mod merge;
pub mod pack;
pub mod quantize;
pub mod quickstart;
pub mod relabel;
pub mod report;
pub mod sample;
pub mod selection;
pub mod shuffle;
pub mod split;
mod sprt;
pub mod tune;
pub mod validate;
mod verdict;

use othello_engine::pattern::PatternSet;

/// Returns the help of an argument that names a pattern set of a kind.
fn pattern_sets(is_wanted: impl Fn(&PatternSet) -> bool) -> String {
    format!("Pattern set: a TOML file, or {}", PatternSet::shipped_names(is_wanted))
}
