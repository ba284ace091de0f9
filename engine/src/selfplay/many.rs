//! Many games in parallel, written in their order.

use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::{Beginnings, PerSide, Players, Settings, play_together};
use crate::eval::Identified;
use crate::file::{Begin, Existing, Provenance, Summary};
use crate::progress::Progress;
use crate::record::{
    DistinctGames, FinishedWork, GAMES_PER_FRAME, Game, GameReader, GameWriter, RecordError, Shard,
};
use crate::search::{Search, Selection, Selectivity};

/// The size of each game's transposition table, in MiB. It influences the game, so it is no setting
/// of the machine.
pub const HASH_MEGABYTES: usize = 16;

/// The games to play.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The settings of each game.
    pub settings: Settings,
    /// The number of games in all shards together.
    pub games: u64,
    /// The shard to play. It consists of whole frames, so it has no game if there are fewer frames
    /// than shards.
    pub shard: Shard,
}

/// The content of a finished file of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Played {
    /// The number of distinct games.
    pub games: u64,
    /// The number of games dropped because an earlier one of this shard had the same moves.
    pub duplicates: u64,
    /// The number of positions after the random beginnings in which a move was played.
    pub positions: u64,
    /// The checksum and size of the file.
    #[serde(flatten)]
    pub summary: Summary,
}

impl Run {
    /// Returns the undivided run of games.
    pub fn whole(settings: Settings, games: u64) -> Self {
        Self { settings, games, shard: Shard::WHOLE }
    }

    /// Returns the provenance of a file of games; `weights` are the identities of the evaluations.
    fn provenance(&self, weights: PerSide<&str>) -> Provenance {
        let Settings {
            seed,
            random_plies,
            openings,
            depth,
            nodes,
            selectivity,
            ends,
            exact,
            exploration,
            values,
        } = &self.settings;
        let provenance = Provenance::new("selfplay")
            .with("games", self.games)
            .with("shard", self.shard.to_string())
            .with("seed", *seed)
            .with("random_plies", random_plies.to_string())
            .with("depth", depth.black)
            .with("exact", exact.to_json())
            .with("values", *values)
            .with("hash_megabytes", HASH_MEGABYTES)
            .with("weights", weights.black);
        // Only unusual settings are added, so that the files of usual runs stay the same.
        let unusual = [
            ("openings", openings.identity().map(Value::from)),
            ("exploration", (!exploration.is_none()).then(|| exploration.to_string().into())),
            ("nodes", nodes.map(Value::from)),
            (
                "selectivity",
                (*selectivity != Selectivity::Full).then(|| selectivity.percent().into()),
            ),
            ("ends", (!ends.is_none()).then(|| ends.to_string().into())),
            ("white_depth", (depth.white != depth.black).then(|| depth.white.into())),
            ("white_weights", (weights.white != weights.black).then(|| weights.white.into())),
        ];
        let given = unusual.into_iter().filter_map(|(key, value)| Some((key, value?)));
        given.fold(provenance, |provenance, (key, value)| provenance.with(key, value))
    }

    /// Returns the range of frames of this shard.
    fn frames(&self) -> Range<u64> {
        self.shard.frames(self.games.div_ceil(GAMES_PER_FRAME as u64))
    }

    /// Returns the numbers of the games in a range of frames.
    fn games_of(&self, frames: Range<u64>) -> Range<u64> {
        let first_of = |frame: u64| frame.saturating_mul(GAMES_PER_FRAME as u64).min(self.games);
        first_of(frames.start)..first_of(frames.end)
    }

    /// Keeps the frames of an earlier run whose games begin as this run's games do and are all
    /// different, up to the first other frame. Returns a message for the user if frames are
    /// dropped.
    fn keep_own(
        &self,
        writer: &mut GameWriter,
        beginnings: &Beginnings<'_>,
    ) -> Result<Option<String>, RecordError> {
        let (frames, mut seen) = (self.frames(), DistinctGames::default());
        writer.keep_while(|frame, games| {
            let frame = frames.start + frame as u64;
            if frame >= frames.end {
                return Ok(false);
            }
            // Duplicates were dropped; the remaining games follow each other.
            let mut numbers = self.games_of(frame..frame + 1);
            let begins = |game: &Game| numbers.any(|number| beginnings.fits(number, game));
            Ok(games.iter().all(begins) && games.iter().all(|game| seen.insert(game.squares())))
        })
    }
}

/// The name of the games in progress messages.
const GAMES: &str = "self-play (games)";

