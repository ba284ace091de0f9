//! Games with the exact scores of their positions from some number of empty squares on: how
//! collections of games are corrected, whose results tell what happened and not what was right.

mod one;

use std::ops::Range;
use std::path::Path;

use othello_engine::eval::Evaluate;
use othello_engine::file::{Begin, Existing, Provenance, Summary};
use othello_engine::progress::Progress;
use othello_engine::record::{
    FinishedGames, GAMES_PER_FRAME, Game, GameReader, GameWriter, RecordError, Shard,
};
use othello_engine::search::Searchers;
use rayon::prelude::*;

use super::sequence::Inputs;

pub use one::{Changes, Settings};

/// Which games to relabel.
pub struct Run<'a> {
    /// How.
    pub settings: Settings,
    /// The games, in all shards together.
    pub inputs: &'a Inputs<Game>,
    /// The part of them to do here: whole frames.
    pub shard: Shard,
    /// What identifies the evaluation: the checksum of its weights file, or its name.
    pub weights: String,
}

/// What a relabelled file holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Relabelled {
    /// All games of this shard.
    pub games: u64,
    /// How their results compare with what is exact.
    pub changes: Changes,
    /// The file.
    pub summary: Summary,
}

/// The table of each search. It decides how long the search takes, and not what it finds.
const HASH_MEGABYTES: usize = 16;

impl Run<'_> {
    fn provenance(&self) -> Provenance {
        let provenance = self
            .inputs
            .provenance("relabel")
            .with("games", self.inputs.len())
            .with("exact", self.settings.exact)
            .with("shard", self.shard.to_string());
        match self.settings.depth {
            // Exact scores depend on no evaluation.
            None => provenance,
            Some(depth) => provenance.with("depth", depth).with("weights", self.weights.as_str()),
        }
    }

    /// The numbers of this shard's games.
    fn games(&self) -> Range<u64> {
        let games = self.inputs.len();
        let frames = self.shard.frames(games.div_ceil(GAMES_PER_FRAME as u64));
        let first_of = |frame: u64| frame.saturating_mul(GAMES_PER_FRAME as u64).min(games);
        first_of(frames.start)..first_of(frames.end)
    }
}

/// Relabels the games of a shard and writes them in their order, [`GAMES_PER_FRAME`] to a frame.
///
/// Each position is searched by one thread from a logically empty table, so the file does not
/// depend on threads, nor on how often the run was killed or interrupted and begun again; no
/// finished game is searched again then.
pub fn relabel<E: Evaluate>(
    out: &Path,
    run: &Run,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Relabelled, RecordError> {
    let provenance = run.provenance();
    let summary = match GameWriter::begin(out, &provenance, existing)? {
        Begin::Done(summary) => summary,
        Begin::Writer(mut writer) => {
            progress.warn(writer.warning());
            let finished = FinishedGames::open(out, &provenance, existing)?;
            progress.warn(finished.warning());
            search(run, evaluator, &mut writer, &finished, progress)?;
            let summary = writer.finish()?;
            finished.remove()?;
            summary
        }
    };
    let mut changes = Changes::default();
    let numbers = run.games();
    let before = run.inputs.from(numbers.start)?;
    for (before, after) in before.zip(GameReader::open(out)?) {
        changes.count(&run.settings, &before?, &after?);
    }
    Ok(Relabelled { games: numbers.end - numbers.start, changes, summary })
}

/// Searches the games that are not in the file yet, and writes them.
fn search<E: Evaluate>(
    run: &Run,
    evaluator: &E,
    writer: &mut GameWriter,
    finished: &FinishedGames,
    progress: &dyn Progress,
) -> Result<(), RecordError> {
    let Range { start, end } = run.games();
    let mut next = (start + GAMES_PER_FRAME as u64 * writer.resumed_frames() as u64).min(end);
    let mut games = run.inputs.from(next)?;
    let done = next - start + finished.count_in(next..end);
    progress.begin("relabel (games)", done, end - start);
    let searchers = Searchers::new(evaluator, HASH_MEGABYTES);
    let relabel_one = |(number, game): (u64, Game)| -> Result<Game, RecordError> {
        if let Some(game) = finished.found(number) {
            return Ok(game.clone());
        }
        progress.check()?;
        let game = searchers.with(|searcher| run.settings.relabel(&game, searcher));
        finished.record(number, &game)?;
        progress.advance(1);
        Ok(game)
    };
    while next < end {
        let batch = next..(next + games_at_once()).min(end);
        next = batch.end;
        let numbered = batch.zip(games.by_ref()).map(|(number, game)| Ok((number, game?)));
        let numbered = numbered.collect::<Result<Vec<_>, RecordError>>()?;
        let relabelled = numbered.into_par_iter().with_max_len(1).map(relabel_one);
        for frame in relabelled.collect::<Result<Vec<Game>, _>>()?.chunks(GAMES_PER_FRAME) {
            writer.write_frame(frame)?;
        }
        finished.settle(writer)?;
    }
    Ok(())
}

/// So many that the threads seldom wait for the last game of a batch.
fn games_at_once() -> u64 {
    GAMES_PER_FRAME as u64 * (rayon::current_num_threads() as u64 / 8).max(1)
}

#[cfg(test)]
mod tests;
