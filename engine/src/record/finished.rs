//! Finished work that has no place in its file of records yet.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::{Game, ROW_BYTES, RecordError, ScoredPosition, frame};
use crate::eval::Value;
use crate::file::{Checkpoint, Existing, Provenance, Writer};
use crate::progress::Progress;

/// What a piece of work comes to: a game, a position, or the value of one.
pub trait Finished: Clone + Send + Sync {
    /// The bytes of several that follow each other.
    fn encode(finished: &[Self]) -> Vec<u8>;
    /// Those in the bytes, up to the first that cannot be read.
    fn decode(bytes: &[u8]) -> Vec<Self>;
}

impl Finished for Game {
    fn encode(games: &[Self]) -> Vec<u8> {
        frame::encode(games)
    }

    fn decode(bytes: &[u8]) -> Vec<Self> {
        frame::decode(bytes).unwrap_or_default()
    }
}

impl Finished for ScoredPosition {
    fn encode(positions: &[Self]) -> Vec<u8> {
        positions.iter().flat_map(Self::to_bytes).collect()
    }

    fn decode(bytes: &[u8]) -> Vec<Self> {
        let rows = bytes.as_chunks::<ROW_BYTES>().0.iter();
        rows.map_while(|row| Self::from_bytes(row).ok()).collect()
    }
}

impl Finished for Value {
    fn encode(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|value| value.steps().to_le_bytes()).collect()
    }

    fn decode(bytes: &[u8]) -> Vec<Self> {
        let steps = bytes.as_chunks().0.iter().copied().map(i32::from_le_bytes);
        steps.map_while(Self::from_steps).collect()
    }
}

/// Finished pieces of work by their numbers, in a checkpoint beside the file that they are for: so a
/// killed run loses few of them, however long each takes.
pub struct FinishedWork<T> {
    checkpoint: Mutex<Checkpoint>,
    earlier: BTreeMap<u64, T>,
}

impl<T: Finished> FinishedWork<T> {
    /// Opens or begins the checkpoint of the file `output`.
    pub fn open(
        output: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Self, RecordError> {
        let (checkpoint, sections) = Checkpoint::open(output, provenance, existing)?;
        let mut earlier = BTreeMap::new();
        for section in sections {
            // What cannot be read is done again.
            let Ok(first) = section.name.parse::<u64>() else { continue };
            earlier.extend((first..).zip(T::decode(&section.content)));
        }
        Ok(Self { checkpoint: Mutex::new(checkpoint), earlier })
    }

    /// What resuming the checkpoint dropped, for the user to know.
    pub fn warning(&self) -> Option<String> {
        self.lock().warning()
    }

    /// How many pieces with numbers in this range an earlier run finished.
    pub fn count_in(&self, numbers: Range<u64>) -> u64 {
        self.earlier.range(numbers).count() as u64
    }

    /// What `work` makes of each of `items`, in their order, of which the first has the number
    /// `first`. It is given so many `at_once`, by several threads, and not those that an earlier run
    /// finished all of; what it makes of them is recorded together.
    pub fn complete<I: Sync>(
        &self,
        first: u64,
        items: &[I],
        at_once: usize,
        progress: &dyn Progress,
        work: impl Fn(&[I]) -> Vec<T> + Sync,
    ) -> Result<Vec<T>, RecordError> {
        let complete = |(index, items): (usize, &[I])| {
            let first = first + (index * at_once) as u64;
            if let Some(finished) = self.earlier(first, items.len()) {
                return Ok(finished);
            }
            progress.check()?;
            let finished = work(items);
            self.lock().record(&first.to_string(), &T::encode(&finished))?;
            progress.advance(items.len() as u64);
            Ok(finished)
        };
        let completed = items.par_chunks(at_once).enumerate().with_max_len(1).map(complete);
        Ok(completed.collect::<Result<Vec<_>, RecordError>>()?.concat())
    }

    /// Says that all that was finished so far stands in the file now, whole frames of it.
    pub fn settle(&self, output: &impl AsRef<Writer>) -> Result<(), RecordError> {
        Ok(self.lock().settle(output.as_ref())?)
    }

    /// Takes the checkpoint away: the file is complete.
    pub fn remove(self) -> Result<(), RecordError> {
        let checkpoint = self.checkpoint.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(checkpoint.remove()?)
    }

    fn earlier(&self, first: u64, count: usize) -> Option<Vec<T>> {
        (first..).take(count).map(|number| self.earlier.get(&number).cloned()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Checkpoint> {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
