//! Records with exact scores from some number of empty squares on: how collections are corrected, whose
//! results tell what happened and not what was right.

mod changes;
mod game;
mod games;
mod positions;

use std::ops::Range;

use othello_engine::file::{Provenance, Summary};
use othello_engine::record::Shard;

use super::record::Record;
use super::sequence::Inputs;

pub use changes::Changes;
pub use games::relabel_games;
pub use positions::relabel_positions;

/// How records are relabelled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// From this many empty squares on, every position gets its exact score.
    pub exact: u32,
    /// How deep the positions before are searched; where it is `None` they keep what they have.
    pub depth: Option<u32>,
}

/// Which records to relabel.
pub struct Run<'a, R> {
    /// How.
    pub settings: Settings,
    /// The records, in all shards together.
    pub inputs: &'a Inputs<R>,
    /// The part of them to do here: whole frames.
    pub shard: Shard,
    /// What identifies the evaluation: the checksum of its weights file, or its name.
    pub weights: String,
}

/// What a relabelled file holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Relabelled {
    /// All games or positions of this shard.
    pub records: u64,
    /// How their results or labels compare with what is exact.
    pub changes: Changes,
    /// The file.
    pub summary: Summary,
}

/// The table of each search. It decides how long the search takes, and not what it finds.
const HASH_MEGABYTES: usize = 16;

impl Settings {
    /// The most empty squares of a position that gets its exact score: a search that deep is exact, too.
    fn most_exact(&self) -> u32 {
        self.exact.max(self.depth.unwrap_or(0)).min(60)
    }
}

impl<R: Record> Run<'_, R> {
    fn provenance(&self) -> Provenance {
        let mut provenance = self
            .inputs
            .provenance("relabel")
            .with(R::PLURAL, self.inputs.len())
            .with("exact", self.settings.exact)
            .with("shard", self.shard.to_string());
        if self.inputs.are_enumerated() {
            provenance = provenance.with("enumerated", true);
        }
        match self.settings.depth {
            // Exact scores depend on no evaluation.
            None => provenance,
            Some(depth) => provenance.with("depth", depth).with("weights", self.weights.as_str()),
        }
    }

    /// The numbers of this shard's records.
    fn numbers(&self) -> Range<u64> {
        let (records, per_frame) = (self.inputs.len(), R::PER_FRAME as u64);
        let frames = self.shard.frames(records.div_ceil(per_frame));
        let first_of = |frame: u64| frame.saturating_mul(per_frame).min(records);
        first_of(frames.start)..first_of(frames.end)
    }
}
