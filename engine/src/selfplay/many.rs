//! Plays many games in parallel, stores them in parts, and joins the parts in order into one file.

mod pack;

use std::ops::Range;
use std::path::Path;

use serde::Serialize;

use super::{Beginnings, PerSide, Players, Settings, SideSettings, play_together};
use crate::eval::Identified;
use crate::file::{Existing, Kind, Provenance, Section, Summary};
use crate::progress::Progress;
use crate::record::{GAMES_PER_FRAME, Game, GameReader, Record as _, RecordError};
use crate::run::{self, Items, Opened, Plan, Shard, Stage, size};
use crate::search::{Pruning, Search, Searcher, Searchers, Selectivity};

use pack::Tally;
pub use pack::pack;

/// The size of the transposition table of each game, in MiB. The size influences the moves.
pub const HASH_MEGABYTES: usize = 16;

/// A self-play run: the games to play.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// The settings of each game.
    pub settings: Settings,
    /// The number of games of the run, in all shards together.
    pub games: u64,
    /// The part of the games that this process plays.
    pub shard: Shard,
}

/// The report on the games of a self-play run, or of one shard of the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Played {
    /// The number of distinct games.
    pub games: u64,
    /// The number of games dropped because an earlier one had the same moves.
    pub duplicates: u64,
    /// The number of positions in which a move was played, not counting the random beginnings.
    pub positions: u64,
    /// The checksum and size of the file with all games; `None` for a shard, which makes no such
    /// file.
    #[serde(flatten)]
    pub summary: Option<Summary>,
}

impl Run {
    /// Creates a run that is not divided into shards.
    pub fn whole(settings: Settings, games: u64) -> Self {
        Self { settings, games, shard: Shard::WHOLE }
    }

    fn provenance(&self, weights: PerSide<&str>) -> Provenance {
        let Settings { seed, random_plies, openings, sides, exact, exploration, values } =
            &self.settings;
        let PerSide { black, white } = sides;
        let (full, other_pruning) = (Selectivity::Full, white.selectivity != black.selectivity);
        Provenance::new("selfplay")
            .with("games", self.games)
            .with("shard", Shard::WHOLE.to_string())
            .with("seed", *seed)
            .with("random_plies", random_plies.to_string())
            .with("depth", black.depth)
            .with("exact", exact.to_json())
            .with("values", *values)
            .with("hash_megabytes", HASH_MEGABYTES)
            .with("weights", weights.black)
            .with_unusual(openings.identity().is_some(), "openings", openings.identity())
            .with_unusual(!exploration.is_none(), "exploration", exploration.to_string())
            .with_unusual(black.nodes.is_some(), "nodes", black.nodes)
            .with_unusual(black.selectivity != full, "selectivity", black.selectivity.percent())
            .with_unusual(!black.ends.is_none(), "ends", black.ends.to_string())
            .with_unusual(white.depth != black.depth, "white_depth", white.depth)
            .with_unusual(white.nodes != black.nodes, "white_nodes", white.nodes)
            .with_unusual(other_pruning, "white_selectivity", white.selectivity.percent())
            .with_unusual(white.ends != black.ends, "white_ends", white.ends.to_string())
            .with_unusual(weights.white != weights.black, "white_weights", weights.white)
    }

    fn plan(&self, weights: PerSide<&str>, games_per_part: u64) -> Plan {
        Plan {
            kind: Some(Kind::Games),
            provenance: self.provenance(weights),
            stages: vec![Stage::new(GAMES, self.games, games_per_part)],
            growing: Some("games".into()),
        }
    }

    fn games_per_part(&self) -> u64 {
        let seconds = |side: &SideSettings| match side.nodes {
            Some(nodes) => size::nodes(nodes),
            None => size::search(side.depth),
        };
        let Settings { sides: PerSide { black, white }, exact, .. } = &self.settings;
        let search = seconds(black).max(seconds(white));
        size::units(size::game(search, exact.most()), MOST_PER_PART)
    }

    fn games_together(&self, games_per_part: u64) -> u64 {
        if !self.settings.searches_are_shallow() {
            return 1;
        }
        let at_once = self.games.min(2 * games_per_part);
        let share = at_once / (4 * rayon::current_num_threads() as u64);
        share.clamp(MOST_TOGETHER / 8, MOST_TOGETHER)
    }
}

