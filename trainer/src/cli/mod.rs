//! The command line: one file per subcommand. What all of them share is
//! [`othello_engine::cli`].

pub mod diff;
pub mod import;
