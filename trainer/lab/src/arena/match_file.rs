//! The file of a match. It holds every pair as soon as it is played, so that a match can be resumed
//! and its shards merged.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use othello_engine::board::Position;
use othello_engine::file::{
    Begin, Existing, FileError, Kind, Provenance, Reader, Section, Summary, Writer, check_output,
};
use othello_engine::progress::{Interrupted, Progress};
use othello_engine::record::Shard;
use othello_engine::search::TableError;
use serde::{Deserialize, Serialize};

use super::kept_pair;
use super::paired::{Match, PAIRS, Part};
use super::result::{InOrder, MatchResult, PlayedPair};
use super::{Budget, Sprt};
use othello_fit::shards::{Shards, ShardsError};

/// The names and terms of a match, for its report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Conditions {
    /// The names of the players.
    pub players: [String; 2],
    /// The depth of the searches of the first player.
    pub depth: u32,
    /// The number of empty squares from which on play is perfect.
    pub exact: u32,
    /// The limits of each player's searches before exact play.
    pub budgets: [Budget; 2],
    /// The sequential test that ends the match, if any.
    pub sprt: Option<Sprt>,
}

/// A match that keeps its pairs in a file.
#[derive(Clone, Copy, Debug)]
pub struct KeptMatch<'a> {
    /// The players.
    pub players: Match<'a>,
    /// The openings of the whole match.
    pub openings: &'a [Position],
    /// The part of the match to play here: consecutive pairs, none if there are fewer pairs than
    /// shards.
    pub shard: Shard,
    /// The names and terms.
    pub conditions: &'a Conditions,
}

/// The content of a match's file.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchFile {
    /// The names and terms.
    pub conditions: Conditions,
    /// The part of the match.
    pub shard: Shard,
    /// The pairs that count. In the file of a whole match with a sequential test, these end with
    /// the decision.
    pub result: MatchResult,
    /// The summary of the file.
    pub summary: Summary,
}

