//! Match files, and matches that can be resumed because they store their finished games.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use othello_engine::board::notation::board_text;
use othello_engine::board::transcript::{self, Replay};
use othello_engine::board::{Discs, Position, Side, Square, StatedPosition};
use othello_engine::file::{Existing, FileError, Kind, Provenance, Reader, Section, Summary};
use othello_engine::progress::Progress;
use othello_engine::run::{Items, Opened, Plan, Run, RunError, Shard, Stage, size};
use othello_engine::search::TableError;
use serde::{Deserialize, Serialize};

use super::paired::{Match, PAIRS, Seats};
use super::result::{MatchResult, OrderedPairs, PlayedGame, PlayedPair};
use super::{Budget, Effort, Pair, Sprt};
use crate::{LabError, Result};

/// The names of the players and the settings of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Conditions {
    /// The names of the players.
    pub players: [String; 2],
    /// The search depth, in plies, of a player whose own settings state none.
    pub depth: u32,
    /// The number of empty squares at or below which a player solves positions exactly, if the
    /// player's own settings state no number.
    pub exact: u32,
    /// Each player's limits on the nodes and the time of its searches.
    pub budgets: [Budget; 2],
    /// The sequential test that ends the match, if any.
    pub sprt: Option<Sprt>,
}

/// A match that stores finished pairs of games in files, so that it can be resumed.
#[derive(Clone, Copy)]
pub struct KeptMatch<'a> {
    /// The pairs of players, usually one. If there are several, each pair plays an equal share of
    /// `openings`, in order; the last share may be smaller.
    pub players: &'a [Match<'a>],
    /// The openings of the whole match, even if this process plays only one shard of it.
    pub openings: &'a [Position],
    /// The conditions, which the match file stores.
    pub conditions: &'a Conditions,
    /// The display of the progress.
    pub progress: &'a dyn Progress,
}

/// The content of a match file, or of the files in which a shard stores its share of the games.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchFile {
    /// The conditions of the match.
    pub conditions: Conditions,
    /// The result of the pairs that count: all, or those up to the decision of a sequential test.
    pub result: MatchResult,
    /// The size and the checksum of the match file; `None` for a shard, which writes no match file.
    pub summary: Option<Summary>,
}

const CONDITIONS: &str = "match";

const MOST_PER_PART: u64 = 1 << 12;

/// With a sequential test, the match is stored in parts (files of pairs of games) that are smaller
/// by this factor. Pairs that are played after the test's decision do not count, and smaller parts
/// have fewer of them.
const SHORTER_BY_TEST: f64 = 4.0;

/// Returns the stage of a run that plays `pairs` pairs of games; a pair takes about `seconds` on
/// one thread. With a sequential test (`sprt`), the parts of the stage are smaller.
pub fn match_stage(name: &str, pairs: u64, seconds: f64, sprt: Option<Sprt>) -> Stage {
    let test = if sprt.is_some() { SHORTER_BY_TEST } else { 1.0 };
    Stage::new(name, pairs, size::units(test * seconds, MOST_PER_PART))
}

impl KeptMatch<'_> {
    /// Returns the stage of a run in which [`Self::play`] plays the pairs of games.
    pub fn stage(&self) -> Stage {
        let seconds = self.players.iter().map(Match::seconds_of_pair).fold(0.0, f64::max);
        match_stage(PAIRS, self.openings.len() as u64, seconds, self.conditions.sprt)
    }

    /// Plays a shard's pairs of games, except those that an interrupted run has stored. If the
    /// shard is the whole match, also writes the match file `path`, with `settings` in its
    /// provenance.
    pub fn play(
        &self,
        path: &Path,
        settings: &Provenance,
        stage: Stage,
        (shard, existing): (Shard, Existing),
    ) -> Result<MatchFile> {
        let progress = self.progress;
        let (kind, provenance) = (Some(Kind::Match), self.provenance(settings));
        let plan = Plan { kind, provenance, stages: vec![stage.clone()], growing: None };
        let run = match Run::open(path, plan, shard, existing, progress)? {
            Opened::Run(run) => run,
            Opened::Done(_) => {
                progress.begin(&stage.name, stage.units, stage.units);
                return MatchFile::read(path);
            }
        };
        self.make(&run, 0)?;
        if run.is_shard() {
            return self.shard_of(&run);
        }
        run.pack(|run| pack(run, progress))?;
        MatchFile::read(path)
    }

    /// Plays the match as stage number `stage` of a run. Does not write a match file.
    pub fn play_stage(&self, run: &Run, stage: usize) -> Result<MatchResult> {
        self.make(run, stage)?;
        let mut played = OrderedPairs::new(Sprt::ends(self.conditions.sprt));
        read_stage(run, stage, &mut played, self.progress)?;
        Ok(MatchResult::new(played.pairs))
    }

    fn make(&self, run: &Run, stage: usize) -> Result<()> {
        let ends = Mutex::new(Sprt::ends(self.conditions.sprt));
        let seats = self.players.iter().map(|&players| Seats::of(players)).collect();
        run.make(stage, 1, &Pairs { kept: self, seats, ends }, self.progress)
    }

    fn shard_of(&self, run: &Run) -> Result<MatchFile> {
        let mut pairs = vec![];
        for index in run.own(0).filter(|&index| run.has(0, index)) {
            read_pairs(&mut run.part(0, index)?, |_, pair| pairs.push(pair))?;
        }
        let result = MatchResult::new(pairs);
        Ok(MatchFile { conditions: self.conditions.clone(), result, summary: None })
    }

    fn provenance(&self, settings: &Provenance) -> Provenance {
        let sprt = self.conditions.sprt;
        settings
            .clone()
            .with("pairs", self.openings.len())
            .with("shard", Shard::WHOLE.to_string())
            .with_unusual(sprt.is_some(), "sprt", serde_json::json!(sprt))
    }
}

