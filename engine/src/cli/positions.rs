//! The positions of an argument: in a file, on standard input, or in the argument itself.

use std::convert::Infallible;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::board::StatedPosition;
use crate::file::FileError;
use crate::text::{Lines, TextSource};

/// The content that an empty input lacks, as the error message names it.
pub(super) const POSITION: &str = "a position";

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Positions {
    /// The argument is a position itself.
    Stated(String),
    /// The argument is `-`: standard input, one position a line.
    StandardInput,
    /// Any other argument is the path of a file, one position a line.
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
    /// Reads all positions. A source without a position is an error.
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
