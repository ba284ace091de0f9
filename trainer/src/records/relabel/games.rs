//! Games with the exact scores of their last positions.

use std::ops::Range;
use std::path::Path;

use othello_engine::eval::Evaluate;
use othello_engine::file::{Begin, Existing};
use othello_engine::progress::Progress;
use othello_engine::record::{
    FinishedGames, GAMES_PER_FRAME, Game, GameReader, GameWriter, RecordError,
};
use othello_engine::search::Searchers;
use rayon::prelude::*;

use super::{Changes, HASH_MEGABYTES, Relabelled, Run};

/// Relabels the games of a shard and writes them in their order, [`GAMES_PER_FRAME`] to a frame.
///
/// Each position is searched by one thread from a logically empty table, so the file does not
/// depend on threads, nor on how often the run was killed or interrupted and begun again; no
/// finished game is searched again then.
pub fn relabel_games<E: Evaluate>(
    out: &Path,
    run: &Run<Game>,
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
    let numbers = run.numbers();
    let before = run.inputs.from(numbers.start)?;
    for (before, after) in before.zip(GameReader::open(out)?) {
        changes.count_game(&run.settings, &before?, &after?);
    }
    Ok(Relabelled { records: numbers.end - numbers.start, changes, summary })
}

/// Searches the games that are not in the file yet, and writes them.
fn search<E: Evaluate>(
    run: &Run<Game>,
    evaluator: &E,
    writer: &mut GameWriter,
    finished: &FinishedGames,
    progress: &dyn Progress,
) -> Result<(), RecordError> {
    let Range { start, end } = run.numbers();
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
