//! Match files, and the run that makes a match file. The run stores pairs of games in parts, so
//! that a match can be resumed after a stop or divided among processes.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use othello_engine::board::notation::board_text;
use othello_engine::board::{Discs, Position, Side, Square, StatedPosition, transcript};
use othello_engine::file::{Existing, FileError, Kind, Provenance, Reader, Section, Summary};
use othello_engine::progress::Progress;
use othello_engine::run::{Items, Opened, Plan, Run, RunError, Shard, Stage, size};
use othello_engine::search::TableError;
use serde::{Deserialize, Serialize};

use super::paired::{Match, PAIRS, Seats};
use super::result::{MatchResult, OrderedPairs, PlayedGame, PlayedPair};
use super::{Budget, Effort, Pair, Sprt};
use crate::{LabError, Result};

/// The names of the players and the settings of a match, which its file and its report state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Conditions {
    /// The names of the players.
    pub players: [String; 2],
    /// The depth, in plies, of the searches of a player that states no depth of its own.
    pub depth: u32,
    /// The number of empty squares at or below which a player solves positions exactly, if it
    /// states no number of its own.
    pub exact: u32,
    /// The limits of each player's searches before exact play.
    pub budgets: [Budget; 2],
    /// The sequential test that ends the match, if any.
    pub sprt: Option<Sprt>,
}

/// A match that stores finished pairs of games in files, so that it can be resumed.
#[derive(Clone, Copy, Debug)]
pub struct KeptMatch<'a> {
    /// The pairs of players, usually one. Several pairs divide `openings` into equal shares, one
    /// after another (the last may be smaller): the first pair plays the first share, and so on.
    pub players: &'a [Match<'a>],
    /// The openings of the whole match, over all shards.
    pub openings: &'a [Position],
    /// The names of the players and the settings of the match, which the match file stores.
    pub conditions: &'a Conditions,
}

/// The content of a match file, or of the parts of a match that one shard plays.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchFile {
    /// The names of the players and the settings of the match.
    pub conditions: Conditions,
    /// The result of the pairs that count: all, or those up to the decision of a sequential test.
    pub result: MatchResult,
    /// The summary of the match file; `None` for a shard, which writes no match file.
    pub summary: Option<Summary>,
}

const CONDITIONS: &str = "match";

const MOST_PER_PART: u64 = 1 << 12;

/// In a match with a sequential test, a stored part has this many times fewer pairs of games than
/// without one, since the pairs that a part plays after the test's decision do not count.
const SHORTER_BY_TEST: f64 = 4.0;

/// Returns the stage of a run in which [`KeptMatch::play_stage`] plays `pairs` pairs of games. The
/// estimated `seconds` of a pair on one thread, and `sprt`, only set the size of the run's parts.
pub fn match_stage(name: &str, pairs: u64, seconds: f64, sprt: Option<Sprt>) -> Stage {
    let test = if sprt.is_some() { SHORTER_BY_TEST } else { 1.0 };
    Stage::new(name, pairs, size::units(test * seconds, MOST_PER_PART))
}