struct Pairs<'a, F> {
    kept: &'a KeptMatch<'a>,
    seats: Vec<Seats<'a>>,
    ends: Mutex<F>,
}

impl<F: FnMut(Pair) -> bool + Send> Items for Pairs<'_, F> {
    type Input = ();
    type Output = PlayedPair;
    type Error = LabError;

    const CAN_END: bool = true;
    fn fits(&self, numbers: Range<u64>, part: &[Section]) -> bool {
        let Some((conditions, pairs)) = part.split_last() else { return false };
        let fits = |(number, section): (u64, &Section)| {
            let opening = self.kept.openings.get(number as usize).map(Position::canonical);
            number_of(section) == Some(number as usize)
                && decode_pair(number as usize, section)
                    .is_ok_and(|pair| Some(pair.games[0].opening.canonical()) == opening)
        };
        pairs.len() as u64 == numbers.end - numbers.start
            && read_conditions(conditions).is_ok()
            && numbers.zip(pairs).all(fits)
    }

    fn begin(&self, _: Range<u64>) -> Result<()> {
        Ok(())
    }

    fn make(&self, (): &(), numbers: Range<u64>) -> Result<Vec<PlayedPair>> {
        let &KeptMatch { openings, progress, .. } = self.kept;
        let share = openings.len().div_ceil(self.seats.len());
        let play = |number: u64| {
            let number = number as usize;
            self.seats[number / share].play(number, openings[number], progress)
        };
        Ok(numbers.map(play).collect::<Result<_, TableError>>()?)
    }

    fn encode(&self, pairs: Vec<PlayedPair>) -> Vec<Section> {
        let conditions = conditions_section(self.kept.conditions);
        pairs.iter().map(encode_pair).chain([conditions]).collect()
    }

    fn ends(&self, part: &[Section]) -> bool {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pairs =
            part.iter().filter_map(|section| decode_pair(number_of(section)?, section).ok());
        pairs.any(|pair| ends(pair.scores()))
    }
}

/// Writes all stored pairs to the match file; with a sequential test, only up to its decision.
pub fn pack(run: &Run, progress: &dyn Progress) -> Result<Summary> {
    let test = test_of(&run.plan.provenance);
    let test = test.map_err(|reason| FileError::exists(&run.output, reason))?;
    let mut played = OrderedPairs::new(Sprt::ends(test));
    let conditions = read_stage(run, 0, &mut played, progress)?;
    let mut writer = run.writer()?;
    writer.sections(played.pairs.iter().map(encode_pair))?;
    writer.sections(conditions.as_ref().map(conditions_section))?;
    Ok(writer.finish()?)
}

impl MatchFile {
    /// Reads a match file. The file must have the number of pairs that its provenance states,
    /// unless a sequential test ended the match earlier.
    pub fn read(path: &Path) -> Result<Self> {
        let mut reader = Reader::open(path, Kind::Match)?;
        let all = reader.provenance().get("pairs").and_then(serde_json::Value::as_u64);
        let test = test_of(reader.provenance()).map_err(|reason| reader.meaningless(reason))?;
        let mut played = OrderedPairs::new(Sprt::ends(test));
        let conditions = read_pairs(&mut reader, |number, pair| played.add(number, pair))?;
        if !played.has_ended && all != Some(played.pairs.len() as u64) {
            let pairs = played.pairs.len();
            let reason = format!("ends a file that has only the first {pairs} pairs");
            return Err(reader.meaningless(reason).into());
        }
        let no_conditions = || format!("ends a file without a section `{CONDITIONS}`");
        let conditions = conditions.ok_or_else(|| reader.meaningless(no_conditions()))?;
        let summary = reader.summary().cloned();
        Ok(Self { conditions, result: MatchResult::new(played.pairs), summary })
    }
}

fn test_of(provenance: &Provenance) -> Result<Option<Sprt>, String> {
    let test = provenance.get("sprt").cloned().map(serde_json::from_value);
    test.transpose().map_err(|error| format!("has no sequential test: {error}"))
}

