//! The shards of one run put together into the file that one process would have written.

mod openings;
mod records;
mod shards;

use std::path::{Path, PathBuf};

use othello_engine::file::{Existing, Summary, check_output};
use othello_engine::progress::Progress;
use othello_engine::record::{Game, RecordError, ScoredPosition};

use crate::dataset::{MemoryLimit, allowed_bytes};
use openings::OpeningShards;
use records::RecordShards;
use shards::Run;
pub use shards::{MergeError, Shards};

/// What a merged file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// How many shards it was made from.
    pub shards: u64,
    /// The kind of records in the file.
    pub content: Content,
    /// The positions of the file: in games, those after the random beginnings in which a move was
    /// played.
    pub positions: u64,
    /// The file.
    pub summary: Summary,
}

/// What a merged file is a file of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Games.
    Games {
        /// Games in it.
        games: u64,
        /// Games of the run that are not in it because an earlier one had the same moves.
        duplicates: u64,
    },
    /// Scored openings of all plies.
    Openings,
    /// Other scored positions.
    Positions,
}

/// Puts together all shards of a run, named in any order: the same bytes as one process makes that
/// does all of them. Of self-play, a game with the moves of one in an earlier shard is dropped, as
/// that process does it; of openings, the plies before the last are labelled from it. A run that
/// was killed reads the shards again, compares the frames that it wrote, and goes on after those.
pub fn merge(
    paths: &[PathBuf],
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Merged, MergeError> {
    merge_within(&MemoryLimit::beside(out, allowed_bytes()), paths, out, existing, progress)
}

/// Puts shards together with no more than so much memory for what stands for the games that were met: what
/// does not fit goes into a temporary file. The bytes are the same.
pub fn merge_within(
    limit: &MemoryLimit,
    paths: &[PathBuf],
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Merged, MergeError> {
    check_output(out, paths).map_err(RecordError::from)?;
    let shards = Shards::open(paths)?;
    let files = shards.files();
    match shards.run() {
        &Run::Games { ref whole, games } => {
            RecordShards::<Game>::new(whole, games, files).merge(out, limit, existing, progress)
        }
        &Run::Positions { ref whole, positions } => {
            RecordShards::<ScoredPosition>::new(whole, positions, files)
                .merge(out, limit, existing, progress)
        }
        Run::Openings { settings, weights } => {
            OpeningShards { settings, weights, files }.merge(out, existing, progress)
        }
        Run::Match { .. } | Run::Fit { .. } => Err(shards.no_records()),
    }
}

#[cfg(test)]
mod tests;