impl KeptMatch<'_> {
    /// Plays those pairs of `shard` that the run at `path` does not store yet. If the match is not
    /// divided into shards, also writes the match file `path`, with `settings` in its provenance.
    pub fn play(
        &self,
        path: &Path,
        settings: &Provenance,
        shard: Shard,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<MatchFile> {
        let seconds = self.players.iter().map(Match::seconds_of_pair).fold(0.0, f64::max);
        let stage = match_stage(PAIRS, self.openings.len() as u64, seconds, self.conditions.sprt);
        self.play_in(path, settings, stage, (shard, existing), progress)
    }

    fn play_in(
        &self,
        path: &Path,
        settings: &Provenance,
        stage: Stage,
        (shard, existing): (Shard, Existing),
        progress: &dyn Progress,
    ) -> Result<MatchFile> {
        let (kind, provenance) = (Some(Kind::Match), self.provenance(settings));
        let plan = Plan { kind, provenance, stages: vec![stage.clone()], growing: None };
        let run = match Run::open(path, plan, shard, existing, progress)? {
            Opened::Run(run) => run,
            Opened::Done(_) => {
                progress.begin(&stage.name, stage.units, stage.units);
                return MatchFile::read(path);
            }
        };
        self.make(&run, 0, progress)?;
        if run.is_shard() {
            return self.shard_of(&run);
        }
        run.pack(|run| pack(run, progress))?;
        MatchFile::read(path)
    }

    /// Plays the match as the stage `stage` of a run; returns its result and writes no match file.
    pub fn play_stage(
        &self,
        run: &Run,
        stage: usize,
        progress: &dyn Progress,
    ) -> Result<MatchResult> {
        self.make(run, stage, progress)?;
        let mut content = Content::beginning_with(0, Sprt::ends(self.conditions.sprt));
        content.add_stage(run, stage, progress)?;
        Ok(MatchResult::new(content.pairs.pairs))
    }

    fn make(&self, run: &Run, stage: usize, progress: &dyn Progress) -> Result<()> {
        let ends = Mutex::new(Sprt::ends(self.conditions.sprt));
        let seats = self.players.iter().map(|&players| Seats::of(players)).collect();
        run.make(stage, 1, &Pairs { kept: self, seats, ends, progress }, progress)
    }

    fn shard_of(&self, run: &Run) -> Result<MatchFile> {
        let mut pairs = vec![];
        for index in run.own(0).filter(|&index| run.has(0, index)) {
            let first = run.plan.stages[0].units_of(index).start;
            let mut content = Content::beginning_with(first as usize, |_| false);
            content.add(&mut run.part(0, index)?)?;
            pairs.extend(content.pairs.pairs);
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
    progress: &'a dyn Progress,
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
        let openings = self.kept.openings;
        let share = openings.len().div_ceil(self.seats.len());
        let play = |number: u64| {
            let number = number as usize;
            self.seats[number / share].play(number, openings[number], self.progress)
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
    let wrong = |reason| FileError::exists(&run.output, reason);
    let mut content = Content::of(&run.plan.provenance).map_err(wrong)?;
    content.add_stage(run, 0, progress)?;
    let mut writer = run.writer()?;
    writer.sections(content.pairs.pairs.iter().map(encode_pair))?;
    writer.sections(content.conditions.as_ref().map(conditions_section))?;
    Ok(writer.finish()?)
}

impl MatchFile {
    /// Reads a match file. Unless a sequential test decided the match, a file whose number of pairs
    /// is not the one in its provenance is an error.
    pub fn read(path: &Path) -> Result<Self> {
        let mut reader = Reader::open(path, Kind::Match)?;
        let all = reader.provenance().get("pairs").and_then(serde_json::Value::as_u64);
        let meaningless = |reader: &Reader, reason| Err(reader.meaningless(reason).into());
        let mut content = match Content::of(reader.provenance()) {
            Ok(content) => content,
            Err(reason) => return meaningless(&reader, reason),
        };
        content.add(&mut reader)?;
        let (is_decided, pairs) = (content.pairs.has_ended, content.pairs.pairs);
        if !is_decided && all != Some(pairs.len() as u64) {
            let reason = format!("ends a file that has only the first {} pairs", pairs.len());
            return meaningless(&reader, reason);
        }
        let Some(conditions) = content.conditions else {
            return meaningless(&reader, format!("ends a file without a section `{CONDITIONS}`"));
        };
        let summary = reader.summary().cloned();
        Ok(Self { conditions, result: MatchResult::new(pairs), summary })
    }
}

struct Content<F> {
    conditions: Option<Conditions>,
    pairs: OrderedPairs<F>,
}

impl Content<Box<dyn FnMut(Pair) -> bool>> {
    fn of(provenance: &Provenance) -> Result<Self, String> {
        let test = provenance.get("sprt").cloned().map(serde_json::from_value);
        let test = test.transpose().map_err(|error| format!("has no sequential test: {error}"))?;
        Ok(Content::beginning_with(0, Box::new(Sprt::ends(test))))
    }
}

impl<F: FnMut(Pair) -> bool> Content<F> {
    fn beginning_with(first: usize, ends: F) -> Self {
        Self { conditions: None, pairs: OrderedPairs::new(first, ends) }
    }

    fn add_stage(&mut self, run: &Run, stage: usize, progress: &dyn Progress) -> Result<()> {
        progress.begin_stoppable("pack (parts)", 0, run.plan.stages[stage].parts());
        for part in run.parts(stage) {
            progress.check().map_err(RunError::from)?;
            self.add(&mut part?)?;
            progress.advance(1);
            if self.pairs.has_ended {
                break;
            }
        }
        Ok(())
    }

    fn add(&mut self, reader: &mut Reader) -> Result<(), FileError> {
        while let Some(section) = reader.next() {
            let section = section?;
            if let Some(number) = number_of(&section) {
                let pair = decode_pair(number, &section);
                self.pairs.add(number, pair.map_err(|reason| reader.meaningless(reason))?);
            } else if section.name == CONDITIONS {
                let read = read_conditions(&section);
                self.conditions = Some(read.map_err(|reason| reader.meaningless(reason))?);
            }
        }
        Ok(())
    }
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
    /// The final score of the match's first player, in discs (this player moves second in game 2).
    /// After a forfeit, 64 if the second player forfeited, −64 if the first player did.
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

/// Returns the number of a section's pair, counted from 0; `None` for other sections.
fn number_of(section: &Section) -> Option<usize> {
    let digits = section.name.strip_prefix(PAIR_PREFIX)?;
    let number = digits.parse::<usize>().ok()?;
    // `pair 05` and `pair +5` are not names of pair 5.
    if number.to_string() == digits { number.checked_sub(1) } else { None }
}

/// Decodes the section of the pair with the index `number`, from 0. The text of an error is a
/// predicate, such as `has no opening`: the caller puts the name of the section before it.
fn decode_pair(number: usize, section: &Section) -> Result<PlayedPair, String> {
    let StoredPair { opening, games, efforts } = serde_json::from_slice(&section.content)
        .map_err(|error| format!("is not a pair of games: {error}"))?;
    let line: StatedPosition =
        opening.parse().map_err(|error| format!("has no opening: {error}"))?;
    let opening = line.position;
    let mut mover = 0;
    let games = games.map(|StoredGame { moves, score, forfeit }| {
        mover += 1;
        let squares =
            transcript::parse(&moves).map_err(|error| format!("has no moves: {error}"))?;
        let forfeit = forfeit.map(|StoredForfeit { player, reason }| (player, reason));
        let game = PlayedGame { pair: number + 1, game: mover, opening, squares, score, forfeit };
        if is_sound(&game) {
            Ok(game)
        } else {
            Err(format!("has a game {mover} whose moves do not give its stated result"))
        }
    });
    let [first, second] = games;
    Ok(PlayedPair { games: [first?, second?], efforts })
}

fn is_sound(game: &PlayedGame) -> bool {
    let Some((position, sign)) = end(&game.opening, &game.squares) else { return false };
    let first_moved = if game.game == 1 { 1 } else { -1 };
    match game.forfeit {
        None => position.is_over() && game.score == position.score() * sign * first_moved,
        Some((1, _)) => game.score == -64,
        Some((2, _)) => game.score == 64,
        Some(_) => false,
    }
}

/// Plays `squares` from `opening`. Returns the last position, and 1 if the side to move there is
/// the side to move of `opening`, otherwise −1; `None` if a move is illegal.
fn end(opening: &Position, squares: &[Square]) -> Option<(Position, Discs)> {
    let (mut position, mut sign) = (*opening, 1);
    for &square in squares {
        if position.moves() == 0 {
            (position, sign) = (position.pass(), -sign);
        }
        (position, sign) = (position.play(square)?, -sign);
    }
    Some((position, sign))
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
