//! Shards of games put together.

use std::path::{Path, PathBuf};

use othello_engine::file::{Begin, Existing, Provenance};
use othello_engine::progress::Progress;
use othello_engine::record::{
    DistinctGames, GAMES_PER_FRAME, Game, GameReader, GameWriter, Outline, RecordError, Shard,
};
use serde_json::Value;

use super::{Content, MergeError, Merged};

/// The shards of a run of `selfplay` or `relabel`.
pub(super) struct GameShards<'a> {
    /// What the merged file is made from: the same as the file of an undivided run.
    pub(super) provenance: &'a Provenance,
    /// How many games the run has, those that are dropped included.
    pub(super) games: u64,
    /// The files, the first shard first.
    pub(super) files: &'a [(Shard, PathBuf)],
}

impl GameShards<'_> {
    /// Writes their games frame by frame.
    pub(super) fn merge(
        &self,
        out: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Merged, MergeError> {
        let mut tally = Tally { drops_duplicates: self.drop_duplicates(), ..Tally::default() };
        let summary = match GameWriter::begin(out, self.provenance, existing)? {
            Begin::Done(summary) => {
                let mut reader = GameReader::open(out)?;
                while let Some(games) = reader.next_outlines()? {
                    games.iter().for_each(|game| tally.count(game));
                }
                summary
            }
            Begin::Writer(mut writer) => {
                progress.warn(writer.warning());
                let mut there = writer.reread()?;
                while let Some(games) = there.next_outlines()? {
                    for game in &games {
                        tally.is_new(game);
                    }
                }
                let mut passed = writer.resumed_frames() as u64;
                progress.begin_stoppable("merge (frames)", passed, self.frames());
                self.read(&mut passed, |games| {
                    progress.check().map_err(RecordError::from)?;
                    let new = games.into_iter().filter(|(outline, _)| tally.is_new(outline));
                    writer.write_frame(&new.map(|(_, game)| game).collect::<Vec<Game>>())?;
                    progress.advance(1);
                    Ok(())
                })?;
                writer.finish()?
            }
        };
        let Tally { games, positions, .. } = tally;
        let content = Content::Games { games, duplicates: self.games.saturating_sub(games) };
        Ok(Merged { shards: self.files.len() as u64, content, positions, summary })
    }

    /// How many frames all shards have together.
    fn frames(&self) -> u64 {
        self.games.div_ceil(GAMES_PER_FRAME as u64)
    }

    /// Whether an undivided run drops games with the moves of earlier ones.
    fn drop_duplicates(&self) -> bool {
        self.provenance.get("command").and_then(Value::as_str) == Some("selfplay")
    }

    /// Hands the frames of all shards to `take`, but for the first `pass_by` ones.
    fn read(
        &self,
        pass_by: &mut u64,
        mut take: impl FnMut(Vec<(Outline, Game)>) -> Result<(), RecordError>,
    ) -> Result<(), MergeError> {
        for (shard, path) in self.files {
            let frames = shard.frames(self.frames());
            let expected = frames.end - frames.start;
            if *pass_by >= expected {
                *pass_by -= expected;
                continue;
            }
            let (mut reader, mut found) = (GameReader::open(path)?, 0);
            while *pass_by > 0 && reader.pass_by_frame()?.is_some() {
                *pass_by -= 1;
                found += 1;
            }
            while let Some(games) = reader.next_outlined_frame()? {
                found += 1;
                if found <= expected {
                    take(games)?;
                }
            }
            if found != expected {
                let (path, shard) = (path.clone(), *shard);
                return Err(MergeError::Frames { path, shard, found, expected });
            }
        }
        Ok(())
    }
}

/// What is in the merged file so far.
#[derive(Default)]
struct Tally {
    drops_duplicates: bool,
    seen: DistinctGames,
    games: u64,
    positions: u64,
}

impl Tally {
    /// Counts a game that belongs into the file; whether it is one.
    fn is_new(&mut self, game: &Outline) -> bool {
        let new = !self.drops_duplicates || self.seen.insert_outline(game);
        if new {
            self.count(game);
        }
        new
    }

    fn count(&mut self, game: &Outline) {
        self.games += 1;
        let random_plies = usize::from(game.random_plies);
        self.positions += game.ordinals.len().saturating_sub(random_plies) as u64;
    }
}
