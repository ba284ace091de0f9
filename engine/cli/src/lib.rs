//! The parts that the command lines of `othello-engine` and `othello-trainer` share.
//!
//! A subcommand is a function that takes its arguments and a [`Session`], prints one
//! [`report::Report`] and returns an [`Outcome`]. The session starts the threads, shows progress on
//! standard error, stops at signals and turns errors into exit statuses: 0 for success, 1 if the
//! work found a fault, 2 for bad usage or input, 75 if a retry may succeed, 128 + N after signal N.
//!
//! [`arguments`] parses command lines and defines the options of every subcommand,
//! [`message`] makes text safe for a terminal, [`mod@reference`] writes reference and manual pages.
//!
//! ```no_run
//! use clap::Parser;
//! use othello_cli::{Outcome, Session, arguments, session};
//!
//! #[derive(Parser)]
//! struct Arguments {
//!     #[arg(long)]
//!     name: String,
//!     #[command(flatten)]
//!     common: arguments::Common,
//! }
//!
//! fn greet(name: &str, session: &Session) -> anyhow::Result<Outcome> {
//!     session.print(&format!("hello {name}"))
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     let status = session::main(|| {
//!         let Arguments { name, common } = arguments::parse_or_exit(std::env::args_os());
//!         session::run(&common, |session| greet(&name, session))
//!     });
//!     status.into()
//! }
//! ```

pub mod arguments;
pub mod flags;
mod interrupt;
pub mod message;
pub mod progress;
pub mod reference;
pub mod report;
pub mod session;

pub use session::{Outcome, Session};
