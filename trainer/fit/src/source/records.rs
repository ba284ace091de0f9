//! Reads files of records, of any kind, and text files of scored boards.

use std::path::{Path, PathBuf};

use othello_engine::file::{self, FileError, Kind};
use othello_engine::progress::Progress;
use othello_engine::record::{
    FramePlace, Game, GameReader, PlacedPosition, PlacedReader, PositionReader, RecordError,
    ScoredPosition,
};
use rayon::prelude::*;

use super::boards::ScoredBoards;
use super::{LabelRules, Labelled, Result};

/// A file of games or positions that is open for reading.
pub enum Records {
    /// Games, whose positions get labels by [`LabelRules`].
    Games(GameReader),
    /// Positions or openings, which already have labels.
    Positions(PositionReader),
    /// Positions, each with its label, its game's number and its subset (such as training).
    Placed(PlacedReader),
    /// A text file whose lines are boards with scores.
    Boards(ScoredBoards),
}

/// A frame of a record file: a block of records with a checksum.
#[derive(Clone, Debug, derive_more::From, derive_more::TryInto)]
pub enum Frame {
    /// Games.
    Games(Vec<Game>),
    /// Positions or openings.
    Positions(Vec<ScoredPosition>),
    /// Positions, each with its label, game number and subset.
    Placed(Vec<PlacedPosition>),
}

impl Frame {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Games(games) => games.len(),
            Self::Positions(rows) => rows.len(),
            Self::Placed(rows) => rows.len(),
        }
    }
}

/// A range of consecutive frames (blocks of records) of a file.
#[derive(Clone, Debug, Default)]
pub struct RecordRange {
    path: PathBuf,
    /// The place of the first frame; `None` in a text file, which is read whole.
    first: Option<FramePlace>,
    frames: u64,
    /// The number of records.
    pub records: u64,
    /// The greatest possible number of positions in the records; a game has up to 60.
    pub most_positions: u64,
}

macro_rules! either {
    ($records:expr, $reader:ident => $call:expr) => {
        either!($records, $reader => $call, $reader => $call)
    };
    ($records:expr, $reader:ident => $call:expr, $boards:pat => $of_boards:expr) => {
        match $records {
            Records::Games($reader) => $call,
            Records::Positions($reader) => $call,
            Records::Placed($reader) => $call,
            Records::Boards($boards) => $of_boards,
        }
    };
}

impl Records {
    /// Opens a file of games, positions or openings, or a text of scored boards.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Ok(match file::kind_of(path) {
            Ok(Kind::Positions | Kind::Openings) => Self::Positions(PositionReader::open(path)?),
            Ok(Kind::Placed) => Self::Placed(PlacedReader::open(path)?),
            // If the file is not of games, the reader's error names its kind.
            Ok(_) => Self::Games(GameReader::open(path)?),
            Err(foreign @ FileError::Foreign { .. }) => match ScoredBoards::open(path) {
                Ok(Some(boards)) => Self::Boards(boards),
                _ => return Err(foreign.into()),
            },
            Err(error) => return Err(error.into()),
        })
    }

    /// Returns the size of the file.
    pub fn bytes(&self) -> u64 {
        either!(self, reader => reader.bytes())
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        either!(self, reader => reader.bytes_read())
    }

    /// Returns the SHA-256 of the file; `None` until all of the file was read.
    pub fn sha256(&self) -> Option<&str> {
        either!(self, reader => reader.sha256())
    }

    /// Returns true for a complete list, such as of all openings. A fit does not split such a file.
    pub fn is_enumerated(&self) -> bool {
        match self {
            Self::Games(reader) => reader.is_enumerated(),
            Self::Positions(reader) => reader.is_enumerated(),
            Self::Placed(_) | Self::Boards(_) => false,
        }
    }

    /// Returns the next frame; `None` at the end of the file.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, RecordError> {
        either!(self, reader => Ok(reader.next_frame()?.map(Frame::from)))
    }

    /// Skips to the next undamaged frame after an error. Returns false if there is none.
    pub fn resynchronize(&mut self) -> Result<bool, RecordError> {
        either!(self, reader => reader.resynchronize(), _ => Ok(false))
    }

    /// Checks a file without decoding its records, and divides it into ranges of about `games`
    /// games or about `positions` positions. A text file is one range.
    pub fn ranges(
        &mut self,
        path: &Path,
        [games, positions]: [u64; 2],
        progress: &dyn Progress,
    ) -> Result<Vec<RecordRange>, RecordError> {
        let (size, most_positions) = match self {
            Self::Games(_) => (games, 60),
            Self::Positions(_) | Self::Placed(_) => (positions, 1),
            Self::Boards(_) => (u64::MAX, 1),
        };
        let (mut ranges, mut read): (Vec<RecordRange>, u64) = (vec![], 0);
        loop {
            let (first, records) = either!(
                self,
                reader => (Some(reader.place()), reader.pass_by_frame()?),
                boards => (None, boards.next_frame()?.map(|rows| rows.len() as u64))
            );
            let Some(records) = records else { return Ok(ranges) };
            let mut range = match ranges.pop_if(|last| last.records < size) {
                Some(last) => last,
                None => RecordRange { path: path.to_owned(), first, ..RecordRange::default() },
            };
            range.frames += 1;
            range.records += records;
            range.most_positions = range.records.saturating_mul(most_positions);
            ranges.push(range);
            progress.check()?;
            progress.advance(self.bytes_read() - read);
            read = self.bytes_read();
        }
    }
}

impl RecordRange {
    /// Reads this range of frames (blocks of records) from its file; passes each frame to `take`.
    pub fn each_frame<E: From<RecordError>>(
        &self,
        mut take: impl FnMut(Frame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut records = Records::open(&self.path)?;
        if let Some(first) = self.first {
            either!(&mut records, reader => reader.go_to(first)?, _ => {});
        }
        for _ in 0..self.frames {
            records.next_frame()?.map_or(Ok(()), &mut take)?;
        }
        Ok(())
    }
}

/// Returns the games in `rows`: each run of adjacent positions with the same game number.
pub fn games_of(rows: &[PlacedPosition]) -> impl Iterator<Item = &[PlacedPosition]> {
    rows.chunk_by(|one, next| one.game == next.game)
}

/// Calls `visit` with the labelled positions of each frame of a file, grouped by game. A position
/// that belongs to no game is a group of its own. Returns the file's SHA-256.
pub fn read_games(
    path: &Path,
    rules: &LabelRules,
    progress: &dyn Progress,
    mut visit: impl FnMut(Vec<Vec<Labelled>>),
) -> Result<String> {
    let mut records = Records::open(path)?;
    progress.begin_file(path, records.bytes());
    let mut read = 0;
    let label = |game: &Game| rules.labelled(game, 1.0);
    let given = |row| Labelled { row, rule: None };
    let of_game = |rows: &[PlacedPosition]| rows.iter().map(|placed| given(placed.row)).collect();
    while let Some(frame) = records.next_frame()? {
        visit(match frame {
            Frame::Games(games) => games.par_iter().map(label).collect(),
            Frame::Positions(rows) => rows.into_iter().map(|row| vec![given(row)]).collect(),
            Frame::Placed(rows) => games_of(&rows).map(of_game).collect(),
        });
        progress.advance(records.bytes_read() - read);
        read = records.bytes_read();
    }
    Ok(records.sha256().unwrap_or_default().to_owned())
}
