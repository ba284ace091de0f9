//! The values of the last ply as they are found, a few positions at a time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::board::Position;
use crate::eval::{Evaluate, Value};
use crate::file::{Checkpoint, Existing, Provenance};
use crate::progress::Progress;
use crate::record::{PositionWriter, RecordError};
use crate::search::Searchers;

/// The table of a search to a fixed depth: large enough that shallow searches never fill it.
const HASH_MEGABYTES: usize = 4;

/// Values that have no place in the file of openings yet, by the place of their positions in the
/// last ply, in a checkpoint beside it.
pub(super) struct FoundValues {
    checkpoint: Mutex<Checkpoint>,
    earlier: BTreeMap<usize, Value>,
}

impl FoundValues {
    /// Opens or begins the checkpoint of the file of openings `output`.
    pub(super) fn open(
        output: &Path,
        provenance: &Provenance,
        existing: Existing,
    ) -> Result<Self, RecordError> {
        let (checkpoint, sections) = Checkpoint::open(output, provenance, existing)?;
        let mut earlier = BTreeMap::new();
        for section in sections {
            // What cannot be read is searched again.
            let Ok(first) = section.name.parse::<usize>() else { continue };
            let values = section.content.as_chunks().0.iter().copied().map(Value::from_le_bytes);
            earlier.extend((first..).zip(values));
        }
        Ok(Self { checkpoint: Mutex::new(checkpoint), earlier })
    }

    pub(super) fn warning(&self) -> Option<String> {
        self.lock().warning()
    }

    /// How many positions with places in this range have values from an earlier run.
    pub(super) fn count_in(&self, places: Range<usize>) -> usize {
        self.earlier.range(places).count()
    }

    /// Says that all values so far stand in `output`.
    pub(super) fn settle(&self, output: &PositionWriter) -> Result<(), RecordError> {
        output.settle(&mut self.lock())
    }

    pub(super) fn remove(self) -> Result<(), RecordError> {
        let checkpoint = self.checkpoint.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(checkpoint.remove()?)
    }

    /// The values of positions that follow each other from place `first` on, if an earlier run
    /// found all of them.
    fn earlier(&self, first: usize, count: usize) -> Option<Vec<Value>> {
        (first..first + count).map(|place| self.earlier.get(&place).copied()).collect()
    }

    fn record(&self, first: usize, values: &[Value]) -> Result<(), RecordError> {
        let content: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Ok(self.lock().record(&first.to_string(), &content)?)
    }

    fn lock(&self) -> MutexGuard<'_, Checkpoint> {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds values in parallel, each by one thread from a logically empty table.
pub(super) struct Scorer<'a, E: Evaluate> {
    searchers: Searchers<'a, E>,
    depth: u32,
    found: &'a FoundValues,
    progress: &'a dyn Progress,
}

impl<'a, E: Evaluate> Scorer<'a, E> {
    pub(super) fn new(
        evaluator: &'a E,
        depth: u32,
        found: &'a FoundValues,
        progress: &'a dyn Progress,
    ) -> Self {
        let hash_megabytes = if depth == 0 { 0 } else { HASH_MEGABYTES };
        Self { searchers: Searchers::new(evaluator, hash_megabytes), depth, found, progress }
    }

    /// The values of positions of which the first has the place `first` in its ply.
    pub(super) fn values(
        &self,
        first: usize,
        positions: &[Position],
    ) -> Result<Vec<Value>, RecordError> {
        let unit = positions_per_unit(self.depth);
        let work = |(number, positions): (usize, &[Position])| {
            let first = first + number * unit;
            if let Some(values) = self.found.earlier(first, positions.len()) {
                return Ok(values);
            }
            self.progress.check()?;
            let values = self.searchers.with(|searcher| {
                let value = |position: &Position| {
                    searcher.new_game();
                    searcher.search(position, self.depth).value
                };
                positions.iter().map(value).collect::<Vec<_>>()
            });
            self.found.record(first, &values)?;
            self.progress.advance(positions.len() as u64);
            Ok(values)
        };
        let units = positions.par_chunks(unit).enumerate().with_max_len(1).map(work);
        Ok(units.collect::<Result<Vec<_>, RecordError>>()?.concat())
    }
}

/// So many positions are recorded together that it costs little beside their search, and that
/// little is lost: some milliseconds of work, until one position takes longer.
fn positions_per_unit(depth: u32) -> usize {
    (1024 >> depth.min(10)).max(1)
}
