//! The command line: one file per subcommand.

pub mod device;
pub mod diff;
pub mod doctor;
pub mod fit;
pub mod import;
pub mod loss;
pub mod matches;
pub mod phases;
pub mod quickstart;
