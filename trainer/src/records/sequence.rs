//! The games of several files as one sequence.

use std::collections::VecDeque;
use std::path::PathBuf;

use othello_engine::file::Provenance;
use othello_engine::progress::Progress;
use othello_engine::record::{Game, GameReader, RecordError};

/// Files of games, read through once: how many games they have, and their checksums.
pub struct Inputs {
    paths: Vec<PathBuf>,
    checksums: Vec<String>,
    games: u64,
}

impl Inputs {
    /// Counts the games of files.
    pub fn count(paths: &[PathBuf], progress: &dyn Progress) -> Result<Self, RecordError> {
        let (mut checksums, mut games) = (vec![], 0);
        for path in paths {
            let mut reader = GameReader::open(path)?;
            progress.begin("inputs (bytes)", 0, reader.bytes());
            let mut read = 0;
            while let Some(frame) = reader.pass_by_frame()? {
                games += frame;
                progress.advance(reader.bytes_read() - read);
                read = reader.bytes_read();
            }
            checksums.push(reader.sha256().unwrap_or_default().to_owned());
        }
        Ok(Self { paths: paths.to_vec(), checksums, games })
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// What `command` makes of these games, as far as they decide it.
    pub(super) fn provenance(&self, command: &str) -> Provenance {
        Provenance::new(command).with("inputs", self.checksums.clone())
    }

    /// The games from number `first` on, counted from 0.
    pub(super) fn from(&self, first: u64) -> Result<Games, RecordError> {
        let mut games = Games { paths: self.paths.iter().cloned().collect(), reader: None };
        let mut left = first;
        while left > 0 && games.open_next()? {
            if let Some(reader) = &mut games.reader {
                left -= reader.pass_by(left)?;
            }
        }
        Ok(games)
    }
}

/// Games one after the other.
pub(super) struct Games {
    paths: VecDeque<PathBuf>,
    reader: Option<GameReader>,
}

impl Games {
    /// Goes on with the next file; whether there is one.
    fn open_next(&mut self) -> Result<bool, RecordError> {
        self.reader = self.paths.pop_front().map(|path| GameReader::open(&path)).transpose()?;
        Ok(self.reader.is_some())
    }
}

impl Iterator for Games {
    type Item = Result<Game, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.reader.as_mut().and_then(Iterator::next) {
                return Some(game);
            }
            match self.open_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
