//! The searches that score the positions of the last ply, in parallel.

use std::ops::Range;

use crate::board::Position;
use crate::eval::{Evaluate, Value};
use crate::file::Section;
use crate::record::RecordError;
use crate::run::Items;
use crate::search::{Search, Searchers};

/// The size of a transposition table in MiB. The searches are too shallow to fill a larger one.
const HASH_MEGABYTES: usize = 4;

pub(super) struct Scorer<'a, E: Evaluate> {
    searchers: Searchers<'a, E>,
    depth: u32,
    positions: &'a [Position],
}

impl<'a, E: Evaluate> Scorer<'a, E> {
    pub(super) fn new(
        evaluator: &'a E,
        depth: u32,
        positions: &'a [Position],
    ) -> Result<Self, RecordError> {
        let hash_megabytes = if depth == 0 { 0 } else { HASH_MEGABYTES };
        let search = Search::new(evaluator).hash_mb(hash_megabytes);
        let searchers = search.searchers().map_err(|error| RecordError::Search(error.into()))?;
        Ok(Self { searchers, depth, positions })
    }
}

impl<E: Evaluate> Items for Scorer<'_, E> {
    type Input = ();
    type Output = Value;
    type Error = RecordError;

    fn fits(&self, indices: Range<u64>, part: &[Section]) -> bool {
        let values = |section: &Section| decode(&section.content).map_or(0, |values| values.len());
        matches!(part, [section] if values(section) as u64 == indices.end - indices.start)
    }

    fn begin(&self, _: Range<u64>) -> Result<(), RecordError> {
        Ok(())
    }

    fn make(&self, (): &(), indices: Range<u64>) -> Result<Vec<Value>, RecordError> {
        let positions = &self.positions[indices.start as usize..indices.end as usize];
        Ok(self.searchers.with(|searcher| {
            let value = |position: &Position| {
                searcher.new_game();
                searcher.search(position, self.depth).value
            };
            positions.iter().map(value).collect()
        }))
    }

    fn encode(&self, values: Vec<Value>) -> Vec<Section> {
        let content = values.iter().flat_map(|value| value.steps().to_le_bytes()).collect();
        vec![Section { name: "values".to_owned(), content }]
    }
}

pub(super) fn decode(content: &[u8]) -> Option<Vec<Value>> {
    let (steps, rest) = content.as_chunks();
    let values = steps.iter().copied().map(i32::from_le_bytes).map(Value::from_steps);
    if rest.is_empty() { values.collect() } else { None }
}