/// Adds the stored pairs of a stage to `played` until the match ends. Returns the conditions of the
/// match, if the stage stores them.
fn read_stage(
    run: &Run,
    stage: usize,
    played: &mut OrderedPairs<impl FnMut(Pair) -> bool>,
    progress: &dyn Progress,
) -> Result<Option<Conditions>> {
    progress.begin_stoppable("pack (parts)", 0, run.plan.stages[stage].parts());
    let mut conditions = None;
    for part in run.parts(stage) {
        progress.check().map_err(RunError::from)?;
        conditions =
            read_pairs(&mut part?, |number, pair| played.add(number, pair))?.or(conditions);
        progress.advance(1);
        if played.has_ended {
            break;
        }
    }
    Ok(conditions)
}

/// Calls `add` with the number (from 0) and the games of each pair in a file. Returns the
/// conditions of the match, if the file has them.
fn read_pairs(
    reader: &mut Reader,
    mut add: impl FnMut(usize, PlayedPair),
) -> Result<Option<Conditions>, FileError> {
    let mut conditions = None;
    while let Some(section) = reader.next() {
        let section = section?;
        let wrong = |reason| reader.meaningless(reason);
        if let Some(number) = number_of(&section) {
            add(number, decode_pair(number, &section).map_err(wrong)?);
        } else if section.name == CONDITIONS {
            conditions = Some(read_conditions(&section).map_err(wrong)?);
        }
    }
    Ok(conditions)
}

const PAIR_PREFIX: &str = "pair ";

#[derive(Serialize, Deserialize)]
struct StoredPair {
    /// The position from which both games start, as 64 characters with the side to move.
    opening: String,
    games: [StoredGame; 2],
    efforts: [Effort; 2],
}

#[derive(Serialize, Deserialize)]
struct StoredGame {
    /// The moves after the opening, without passes.
    moves: String,
    /// The final score of the match's first player in discs; ±64 after a forfeit.
    score: Discs,
    forfeit: Option<StoredForfeit>,
}

#[derive(Serialize, Deserialize)]
struct StoredForfeit {
    /// The player who forfeited: 1 or 2.
    player: usize,
    reason: String,
}

fn encode_pair(pair: &PlayedPair) -> Section {
    let [first, _] = &pair.games;
    let game = |game: &PlayedGame| StoredGame {
        moves: game.squares.iter().map(Square::to_string).collect(),
        score: game.score,
        forfeit: game.forfeit.clone().map(|(player, reason)| StoredForfeit { player, reason }),
    };
    let text = StoredPair {
        opening: board_text(&first.opening, Side::Black),
        games: pair.games.each_ref().map(game),
        efforts: pair.efforts,
    };
    let content = serde_json::json!(text).to_string().into_bytes();
    Section { name: format!("{PAIR_PREFIX}{}", first.pair), content }
}

/// Returns the number, from 0, of a section's pair of games; `None` for a section of another kind.
fn number_of(section: &Section) -> Option<usize> {
    let digits = section.name.strip_prefix(PAIR_PREFIX)?;
    let number = digits.parse::<usize>().ok()?;
    // `pair 05` and `pair +5` are not names of pair 5.
    if number.to_string() == digits { number.checked_sub(1) } else { None }
}

/// Decodes the section of pair `number` (from 0). An error is a predicate for the section, such as
/// `has no opening`.
fn decode_pair(number: usize, section: &Section) -> Result<PlayedPair, String> {
    let StoredPair { opening, games, efforts } = serde_json::from_slice(&section.content)
        .map_err(|error| format!("is not a pair of games: {error}"))?;
    let opening: Result<StatedPosition, _> = opening.parse();
    let opening = opening.map_err(|error| format!("has no opening: {error}"))?.position;
    let mut mover = 0;
    let games = games.map(|StoredGame { moves, score, forfeit }| {
        mover += 1;
        let squares =
            transcript::parse(&moves).map_err(|error| format!("has no moves: {error}"))?;
        let forfeit = forfeit.map(|StoredForfeit { player, reason }| (player, reason));
        let game = PlayedGame { pair: number + 1, game: mover, opening, squares, score, forfeit };
        match is_sound(&game) {
            true => Ok(game),
            false => Err(format!("has a game {mover} whose moves do not give its stated result")),
        }
    });
    let [first, second] = games;
    Ok(PlayedPair { games: [first?, second?], efforts })
}

/// Returns true if the moves of a game are legal and lead to the game's stored score.
fn is_sound(game: &PlayedGame) -> bool {
    let mut replay = Replay::from(game.opening, Side::Black);
    let is_legal = game.squares.iter().try_for_each(|&square| replay.push(square)).is_ok();
    let sign = if game.game == 1 { 1 } else { -1 };
    is_legal
        && match game.forfeit {
            None => replay.black_score().is_some_and(|score| game.score == sign * score),
            Some((1, _)) => game.score == -64,
            Some((2, _)) => game.score == 64,
            Some(_) => false,
        }
}

fn conditions_section(conditions: &Conditions) -> Section {
    let content = serde_json::json!(conditions).to_string().into_bytes();
    Section { name: CONDITIONS.to_owned(), content }
}

fn read_conditions(section: &Section) -> Result<Conditions, String> {
    serde_json::from_slice(&section.content).map_err(|error| format!("has no conditions: {error}"))
}

#[cfg(test)]
mod tests;