/// Errors of reading or writing the file of a match.
#[derive(Debug, thiserror::Error)]
pub enum MatchFileError {
    /// The file itself cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The match was stopped; the played pairs are kept.
    #[error("stopped")]
    Interrupted(#[from] Interrupted),
    /// There is no memory to search with.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The files are not the shards of one match.
    #[error(transparent)]
    Shards(#[from] ShardsError),
    /// A complete file lacks pairs.
    #[error("{}: has {found} pairs without a gap, where shard {shard} of the match has {expected}; \
        make it again", path.display())]
    Pairs {
        /// The file.
        path: PathBuf,
        /// The shard of the file.
        shard: Shard,
        /// The number of pairs in the file, up to the first missing one.
        found: usize,
        /// The number of pairs of the shard.
        expected: usize,
    },
}

/// The name of the section that holds the conditions, the last one.
const CONDITIONS: &str = "match";

impl KeptMatch<'_> {
    /// Plays the pairs that the file does not hold yet, and completes it. `settings` is the
    /// provenance of the games. Pairs are saved as soon as they are played, in any order. A shard
    /// plays all its pairs, since a sequential test needs those of the whole match in their order.
    pub fn play(
        &self,
        path: &Path,
        settings: &Provenance,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<MatchFile, MatchFileError> {
        let numbers = part_of(self.openings.len(), self.shard);
        let provenance = self.provenance(settings);
        let mut writer = match Writer::begin(path, Kind::Match, &provenance, existing)? {
            Begin::Done(_) => {
                let all = numbers.len() as u64;
                progress.begin(PAIRS, all, all);
                return MatchFile::read(path);
            }
            Begin::Writer(writer) => writer,
        };
        progress.warn(writer.warning());
        let (earlier, dropped) = self.earlier(&mut writer, &numbers)?;
        progress.warn(dropped);
        progress.begin_stoppable(PAIRS, earlier.len() as u64, numbers.len() as u64);
        let kept = Mutex::new(&mut writer);
        let keep = |pair: &PlayedPair| -> Result<(), MatchFileError> {
            let section = kept_pair::encode(pair);
            let mut writer = kept.lock().unwrap_or_else(PoisonError::into_inner);
            writer.section(&section.name, &section.content)?;
            Ok(progress.check()?)
        };
        let part = Part { openings: self.openings, numbers, earlier };
        let enough = Sprt::ends(sprt_of(self.conditions, self.shard));
        self.players.play_part(part, keep, enough, progress)?;
        finish(writer, self.conditions)?;
        MatchFile::read(path)
    }

    fn provenance(&self, settings: &Provenance) -> Provenance {
        let settings = settings
            .clone()
            .with("pairs", self.openings.len())
            .with("shard", self.shard.to_string());
        match self.conditions.sprt {
            None => settings,
            Some(sprt) => settings.with("sprt", serde_json::json!(sprt)),
        }
    }

    /// Returns the pairs that an earlier run left, and a warning for the user if any sections were
    /// dropped. Drops everything from the first section on that is not a pair of this match.
    fn earlier(
        &self,
        writer: &mut Writer,
        numbers: &Range<usize>,
    ) -> Result<(BTreeMap<usize, PlayedPair>, Option<String>), MatchFileError> {
        let mut earlier = BTreeMap::new();
        let sections = writer.resumed().len();
        for section in writer.reread()?.take(sections) {
            let fits = |(number, pair): &(usize, PlayedPair)| {
                let opening = self.openings.get(*number).map(Position::canonical);
                numbers.contains(number) && opening == Some(pair.games[0].opening.canonical())
            };
            let section = section?;
            let pair = kept_pair::number(&section)
                .and_then(|number| Some((number, kept_pair::decode(number, &section).ok()?)));
            let Some((number, pair)) = pair.filter(fits) else { break };
            if earlier.insert(number, pair).is_some() {
                break;
            }
        }
        let dropped = writer.keep(earlier.len(), "is no pair of this match")?;
        Ok((earlier, dropped))
    }
}

/// Returns the test that ends the pairs of a shard: none unless the shard is the whole match.
fn sprt_of(conditions: &Conditions, shard: Shard) -> Option<Sprt> {
    conditions.sprt.filter(|_| shard == Shard::WHOLE)
}

/// Returns the numbers of the pairs of a shard, counted from 0.
fn part_of(pairs: usize, shard: Shard) -> Range<usize> {
    let part = shard.frames(pairs as u64);
    // Both ends are at most the number of pairs.
    part.start as usize..part.end as usize
}

fn finish(mut writer: Writer, conditions: &Conditions) -> Result<Summary, FileError> {
    writer.section(CONDITIONS, serde_json::json!(conditions).to_string().as_bytes())?;
    writer.finish()
}

impl MatchFile {
    /// Reads the complete file of a whole match or of a shard.
    pub fn read(path: &Path) -> Result<Self, MatchFileError> {
        let read = Sections::read(path)?;
        let (shard, summary) = (read.shard, read.summary.clone());
        let (conditions, pairs) = read.counted(path)?;
        Ok(Self { conditions, shard, result: MatchResult::new(pairs), summary })
    }

    /// Merges all shards of a match into the file that the undivided match would have written,
    /// except for the seconds. Pairs after the decision of a sequential test are kept, but do not
    /// count.
    pub fn merge(
        paths: &[PathBuf],
        out: &Path,
        existing: Existing,
        progress: &dyn Progress,
    ) -> Result<Self, MatchFileError> {
        check_output(out, paths)?;
        let shards = Shards::open(paths, &["match"])?;
        let files = shards.files();
        let count = files.len() as u64;
        let mut writer = match Writer::begin(out, Kind::Match, shards.whole(), existing)? {
            Begin::Done(_) => {
                progress.begin(MERGED, count, count);
                return Self::read(out);
            }
            Begin::Writer(writer) => writer,
        };
        progress.warn(writer.warning());
        progress.begin_stoppable(MERGED, 0, count);
        writer.compare_from_start();
        let mut first = None;
        for (_, path) in files {
            progress.check()?;
            let (conditions, pairs) = Sections::read(path)?.counted(path)?;
            for pair in &pairs {
                let section = kept_pair::encode(pair);
                writer.section(&section.name, &section.content)?;
            }
            first.get_or_insert(conditions);
            progress.advance(1);
        }
        if let Some(conditions) = first {
            finish(writer, &conditions)?;
        }
        Self::read(out)
    }
}

/// The name of the merging in progress messages.
const MERGED: &str = "merge (shards)";

/// The sections of a match's file.
struct Sections {
    conditions: Conditions,
    shard: Shard,
    /// The numbers of the pairs that belong in the file.
    numbers: Range<usize>,
    /// The pairs in the file.
    pairs: BTreeMap<usize, PlayedPair>,
    summary: Summary,
}

impl Sections {
    fn read(path: &Path) -> Result<Self, FileError> {
        let mut reader = Reader::open(path, Kind::Match)?;
        let (mut conditions, mut pairs) = (None, BTreeMap::new());
        while let Some(section) = reader.next() {
            let section = section?;
            if let Some(number) = kept_pair::number(&section) {
                let pair = kept_pair::decode(number, &section);
                let pair = pair.map_err(|reason| reader.meaningless(reason))?;
                if pairs.insert(number, pair).is_some() {
                    let reason = format!("is `{}` a second time", section.name);
                    return Err(reader.meaningless(reason));
                }
            } else if section.name == CONDITIONS {
                let read = read_conditions(&section);
                conditions = Some(read.map_err(|reason| reader.meaningless(reason))?);
            }
        }
        let part = |provenance: &Provenance| {
            let shard: Shard = provenance.get("shard")?.as_str()?.parse().ok()?;
            let pairs = provenance.get("pairs")?.as_u64()?;
            Some((shard, part_of(usize::try_from(pairs).ok()?, shard)))
        };
        let whole =
            (|| Some((part(reader.provenance())?, conditions?, reader.summary()?.clone())))();
        let ((shard, numbers), conditions, summary) = whole.ok_or_else(|| {
            reader.meaningless("ends a file that does not say what it is of".into())
        })?;
        Ok(Self { conditions, shard, numbers, pairs, summary })
    }

    /// Returns the conditions, and the pairs that count, in order. None of these pairs may be
    /// missing.
    fn counted(self, path: &Path) -> Result<(Conditions, Vec<PlayedPair>), MatchFileError> {
        let Self { conditions, shard, numbers, pairs, .. } = self;
        let mut counted = InOrder::new(numbers.start, Sprt::ends(sprt_of(&conditions, shard)));
        pairs.into_iter().for_each(|(number, pair)| counted.add(number, pair));
        let decided = counted.has_ended();
        let pairs = counted.into_pairs();
        let (found, expected) = (pairs.len(), numbers.len());
        if found != expected && !decided {
            return Err(MatchFileError::Pairs { path: path.to_owned(), shard, found, expected });
        }
        Ok((conditions, pairs))
    }
}

fn read_conditions(section: &Section) -> Result<Conditions, String> {
    serde_json::from_slice(&section.content).map_err(|error| format!("has no conditions: {error}"))
}

#[cfg(test)]
mod tests;
