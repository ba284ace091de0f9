//! What games and scored positions have in common as records of files.

use std::path::Path;

use othello_engine::file::{Begin, Existing, Provenance, Summary};
use othello_engine::record::{
    Game, GameReader, GameWriter, PositionReader, PositionWriter, RecordError, ScoredPosition,
};

use crate::dataset::{Part, Split};

/// A game or a scored position: what can be counted, chosen and put into another order.
pub trait Record: Sized {
    /// Reads a file of them.
    type Reader: Iterator<Item = Result<Self, RecordError>> + RecordReader;
    /// Writes a file of them.
    type Writer: RecordWriter<Self>;

    /// What many of them are called.
    const PLURAL: &'static str;

    /// Opens a file.
    fn open(path: &Path) -> Result<Self::Reader, RecordError>;

    /// Begins a file, or goes on with one.
    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<Self::Writer>, RecordError>;

    /// The part of a split that a fit would put it into.
    fn part(&self, split: &Split) -> Part;
}

/// What is asked of a reader besides the records.
pub trait RecordReader {
    /// The size of the file.
    fn bytes(&self) -> u64;
    /// How much of it has been read.
    fn bytes_read(&self) -> u64;
    /// The checksum of the content, at its end.
    fn sha256(&self) -> Option<&str>;
    /// Whether the file holds all there is of a kind.
    fn is_enumerated(&self) -> bool;
    /// Passes by the next frame; how many records it has, `None` at the end of the file.
    fn pass_by_frame(&mut self) -> Result<Option<u64>, RecordError>;
}

/// A file that gets records one by one.
pub trait RecordWriter<R> {
    /// How many records an earlier run left in it.
    fn resumed(&self) -> u64;
    /// What is to be told about what it left.
    fn warning(&self) -> Option<String>;
    /// Adds one.
    fn push(&mut self, record: R) -> Result<(), RecordError>;
    /// Completes the file.
    fn finish(self) -> Result<Summary, RecordError>;
}

impl Record for Game {
    type Reader = GameReader;
    type Writer = GameWriter;

    const PLURAL: &'static str = "games";

    fn open(path: &Path) -> Result<GameReader, RecordError> {
        GameReader::open(path)
    }

    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<GameWriter>, RecordError> {
        GameWriter::begin(path, provenance, existing)
    }

    fn part(&self, split: &Split) -> Part {
        split.of_game(self)
    }
}

impl Record for ScoredPosition {
    type Reader = PositionReader;
    type Writer = PositionWriter;

    const PLURAL: &'static str = "positions";

    fn open(path: &Path) -> Result<PositionReader, RecordError> {
        PositionReader::open(path)
    }

    fn begin(
        path: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Begin<PositionWriter>, RecordError> {
        PositionWriter::begin(path, provenance, existing)
    }

    fn part(&self, split: &Split) -> Part {
        split.of_position(&self.position().canonical())
    }
}

impl RecordReader for GameReader {
    fn bytes(&self) -> u64 {
        self.bytes()
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read()
    }

    fn sha256(&self) -> Option<&str> {
        self.sha256()
    }

    fn is_enumerated(&self) -> bool {
        false
    }

    fn pass_by_frame(&mut self) -> Result<Option<u64>, RecordError> {
        self.pass_by_frame()
    }
}

impl RecordReader for PositionReader {
    fn bytes(&self) -> u64 {
        self.bytes()
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read()
    }

    fn sha256(&self) -> Option<&str> {
        self.sha256()
    }

    fn is_enumerated(&self) -> bool {
        self.is_enumerated()
    }

    fn pass_by_frame(&mut self) -> Result<Option<u64>, RecordError> {
        Ok(self.next_frame()?.map(|rows| rows.len() as u64))
    }
}

impl RecordWriter<Game> for GameWriter {
    fn resumed(&self) -> u64 {
        self.resumed_games()
    }

    fn warning(&self) -> Option<String> {
        self.warning()
    }

    fn push(&mut self, game: Game) -> Result<(), RecordError> {
        self.push(game)
    }

    fn finish(self) -> Result<Summary, RecordError> {
        self.finish()
    }
}

impl RecordWriter<ScoredPosition> for PositionWriter {
    fn resumed(&self) -> u64 {
        self.resumed_positions()
    }

    fn warning(&self) -> Option<String> {
        self.warning()
    }

    fn push(&mut self, position: ScoredPosition) -> Result<(), RecordError> {
        self.push(position)
    }

    fn finish(self) -> Result<Summary, RecordError> {
        self.finish()
    }
}
