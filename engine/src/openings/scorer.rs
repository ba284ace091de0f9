//! The search of the last ply's values, in parallel.

use crate::board::Position;
use crate::eval::{Evaluate, Value};
use crate::progress::Progress;
use crate::record::{FinishedWork, RecordError};
use crate::search::{Search, Searchers};

/// The table size of a search to a fixed depth, in MiB: shallow searches never fill it.
const HASH_MEGABYTES: usize = 4;

/// A scorer that finds values in parallel, each by one thread from a logically empty table.
pub(super) struct Scorer<'a, E: Evaluate> {
    searchers: Searchers<'a, E>,
    depth: u32,
    found: &'a FinishedWork<Value>,
    progress: &'a dyn Progress,
}

impl<'a, E: Evaluate> Scorer<'a, E> {
    /// Creates a scorer. `found` keeps the values by the index of each position in the last ply.
    pub(super) fn new(
        evaluator: &'a E,
        depth: u32,
        found: &'a FinishedWork<Value>,
        progress: &'a dyn Progress,
    ) -> Result<Self, RecordError> {
        let hash_megabytes = if depth == 0 { 0 } else { HASH_MEGABYTES };
        let search = Search::new(evaluator).hash_mb(hash_megabytes);
        let searchers = search.searchers().map_err(|error| RecordError::Search(error.into()))?;
        Ok(Self { searchers, depth, found, progress })
    }

    /// Returns the values of positions; the first one has the index `first` in its ply.
    pub(super) fn values(
        &self,
        first: usize,
        positions: &[Position],
    ) -> Result<Vec<Value>, RecordError> {
        let search = |positions: &[Position]| {
            self.searchers.with(|searcher| {
                let value = |position: &Position| {
                    searcher.new_game();
                    searcher.search(position, self.depth).value
                };
                positions.iter().map(value).collect()
            })
        };
        let at_once = positions_at_once(self.depth);
        self.found.complete(first as u64, positions, at_once, self.progress, |_, _| true, search)
    }
}

/// Returns the number of positions that are recorded together. Recording them costs little beside
/// their search, and an interrupt loses some milliseconds of work, or one position that takes
/// longer.
fn positions_at_once(depth: u32) -> usize {
    (1024 >> depth.min(10)).max(1)
}
