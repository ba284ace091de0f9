//! Our own files of records, distinguished by their kind.

use std::path::Path;

use othello_engine::file::{self, Kind};
use othello_engine::record::{Game, GameReader, PositionReader, RecordError};

use othello_engine::progress::Progress;
use rayon::prelude::*;

use super::{LabelRules, Labelled, SourceError};

/// An opened file of records.
pub enum Records {
    /// Games, whose positions get labels by [`super::LabelRules`].
    Games(GameReader),
    /// Positions or openings, which have their labels.
    Positions(PositionReader),
}

impl Records {
    /// Opens a file of games, positions or openings.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        Ok(match file::kind_of(path)? {
            Kind::Positions | Kind::Openings => Self::Positions(PositionReader::open(path)?),
            // Files of other kinds are refused by the reader, by name.
            _ => Self::Games(GameReader::open(path)?),
        })
    }

    /// Returns the size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Games(reader) => reader.bytes(),
            Self::Positions(reader) => reader.bytes(),
        }
    }

    /// Returns the labelled positions of the next frame, game by game; a position outside games
    /// counts as a game. `None` at the end of the file.
    pub fn next_games(
        &mut self,
        rules: &LabelRules,
    ) -> Result<Option<Vec<Vec<Labelled>>>, RecordError> {
        Ok(match self {
            Self::Positions(reader) => {
                let alone = |row| vec![Labelled { row, rule: None }];
                reader.next_frame()?.map(|rows| rows.into_iter().map(alone).collect())
            }
            Self::Games(reader) => {
                let label = |game: &Game| rules.labelled(game, 1.0);
                reader.next_frame()?.map(|games| games.par_iter().map(label).collect())
            }
        })
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        match self {
            Self::Games(reader) => reader.bytes_read(),
            Self::Positions(reader) => reader.bytes_read(),
        }
    }

    /// Returns the checksum of the content, once all of it has been read.
    pub fn sha256(&self) -> Option<&str> {
        match self {
            Self::Games(reader) => reader.sha256(),
            Self::Positions(reader) => reader.sha256(),
        }
    }
}

/// Passes the labelled positions of a file to `visit`, frame by frame and within a frame game by
/// game; a position outside games counts as a game. Returns the checksum of the file's content.
pub fn read_games(
    path: &Path,
    rules: &LabelRules,
    progress: &dyn Progress,
    mut visit: impl FnMut(Vec<Vec<Labelled>>),
) -> Result<String, SourceError> {
    let mut records = Records::open(path)?;
    progress.begin_file(path, records.bytes());
    let mut read = 0;
    while let Some(games) = records.next_games(rules)? {
        visit(games);
        progress.advance(records.bytes_read() - read);
        read = records.bytes_read();
    }
    Ok(records.sha256().unwrap_or_default().to_owned())
}