/// Plays the games of a shard and writes them, [`GAMES_PER_FRAME`] of them to a frame. If both
/// sides have the same evaluation, they share a transposition table.
///
/// The file does not depend on the number of threads, nor on how often the run was killed or
/// interrupted and resumed; no finished game is played again. A game with the moves of an earlier
/// game of the same shard is dropped. Concatenating all shards' files and dropping duplicates once
/// more gives the file of an undivided run.
pub fn play_games<E: Identified>(
    path: &Path,
    run: &Run,
    evaluators: PerSide<&E>,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Played, RecordError> {
    let frames = run.frames();
    let count = |games: Range<u64>| games.end - games.start;
    let games = count(run.games_of(frames.clone()));
    let Settings { selectivity, ends, exact, .. } = &run.settings;
    let ends = ends.clone().exact_from(exact.most());
    let selected = |evaluator| Selection::new(evaluator, *selectivity)?.with_ends(evaluator, &ends);
    let selections =
        PerSide { black: selected(evaluators.black)?, white: selected(evaluators.white)? };
    let mut tally = Tally::default();
    let identities =
        PerSide { black: evaluators.black.identity(), white: evaluators.white.identity() };
    let provenance = run.provenance(identities);
    let mut writer = match GameWriter::begin(path, &provenance, existing)? {
        Begin::Done(summary) => {
            progress.begin(GAMES, games, games);
            for game in GameReader::open(path)? {
                tally.count(&game?);
            }
            return Ok(tally.played(games, summary));
        }
        Begin::Writer(writer) => writer,
    };
    progress.warn(writer.warning());
    let beginnings = Beginnings::new(&run.settings);
    progress.warn(run.keep_own(&mut writer, &beginnings)?);
    for game in writer.reread()? {
        tally.is_new(&game?);
    }
    let finished = FinishedWork::open(path, &provenance, existing)?;
    progress.warn(finished.warning());
    let mut next = frames.start + writer.resumed_frames() as u64;
    let found = finished.count_in(run.games_of(next..frames.end));
    let done = count(run.games_of(frames.start..next)) + found;
    progress.begin_stoppable(GAMES, done, games);
    let searchers = |evaluator, selection| {
        let search = Search::new(evaluator).hash_mb(HASH_MEGABYTES).selection(selection);
        search.searchers().map_err(|error| RecordError::Search(error.into()))
    };
    let black = searchers(evaluators.black, selections.black)?;
    let different = identities.white != identities.black;
    let white = different.then(|| searchers(evaluators.white, selections.white)).transpose()?;
    let play = |numbers: &[u64]| {
        black.with(|black| match &white {
            None => play_together(&beginnings, numbers, &mut Players::Same(black)),
            Some(white) => white.with(|white| {
                let sides = PerSide { black, white };
                play_together(&beginnings, numbers, &mut Players::Different(sides))
            }),
        })
    };
    let is_shallow = run.settings.searches_are_shallow();
    while next < frames.end {
        let batch = next..(next + frames_at_once(is_shallow)).min(frames.end);
        next = batch.end;
        let numbers = run.games_of(batch);
        let (first, numbers) = (numbers.start, numbers.collect::<Vec<u64>>());
        let together = if is_shallow { games_together(numbers.len()) } else { 1 };
        let fits = |&number: &u64, game: &Game| beginnings.fits(number, game);
        let played = finished.complete(first, &numbers, together, progress, fits, play)?;
        for frame in played.chunks(GAMES_PER_FRAME) {
            let new = |game: &&Game| tally.is_new(game);
            writer.write_frame(&frame.iter().filter(new).cloned().collect::<Vec<_>>())?;
        }
        finished.settle(&writer)?;
    }
    let summary = writer.finish()?;
    finished.remove()?;
    Ok(tally.played(games, summary))
}

/// The greatest number of games with shallow searches that one thread plays together: enough that a
/// phase's weights are read from memory once for many searches, and few enough to finish in a
/// second or two. With 32 games, self-play at depth 4 takes a tenth more time.
const MOST_TOGETHER: usize = GAMES_PER_FRAME;

/// Returns the number of games of a batch to play together, so that every thread has some in all
/// but small batches. The games do not depend on it.
fn games_together(batch: usize) -> usize {
    (batch / (4 * rayon::current_num_threads())).clamp(MOST_TOGETHER / 8, MOST_TOGETHER)
}

/// Returns the number of frames in a batch: enough that threads seldom wait for its last games.
fn frames_at_once(is_shallow: bool) -> u64 {
    let games = if is_shallow { 16 * MOST_TOGETHER } else { 32 };
    (games * rayon::current_num_threads() / GAMES_PER_FRAME).max(1) as u64
}

/// The content of the file so far.
#[derive(Default)]
struct Tally {
    seen: DistinctGames,
    games: u64,
    positions: u64,
}

impl Tally {
    /// Counts a game if its moves are new; returns whether they are.
    fn is_new(&mut self, game: &Game) -> bool {
        let new = self.seen.insert(game.squares());
        if new {
            self.count(game);
        }
        new
    }

    fn count(&mut self, game: &Game) {
        self.games += 1;
        self.positions += game.positions() as u64;
    }

    fn played(self, games: u64, summary: Summary) -> Played {
        let duplicates = games - self.games;
        Played { games: self.games, duplicates, positions: self.positions, summary }
    }
}

#[cfg(test)]
mod tests;
