//! What searches found for scored positions that have no place in their file yet.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{PositionWriter, RecordError};
use crate::file::{Checkpoint, Existing, Provenance};

/// Numbers found for positions, by the places of the positions in a sequence, in a checkpoint beside the
/// file of positions: so a killed run loses few, however long each takes. Of openings they are
/// values, in steps of 1/32 disc; of relabelled positions, labels.
pub struct FoundValues {
    checkpoint: Mutex<Checkpoint>,
    earlier: BTreeMap<u64, i32>,
}

impl FoundValues {
    /// Opens or begins the checkpoint of the file of positions `output`.
    pub fn open(
        output: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Self, RecordError> {
        let (checkpoint, sections) = Checkpoint::open(output, provenance, existing)?;
        let mut earlier = BTreeMap::new();
        for section in sections {
            // What cannot be read is searched again.
            let Ok(first) = section.name.parse::<u64>() else { continue };
            let values = section.content.as_chunks().0.iter().copied().map(i32::from_le_bytes);
            earlier.extend((first..).zip(values));
        }
        Ok(Self { checkpoint: Mutex::new(checkpoint), earlier })
    }

    /// What resuming the checkpoint dropped, for the user to know.
    pub fn warning(&self) -> Option<String> {
        self.lock().warning()
    }

    /// How many positions with places in this range have values from an earlier run.
    pub fn count_in(&self, places: Range<u64>) -> u64 {
        self.earlier.range(places).count() as u64
    }

    /// The values of `count` positions that follow each other from place `first` on, if an earlier
    /// run found all of them.
    pub fn earlier(&self, first: u64, count: usize) -> Option<Vec<i32>> {
        (first..).take(count).map(|place| self.earlier.get(&place).copied()).collect()
    }

    /// Records the values of positions that follow each other from place `first` on.
    pub fn record(&self, first: u64, values: &[i32]) -> Result<(), RecordError> {
        let content: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Ok(self.lock().record(&first.to_string(), &content)?)
    }

    /// Says that all values so far stand in the whole frames of `output`.
    pub fn settle(&self, output: &PositionWriter) -> Result<(), RecordError> {
        Ok(self.lock().settle(output.writer())?)
    }

    /// Takes the checkpoint away: the file of positions is complete.
    pub fn remove(self) -> Result<(), RecordError> {
        let checkpoint = self.checkpoint.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(checkpoint.remove()?)
    }

    fn lock(&self) -> MutexGuard<'_, Checkpoint> {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
