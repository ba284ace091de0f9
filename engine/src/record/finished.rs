//! Games that are finished and have no place in their file yet.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Game, GameWriter, RecordError, frame};
use crate::file::{Checkpoint, Existing, Provenance};

/// Finished games of frames that are not whole, by their numbers, in a checkpoint beside the file
/// of games: so a killed run loses none, however long each takes.
pub struct FinishedGames {
    checkpoint: Mutex<Checkpoint>,
    found: HashMap<u64, Game>,
}

impl FinishedGames {
    /// Opens or begins the checkpoint of the file of games `output`.
    pub fn open(
        output: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Self, RecordError> {
        let (checkpoint, sections) = Checkpoint::open(output, provenance, existing)?;
        // What cannot be read is played again.
        let game = |content| frame::decode(content).ok().and_then(|mut games| games.pop());
        let found = sections
            .iter()
            .filter_map(|section| Some((section.name.parse().ok()?, game(&section.content)?)));
        let found = found.collect();
        Ok(Self { checkpoint: Mutex::new(checkpoint), found })
    }

    /// What resuming the checkpoint dropped, for the user to know.
    pub fn warning(&self) -> Option<String> {
        self.lock().warning()
    }

    /// The game with this number, if an earlier run finished it.
    pub fn found(&self, number: u64) -> Option<&Game> {
        self.found.get(&number)
    }

    /// How many games with numbers in this range an earlier run finished.
    pub fn count_in(&self, numbers: Range<u64>) -> u64 {
        self.found.keys().filter(|number| numbers.contains(number)).count() as u64
    }

    /// Records that a game is finished.
    pub fn record(&self, number: u64, game: &Game) -> Result<(), RecordError> {
        let content = frame::encode(std::slice::from_ref(game));
        Ok(self.lock().record(&number.to_string(), &content)?)
    }

    /// Says that all games that were found or recorded are in the file now.
    pub fn settle(&self, output: &GameWriter) -> Result<(), RecordError> {
        Ok(self.lock().settle(output.writer())?)
    }

    /// Takes the checkpoint away: the file of games is complete.
    pub fn remove(self) -> Result<(), RecordError> {
        let checkpoint = self.checkpoint.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(checkpoint.remove()?)
    }

    fn lock(&self) -> MutexGuard<'_, Checkpoint> {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
