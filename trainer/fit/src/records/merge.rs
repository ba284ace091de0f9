//! Merges the shards of one run into the file that one process would have written.

mod openings;
mod records;

use std::path::{Path, PathBuf};

use othello_engine::file::{Existing, Kind, Summary, check_output};
use othello_engine::openings::Settings;
use othello_engine::progress::Progress;
use othello_engine::record::{Game, RecordError, ScoredPosition, Shard};

use crate::memory::{MemoryLimit, NoRoom, allowed_bytes};
use crate::shards::{Shards, ShardsError};
use openings::OpeningShards;
use records::RecordShards;

/// The commands whose shards hold records.
const COMMANDS: [&str; 3] = ["selfplay", "relabel", "openings"];

/// Errors of merging shards of records.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The files are not all shards of one run.
    #[error(transparent)]
    Shards(#[from] ShardsError),
    /// A complete file has fewer or more frames than its shard.
    #[error("{}: has {found} frames, where shard {shard} has {expected}; make it again",
        path.display())]
    Frames {
        /// The file.
        path: PathBuf,
        /// The shard of the file.
        shard: Shard,
        /// The number of frames in the file.
        found: u64,
        /// The number of frames of the shard.
        expected: u64,
    },
    /// The positions of a file are not those of its part of the ply.
    #[error("{}: its positions are not those of shard {shard}, {expected} of ply {ply}; make it \
        again", path.display())]
    Positions {
        /// The file.
        path: PathBuf,
        /// The shard of the file.
        shard: Shard,
        /// The number of positions of the shard.
        expected: usize,
        /// The last ply.
        ply: u32,
    },
    /// There is too little memory to remember the repeated games.
    #[error(
        "to drop what is repeated among {records} games takes {needed} MB of memory at least; raise \
        --memory-mb"
    )]
    Memory {
        /// The number of records of the run.
        records: u64,
        /// The least memory, in units of 2²⁰ bytes.
        needed: u64,
    },
    /// There is no room for the temporary file.
    #[error(transparent)]
    Temporary(#[from] NoRoom),
    /// A file that cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

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
    let shards = Shards::open(paths, &COMMANDS)?;
    let (files, whole) = (shards.files(), shards.whole());
    match shards.kind() {
        Kind::Games => RecordShards::<Game>::new(whole, shards.number("games")?, files)
            .merge(out, limit, existing, progress),
        Kind::Positions => {
            let positions = shards.number("positions")?;
            RecordShards::<ScoredPosition>::new(whole, positions, files)
                .merge(out, limit, existing, progress)
        }
        Kind::Openings => {
            let (settings, weights) = Settings::of(whole).ok_or_else(|| {
                shards.no_shards("it was made by another version of the program".to_owned())
            })?;
            OpeningShards { settings: &settings, weights: &weights, files }
                .merge(out, existing, progress)
        }
        _ => Err(shards.no_shards("it holds no records".to_owned()).into()),
    }
}

#[cfg(test)]
mod tests;
