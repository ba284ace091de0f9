//! Merges the parts of a scored ply, and labels the earlier plies from them.

use std::path::{Path, PathBuf};

use othello_engine::board::Position;
use othello_engine::eval::Value;
use othello_engine::file::Existing;
use othello_engine::openings::{self, Settings, enumerate, movers, write_scored};
use othello_engine::progress::Progress;
use othello_engine::record::{PositionReader, RecordError, Shard};

use super::{Content, MergeError, Merged};

/// The shards of a run of `openings`.
pub(super) struct OpeningShards<'a> {
    /// The settings of the undivided run.
    pub(super) settings: &'a Settings,
    /// The identity of the evaluation that scored the last ply.
    pub(super) weights: &'a str,
    /// The files in the order of their shards.
    pub(super) files: &'a [(Shard, PathBuf)],
}

impl OpeningShards<'_> {
    /// Merges the parts: enumerates the plies again and checks each part's positions against them.
    pub(super) fn merge(
        &self,
        out: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Merged, MergeError> {
        let unique = enumerate(self.settings.plies, progress);
        let plies: Vec<Vec<Position>> = unique.iter().map(|ply| movers(ply)).collect();
        let last = plies.last().map_or(&[][..], Vec::as_slice);
        progress.begin_stoppable("merge (positions)", 0, last.len() as u64);
        let mut values = Vec::with_capacity(last.len());
        for &(shard, ref path) in self.files {
            let places = Settings { shard, ..*self.settings }.places(last.len());
            values.extend(self.values(path, shard, &last[places], progress)?);
        }
        let summary =
            write_scored(out, (self.settings, self.weights), &plies, values, existing, progress)?;
        let positions = plies.iter().map(Vec::len).sum::<usize>() as u64;
        let shards = self.files.len() as u64;
        Ok(Merged { shards, content: Content::Openings, positions, summary })
    }

    /// Returns the values in a file that must hold exactly these positions.
    fn values(
        &self,
        path: &Path,
        shard: Shard,
        positions: &[Position],
        progress: &dyn Progress,
    ) -> Result<Vec<Value>, MergeError> {
        let mut reader = PositionReader::open(path)?;
        let mut values = Vec::with_capacity(positions.len());
        let mut same = true;
        while let Some(rows) = reader.next_frame()? {
            progress.check().map_err(RecordError::from)?;
            let expected = positions.get(values.len()..).unwrap_or(&[]);
            same &= rows.len() <= expected.len()
                && rows.iter().zip(expected).all(|(row, &position)| row.position() == position);
            values.extend(rows.iter().map(openings::value));
            progress.advance(rows.len() as u64);
        }
        if same && values.len() == positions.len() {
            return Ok(values);
        }
        let (path, expected, ply) = (path.to_owned(), positions.len(), self.settings.plies);
        Err(MergeError::Positions { path, shard, expected, ply })
    }
}
