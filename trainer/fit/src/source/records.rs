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
    /// Games, whose positions get labels by [`super::LabelRules`].
    Games(GameReader),
    /// Positions or openings, which already have labels.
    Positions(PositionReader),
    /// Positions, each with its label, its game's number and its subset (such as training).
    Placed(PlacedReader),
    /// A text file whose lines are boards with scores.
    Boards(ScoredBoards),
}

/// A frame of a record file: a block of records with a checksum.
#[derive(Clone, Debug, derive_more::TryInto)]
pub enum Frame {
    /// The games of a frame (block of records).
    Games(Vec<Game>),
    /// The positions or openings of a frame (block of records).
    Positions(Vec<ScoredPosition>),
    /// The positions of a frame (block of records), each with its label, game number and subset
    /// (such as training).
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
#[derive(Clone, Debug)]
pub struct RecordRange {
    path: PathBuf,
    /// The place of the first frame (block of records); `None` in a text file, which is read whole.
    first: Option<FramePlace>,
    frames: u64,
    /// The number of records in this range of the file.
    pub records: u64,
    /// The greatest possible number of positions in the records; a game has up to 60.
    pub most_positions: u64,
}

macro_rules! either {
    ($records:expr, $reader:ident => $call:expr) => {
        match $records {
            Records::Games($reader) => $call,
            Records::Positions($reader) => $call,
            Records::Placed($reader) => $call,
            Records::Boards($reader) => $call,
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

    /// Returns the size of the file in bytes.
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

    /// Returns true if the file is a complete enumeration, such as of all openings. Then no record
    /// is held out for validation or test.
    pub fn is_enumerated(&self) -> bool {
        match self {
            Self::Games(reader) => reader.is_enumerated(),
            Self::Positions(reader) => reader.is_enumerated(),
            Self::Placed(_) | Self::Boards(_) => false,
        }
    }

    /// Returns the next frame (block of records); `None` at the end of the file.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, RecordError> {
        Ok(match self {
            Self::Games(reader) => reader.next_frame()?.map(Frame::Games),
            Self::Positions(reader) => reader.next_frame()?.map(Frame::Positions),
            Self::Placed(reader) => reader.next_frame()?.map(Frame::Placed),
            Self::Boards(boards) => boards.next_frame()?.map(Frame::Positions),
        })
    }

    /// After an error, skips to the next undamaged frame (block); returns false if there is none.
    pub fn resynchronize(&mut self) -> Result<bool, RecordError> {
        match self {
            Self::Games(reader) => reader.resynchronize(),
            Self::Positions(reader) => reader.resynchronize(),
            Self::Placed(reader) => reader.resynchronize(),
            Self::Boards(_) => Ok(false),
        }
    }

    /// Checks a file without decoding its records, and divides it into ranges of about `games`
    /// games or, if it has no games, of about `positions` positions. A text file is one range.
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
            let (first, records) = match self {
                Self::Games(reader) => (Some(reader.place()), reader.pass_by_frame()?),
                Self::Positions(reader) => (Some(reader.place()), reader.pass_by_frame()?),
                Self::Placed(reader) => (Some(reader.place()), reader.pass_by_frame()?),
                Self::Boards(boards) => (None, boards.next_frame()?.map(|rows| rows.len() as u64)),
            };
            let Some(records) = records else { return Ok(ranges) };
            if ranges.last().is_none_or(|last| last.records >= size) {
                let path = path.to_owned();
                ranges.push(RecordRange { path, first, frames: 0, records: 0, most_positions: 0 });
            }
            if let Some(last) = ranges.last_mut() {
                last.frames += 1;
                last.records += records;
                last.most_positions = last.records.saturating_mul(most_positions);
            }
            progress.check()?;
            progress.advance(self.bytes_read() - read);
            read = self.bytes_read();
        }
    }
}

impl RecordRange {
    /// Reads the frames (blocks of records) of the range, and passes each to `take`, in order.
    pub fn each_frame<E: From<RecordError>>(
        &self,
        mut take: impl FnMut(Frame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut records = Records::open(&self.path)?;
        match (&mut records, self.first) {
            (Records::Games(reader), Some(first)) => reader.go_to(first)?,
            (Records::Positions(reader), Some(first)) => reader.go_to(first)?,
            (Records::Placed(reader), Some(first)) => reader.go_to(first)?,
            _ => {}
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

/// Calls `visit` for each frame (block of records) of a file with its labelled positions, grouped
/// by game; a position outside games counts as a game. Returns the file's SHA-256 checksum.
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
