//! What `split`, `sample` and `shuffle` share: the files of games, and what was written.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use othello_engine::cli::common::Session;
use othello_engine::file::Existing;
use serde::Serialize;

use crate::records::select::Selected;
use crate::records::sequence::Inputs;

/// The games to choose from.
#[derive(clap::Args, Debug)]
pub struct Games {
    /// Files of games, taken as one in this order
    #[arg(required = true)]
    games: Vec<PathBuf>,

    /// Decides what is chosen
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,

    /// Replace an output that was made from something else
    #[arg(long)]
    force: bool,
}

impl Games {
    pub(super) fn inputs(&self, session: &Session) -> anyhow::Result<Inputs> {
        Ok(Inputs::count(&self.games, session.progress())?)
    }

    pub(super) fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

#[derive(Serialize)]
struct Written {
    path: String,
    games: u64,
    bytes: u64,
    sha256: String,
}

#[derive(Serialize)]
struct Report {
    /// Games in the inputs.
    games: u64,
    files: Vec<Written>,
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Written { path, games, bytes, sha256 } in &self.files {
            writeln!(f, "{path}: {games} games, {bytes} bytes, sha256 {sha256}")?;
        }
        write!(f, "of {} games, {:.2} s", self.games, self.seconds)
    }
}

/// Reports the files that were written.
pub(super) fn report(
    inputs: &Inputs,
    files: Vec<(PathBuf, Selected)>,
    begun: Instant,
    session: &Session,
) -> anyhow::Result<()> {
    let written = |(path, selected): (PathBuf, Selected)| Written {
        path: path.display().to_string(),
        games: selected.games,
        bytes: selected.summary.bytes,
        sha256: selected.summary.sha256,
    };
    session.print(&Report {
        games: inputs.games(),
        files: files.into_iter().map(written).collect(),
        seconds: begun.elapsed().as_secs_f64(),
    })
}
