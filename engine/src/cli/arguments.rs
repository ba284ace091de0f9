//! The arguments that several subcommands share: the search flags, and positions.

use std::convert::Infallible;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::bail;
use othello_cli::arguments::number_in;

use crate::board::StatedPosition;
use crate::file::FileError;
use crate::player::SearchSpec;
use crate::search::{EndgameSchedule, Level, Selectivity};
use crate::text::{Lines, TextSource};

/// The flags that set a search. If a player is given as text with settings of its own,
/// `WEIGHTS:KEY=VALUE,...`, these settings take precedence over the flags.
#[derive(clap::Args, Clone, Debug)]
pub struct SearchArguments {
    #[arg(long, value_name = "L")]
    level: Option<Level>,
    #[arg(long, value_name = "N", value_parser = number_in(1..=u64::MAX))]
    nodes: Option<u64>,
    #[arg(long, value_name = "PERCENT")]
    selectivity: Option<Selectivity>,
    #[arg(long, value_name = "STEPS")]
    ends: Option<EndgameSchedule>,
}

impl SearchArguments {
    /// Returns these flags as search settings, together with the values of --depth and --exact.
    pub fn spec(&self, depth: Option<u32>, exact: Option<u32>) -> SearchSpec {
        let &Self { level, nodes, selectivity, ref ends } = self;
        let ends = ends.clone();
        SearchSpec { level, depth, nodes, selectivity, exact, ends, ..SearchSpec::default() }
    }
}

pub(super) fn without_clock(search: &SearchSpec) -> anyhow::Result<()> {
    let Some(ms) = search.milliseconds else { return Ok(()) };
    bail!("`ms={ms}`: a search by time differs from run to run; expected nodes or depth")
}

pub(super) const POSITION: &str = "a position";

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Positions {
    Stated(String),
    StandardInput,
    File(PathBuf),
}

impl FromStr for Positions {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "-" => Self::StandardInput,
            _ if text.parse::<StatedPosition>().is_ok() => Self::Stated(text.to_owned()),
            _ => Self::File(text.into()),
        })
    }
}

impl Positions {
    pub(super) fn all<T: FromStr<Err: Display>>(&self) -> Result<Vec<T>, FileError> {
        self.lines()?.all(POSITION)
    }

    pub(super) fn lines(&self) -> Result<Lines, FileError> {
        match self {
            Self::Stated(text) => Ok(TextSource::of_text(text)?.into()),
            Self::StandardInput => Ok(TextSource::standard_input()?.into()),
            Self::File(path) => Lines::open(path).map_err(|error| neither(path, error)),
        }
    }
}

fn neither(path: &Path, error: FileError) -> FileError {
    let text = path.to_string_lossy();
    match (fs::symlink_metadata(path), text.parse::<StatedPosition>()) {
        // An argument with a slash can only be a path, so its error does not mention positions.
        (Err(missing), Err(invalid)) if !text.contains('/') => {
            let reason = format!("neither a file nor a board or transcript: {missing}; {invalid}");
            FileError::refused(path, reason)
        }
        _ => error,
    }
}
