//! The shards of one run put together into the file that one process would have written.

mod shards;

use std::path::{Path, PathBuf};

use othello_engine::file::{Begin, Existing, Summary};
use othello_engine::progress::Progress;
use othello_engine::record::{DistinctGames, Game, GameReader, GameWriter, Outline, RecordError};

pub use shards::MergeError;
use shards::Shards;

/// What a merged file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// How many shards it was made from.
    pub shards: u64,
    /// Games in it.
    pub games: u64,
    /// Games of the run that are not in it because an earlier one had the same moves.
    pub duplicates: u64,
    /// Positions after the random beginnings in which a move was played.
    pub positions: u64,
    /// The file.
    pub summary: Summary,
}

/// Writes the games of all shards of a run, named in any order, frame by frame: the same bytes as
/// one process makes that does all shards. Of self-play, a game with the moves of one in an earlier
/// shard is dropped, as that process does it. A run that was killed goes on after its last frame.
pub fn merge(
    paths: &[PathBuf],
    out: &Path,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Merged, MergeError> {
    let shards = Shards::open(paths)?;
    let mut tally = Tally { drops_duplicates: shards.drop_duplicates(), ..Tally::default() };
    let summary = match GameWriter::begin(out, shards.provenance(), existing)? {
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
            progress.begin("merge (frames)", passed, shards.frames());
            shards.read(&mut passed, |games| {
                progress.check().map_err(RecordError::from)?;
                let new = games.into_iter().filter(|(outline, _)| tally.is_new(outline));
                writer.write_frame(&new.map(|(_, game)| game).collect::<Vec<Game>>())?;
                progress.advance(1);
                Ok(())
            })?;
            writer.finish()?
        }
    };
    let duplicates = shards.games().saturating_sub(tally.games);
    let Tally { games, positions, .. } = tally;
    Ok(Merged { shards: shards.count(), games, duplicates, positions, summary })
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

#[cfg(test)]
mod tests;
