//! The command line: one file per subcommand.

pub mod diff;
pub mod export;
pub mod fit;
pub mod import;
pub mod loss;
pub mod matches;
pub mod phases;
pub mod quickstart;
