//! What games and scored positions have in common as records of files.

use std::path::Path;

use othello_engine::file::{self, Begin, Existing, Provenance, Summary};
use othello_engine::record::{
    GAMES_PER_FRAME, Game, GameReader, GameWriter, POSITIONS_PER_FRAME, PositionReader,
    PositionWriter, RecordError, ScoredPosition,
};

use crate::dataset::{Part, Split};

/// A game or a scored position: each has files of its own kind.
pub trait Record: Sized {
    /// What it is called.
    const NAME: &str;
    /// What many of them are called.
    const PLURAL: &str;
    /// How many of them a frame holds.
    const PER_FRAME: usize;
    /// Reads a file of them.
    type Reader: Iterator<Item = Result<Self, RecordError>>;
    /// Writes a file of them.
    type Writer: AsRef<file::Writer>;

    /// Opens a file.
    fn open(path: &Path) -> Result<Self::Reader, RecordError>;
    /// Passes by this many records, or those that are left where there are fewer; returns how many.
    fn pass_by(reader: &mut Self::Reader, records: u64) -> Result<u64, RecordError>;
    /// Reads a file to its end, and tells after each frame how many records it has and how many
    /// bytes have been read so far.
    fn read_through(path: &Path, passed: impl FnMut(u64, u64)) -> Result<Contents, RecordError>;

    /// Begins a file, or goes on with one.
    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self::Writer>, RecordError>;
    /// How many records an earlier run left in it.
    fn resumed(writer: &Self::Writer) -> u64;
    /// What is to be told about what it left.
    fn warning(writer: &Self::Writer) -> Option<String>;
    /// Adds the record to a file.
    fn push(self, writer: &mut Self::Writer) -> Result<(), RecordError>;
    /// Completes a file.
    fn finish(writer: Self::Writer) -> Result<Summary, RecordError>;

    /// The part of a split that a fit would put it into.
    fn part(&self, split: &Split) -> Part;
}

/// What a file that was read to its end is.
pub struct Contents {
    /// The checksum of its content.
    pub sha256: String,
    /// Whether it holds all there is of a kind.
    pub enumerated: bool,
}

impl Record for Game {
    const NAME: &str = "game";
    const PLURAL: &str = "games";
    const PER_FRAME: usize = GAMES_PER_FRAME;
    type Reader = GameReader;
    type Writer = GameWriter;

    fn open(path: &Path) -> Result<GameReader, RecordError> {
        GameReader::open(path)
    }

    fn pass_by(reader: &mut GameReader, games: u64) -> Result<u64, RecordError> {
        reader.pass_by(games)
    }

    fn read_through(
        path: &Path,
        mut passed: impl FnMut(u64, u64),
    ) -> Result<Contents, RecordError> {
        let mut reader = GameReader::open(path)?;
        while let Some(games) = reader.pass_by_frame()? {
            passed(games, reader.bytes_read());
        }
        let sha256 = reader.sha256().unwrap_or_default().to_owned();
        Ok(Contents { sha256, enumerated: false })
    }

    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<GameWriter>, RecordError> {
        GameWriter::begin(path, provenance, existing)
    }

    fn resumed(writer: &GameWriter) -> u64 {
        writer.resumed_games()
    }

    fn warning(writer: &GameWriter) -> Option<String> {
        writer.warning()
    }

    fn push(self, writer: &mut GameWriter) -> Result<(), RecordError> {
        writer.push(self)
    }

    fn finish(writer: GameWriter) -> Result<Summary, RecordError> {
        writer.finish()
    }

    fn part(&self, split: &Split) -> Part {
        split.of_game(self)
    }
}

impl Record for ScoredPosition {
    const NAME: &str = "position";
    const PLURAL: &str = "positions";
    const PER_FRAME: usize = POSITIONS_PER_FRAME;
    type Reader = PositionReader;
    type Writer = PositionWriter;

    fn open(path: &Path) -> Result<PositionReader, RecordError> {
        PositionReader::open(path)
    }

    fn pass_by(reader: &mut PositionReader, positions: u64) -> Result<u64, RecordError> {
        let mut passed = 0;
        while passed < positions && reader.next().transpose()?.is_some() {
            passed += 1;
        }
        Ok(passed)
    }

    fn read_through(
        path: &Path,
        mut passed: impl FnMut(u64, u64),
    ) -> Result<Contents, RecordError> {
        let mut reader = PositionReader::open(path)?;
        while let Some(rows) = reader.next_frame()? {
            passed(rows.len() as u64, reader.bytes_read());
        }
        let sha256 = reader.sha256().unwrap_or_default().to_owned();
        Ok(Contents { sha256, enumerated: reader.is_enumerated() })
    }

    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<PositionWriter>, RecordError> {
        PositionWriter::begin(path, provenance, existing)
    }

    fn resumed(writer: &PositionWriter) -> u64 {
        writer.resumed_positions()
    }

    fn warning(writer: &PositionWriter) -> Option<String> {
        writer.warning()
    }

    fn push(self, writer: &mut PositionWriter) -> Result<(), RecordError> {
        writer.push(self)
    }

    fn finish(writer: PositionWriter) -> Result<Summary, RecordError> {
        writer.finish()
    }

    fn part(&self, split: &Split) -> Part {
        split.of_position(&self.position().canonical())
    }
}
