//! Merges the shards of one run into the file that one process would have written.

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

/// The content of a merged file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// The number of shards.
    pub shards: u64,
    /// The kind of records in the file.
    pub content: Content,
    /// The number of positions in the file; in games, those after the random opening moves in which
    /// a move was played.
    pub positions: u64,
    /// The summary of the file.
    pub summary: Summary,
}

/// The kind of a merged file's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Games.
    Games {
        /// The number of games in the file.
        games: u64,
        /// The number of games of the run that were left out because an earlier game has the same
        /// moves.
        duplicates: u64,
    },
    /// Scored openings of all plies.
    Openings,
    /// Other scored positions.
    Positions,
}

/// Merges all shards of a run, given in any order, into the same bytes as one process makes for the
/// whole run. In shards of self-play, drops a game whose moves equal those of a game in an earlier
/// shard, as that process does. In shards of openings, labels the earlier plies from the last one.
/// A run that was killed reads the shards again, compares the frames that it wrote, and continues
/// after them.
pub fn merge(
    paths: &[PathBuf],
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Merged, MergeError> {
    merge_within(&MemoryLimit::beside(out, allowed_bytes()), paths, out, existing, progress)
}

/// Merges shards like [`merge`], with no more than `limit` of memory for the keys of the games;
/// keys that do not fit go into a temporary file. The bytes are the same.
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
