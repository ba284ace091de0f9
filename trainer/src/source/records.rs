//! Files of records of our own, told apart by their kind.

use std::path::Path;

use othello_engine::file::{self, Kind};
use othello_engine::record::{GameReader, PositionReader};

use super::SourceError;

/// An opened file of records.
pub enum Records {
    /// Games, whose positions get labels by [`super::LabelRules`].
    Games(GameReader),
    /// Positions or openings that have their labels.
    Positions(PositionReader),
}

impl Records {
    /// Opens a file of games, positions or openings.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        Ok(match file::kind_of(path)? {
            Kind::Positions | Kind::Openings => Self::Positions(PositionReader::open(path)?),
            // A file of any other kind is refused by the reader, by name.
            _ => Self::Games(GameReader::open(path)?),
        })
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Games(reader) => reader.bytes(),
            Self::Positions(reader) => reader.bytes(),
        }
    }

    /// The checksum of the content, once all of it has been read.
    pub fn sha256(&self) -> Option<&str> {
        match self {
            Self::Games(reader) => reader.sha256(),
            Self::Positions(reader) => reader.sha256(),
        }
    }
}