const GAMES: &str = "self-play (games)";
const MOST_PER_PART: u64 = 1 << 16;
/// The greatest number of games in one call of [`play_together`]. A call takes a second or two.
const MOST_TOGETHER: u64 = GAMES_PER_FRAME as u64;

/// Plays the games of a shard, and stores them in several files (parts). If the run is not divided
/// into shards, also joins the parts into one file, without games that repeat all moves of a game
/// with a lower index.
///
/// The games do not depend on threads, shards or interruptions. The run reuses the complete parts
/// of an earlier run to `path` if that run had the same settings and not more games. In a game,
/// sides with the same evaluation and pruning share a transposition table.
pub fn play_games<E: Identified>(
    path: &Path,
    run: &Run,
    evaluators: PerSide<&E>,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Played, RecordError> {
    play_in_parts(path, run, run.games_per_part(), evaluators, existing, progress)
}

fn play_in_parts<E: Identified>(
    path: &Path,
    run: &Run,
    games_per_part: u64,
    evaluators: PerSide<&E>,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Played, RecordError> {
    let Settings { sides: PerSide { black, white }, exact, .. } = &run.settings;
    let pruning = |evaluator: &E, side: &SideSettings| {
        let ends = side.ends.clone().exact_from(exact.most());
        Pruning::new(evaluator, side.selectivity)?.with_endgame(evaluator, &ends)
    };
    let black_pruning = pruning(evaluators.black, black)?;
    let white_pruning = pruning(evaluators.white, white)?;
    let identities =
        PerSide { black: evaluators.black.identity(), white: evaluators.white.identity() };
    let plan = run.plan(identities, games_per_part);
    let parts = match run::Run::open(path, plan, run.shard, existing, progress)? {
        Opened::Run(parts) => parts,
        Opened::Done(summary) => {
            progress.begin(GAMES, run.games, run.games);
            let mut tally = Tally::default();
            for game in GameReader::open(path)? {
                tally.count(&game?);
            }
            return Ok(tally.played(run.games, Some(summary)));
        }
    };
    let searchers = |evaluator, pruning| {
        let search = Search::new(evaluator).hash_mb(HASH_MEGABYTES).pruning(pruning);
        search.searchers().map_err(|error| RecordError::Search(error.into()))
    };
    let different = identities.white != identities.black
        || white.selectivity != black.selectivity
        || white.ends != black.ends;
    let white = different.then(|| searchers(evaluators.white, white_pruning)).transpose()?;
    let games = GamesByNumber {
        beginnings: Beginnings::new(&run.settings),
        black: searchers(evaluators.black, black_pruning)?,
        white,
    };
    parts.make(0, run.games_together(games_per_part), &games, progress)?;
    match parts.is_shard() {
        true => pack::count(&parts, progress),
        false => parts.pack(|parts| pack(parts, progress)),
    }
}

struct GamesByNumber<'a, E: Identified> {
    beginnings: Beginnings<'a>,
    black: Searchers<'a, E>,
    white: Option<Searchers<'a, E>>,
}

impl<'a, E: Identified> Items for GamesByNumber<'a, E> {
    type Input = ();
    type Output = Game;
    type Error = RecordError;

    fn fits(&self, numbers: Range<u64>, part: &[Section]) -> bool {
        let frames = part.iter().map(|section| Game::decode_frame(&section.content));
        let Ok(frames) = frames.collect::<Result<Vec<_>, _>>() else { return false };
        let games = frames.concat();
        games.len() as u64 == numbers.end - numbers.start
            && numbers.zip(&games).all(|(number, game)| self.beginnings.fits(number, game))
    }

    fn begin(&self, _: Range<u64>) -> Result<(), RecordError> {
        Ok(())
    }

    fn make(&self, (): &(), numbers: Range<u64>) -> Result<Vec<Game>, RecordError> {
        let numbers: Vec<u64> = numbers.collect();
        let play = |black: &mut Searcher<'a, E>, white: Option<&mut Searcher<'a, E>>| {
            play_together(&self.beginnings, &numbers, &mut Players { black, white })
        };
        Ok(self.black.with(|black| match &self.white {
            None => play(black, None),
            Some(white) => white.with(|white| play(black, Some(white))),
        }))
    }

    fn encode(&self, games: Vec<Game>) -> Vec<Section> {
        games.chunks(GAMES_PER_FRAME).map(Game::section).collect()
    }
}

#[cfg(test)]
mod tests;
