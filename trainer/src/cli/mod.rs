//! The command line: one file per subcommand.

pub mod bench;
pub mod calibrate;
pub mod compare;
pub mod curve;
pub mod device;
pub mod diff;
pub mod doctor;
pub mod export;
pub mod fit;
mod histogram;
pub mod import;
pub mod inspect;
pub mod loss;
pub mod matches;
mod max_mae;
pub mod merge;
pub mod phases;
pub mod quickstart;
pub mod relabel;
pub mod sample;
pub mod selection;
pub mod shuffle;
pub mod split;
mod study;
pub mod tune;
pub mod validate;
