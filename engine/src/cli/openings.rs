//! `othello-engine openings`: counts the unique positions of every ply.

use std::fmt;
use std::time::Instant;

use serde::Serialize;

use super::common::{Outcome, Session};
use crate::openings::{MAX_PLIES, enumerate};

/// Arguments of `openings`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The last ply: moves from the start of the game
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_PLIES)))]
    plies: u32,
}

#[derive(Serialize)]
struct Openings {
    unique: Vec<usize>,
    seconds: f64,
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ply  unique positions")?;
        for (ply, unique) in self.unique.iter().enumerate() {
            writeln!(f, "{ply:3}  {unique}")?;
        }
        write!(f, "{:.2} s", self.seconds)
    }
}

/// Enumerates and reports.
pub fn run(arguments: &Arguments, session: &Session) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let found = enumerate(arguments.plies, session.progress());
    let unique = found.iter().map(Vec::len).collect();
    session.print(&Openings { unique, seconds: begun.elapsed().as_secs_f64() })?;
    Ok(Outcome::Done)
}
