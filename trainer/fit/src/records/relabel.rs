//! Replaces the labels of records by exact scores from a number of empty squares on. Results of
//! collected games tell how the game ended, not what was right; relabelling corrects that.

mod changes;
mod game;
mod position;

use std::ops::Range;
use std::path::Path;

use othello_engine::board::Position;
use othello_engine::eval::{Evaluate, Identified};
use othello_engine::file::{Begin, Existing, Provenance, Summary};
use othello_engine::progress::Progress;
use othello_engine::record::{
    FinishedWork, Record, RecordError, RecordReader, RecordWriter, Shard,
};
use othello_engine::search::{self, Found, Searcher, Searchers, Selection, Selectivity, Strength};

use super::sequence::Inputs;
use crate::backend::{SolveError, SolveMany};

pub use changes::Changes;

/// The settings of relabelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The number of empty squares from which on every position gets its exact score.
    pub exact: u32,
    /// The search of earlier positions; `None` leaves their labels as they are.
    pub search: Option<Search>,
}

/// The search of positions that are not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    /// The depth in plies.
    pub depth: u32,
    /// The number of nodes at which a search ends; the deepest complete iteration counts. `None` if
    /// only the depth ends the search.
    pub nodes: Option<u64>,
    /// The selectivity.
    pub selectivity: Selectivity,
}

impl Search {
    /// Returns a full-width search to a depth.
    pub fn to_depth(depth: u32) -> Self {
        Self { depth, nodes: None, selectivity: Selectivity::Full }
    }

    /// Searches a position that is not solved.
    fn find<E: Evaluate>(self, searcher: &mut Searcher<'_, E>, position: &Position) -> Found {
        let (strength, limits) = Strength::from(self.depth).in_nodes(position, self.nodes);
        searcher.search_within(position, strength, &limits)
    }
}

/// The records to relabel, and the settings.
pub struct RelabelJob<'a, R> {
    /// The settings.
    pub settings: Settings,
    /// The records of all shards together.
    pub inputs: &'a Inputs<R>,
    /// The part of the records to relabel here: whole frames.
    pub shard: Shard,
    /// The device that finds the exact scores it can; the CPU finds all others. `None` if it finds
    /// all. The file is the same.
    pub device: Option<&'a dyn SolveMany>,
}

/// The content of a relabelled file.
#[derive(Clone, PartialEq, Debug)]
pub struct Relabelled {
    /// The number of games or positions in this shard.
    pub records: u64,
    /// The comparison of results or labels with exact scores.
    pub changes: Changes,
    /// The summary of the file.
    pub summary: Summary,
}

/// The size of each search's transposition table. It decides the time of a search, not its result.
const HASH_MEGABYTES: usize = 16;

/// A record that can be relabelled.
pub trait Relabel: Record {
    /// Returns the number of records that are written to the file together: enough that writing
    /// costs little beside the search, few enough that a kill loses little.
    fn at_once(settings: &Settings) -> usize;

    /// Returns the positions whose exact scores `relabelled` takes, as far as they have at most so
    /// many empty squares.
    fn to_solve(&self, settings: &Settings, most_empties: u32) -> Vec<Position>;

    /// Returns the record with its new labels. Each position is searched from a logically empty
    /// transposition table, unless its score is among the `known`: those of the positions of
    /// [`Self::to_solve`], as far as they were found, or none at all.
    #[must_use]
    fn relabelled<E: Evaluate>(
        &self,
        settings: &Settings,
        known: &[Option<i8>],
        searcher: &mut Searcher<'_, E>,
    ) -> Self;

    /// Returns true if `relabelled` equals this record in everything that relabelling does not
    /// change.
    fn is_same(&self, relabelled: &Self) -> bool;

    /// Counts the difference between the record before and after relabelling.
    fn count(changes: &mut Changes, settings: &Settings, before: &Self, after: &Self);
}

/// Relabels the records of a shard and writes them in order. Everything but the labels stays as it
/// is.
///
/// The file depends neither on threads nor on interruptions: a run that was killed continues
/// without searching finished records again.
pub fn relabel<R: Relabel, E: Identified>(
    out: &Path,
    run: &RelabelJob<R>,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Relabelled, RecordError> {
    run.inputs.check_output(out)?;
    let selectivity = run.settings.search.map_or(Selectivity::Full, |search| search.selectivity);
    let selection = Selection::new(evaluator, selectivity)?;
    let provenance = run.provenance(evaluator.identity());
    let numbers = run.numbers();
    let summary = match RecordWriter::<R>::begin(out, &provenance, existing)? {
        Begin::Done(summary) => {
            let records = numbers.end - numbers.start;
            progress.begin(&stage::<R>(), records, records);
            summary
        }
        Begin::Writer(mut writer) => {
            progress.warn(writer.warning());
            progress.warn(run.keep_own(&mut writer)?);
            let finished = FinishedWork::open(out, &provenance, existing)?;
            progress.warn(finished.warning());
            let search =
                search::Search::new(evaluator).hash_mb(HASH_MEGABYTES).selection(selection);
            let searchers =
                search.searchers().map_err(|error| RecordError::Search(error.into()))?;
            run.write(&searchers, &mut writer, &finished, progress)?;
            let summary = writer.finish()?;
            finished.remove()?;
            summary
        }
    };
    let mut changes = Changes::default();
    let before = run.inputs.from(numbers.start)?;
    for (before, after) in before.zip(RecordReader::<R>::open(out)?) {
        R::count(&mut changes, &run.settings, &before?, &after?);
    }
    Ok(Relabelled { records: numbers.end - numbers.start, changes, summary })
}

impl<R: Relabel> RelabelJob<'_, R> {
    /// Keeps the whole frames of an earlier run that hold the records of this run. Returns a
    /// warning for the user if anything was dropped.
    fn keep_own(&self, writer: &mut RecordWriter<R>) -> Result<Option<String>, RecordError> {
        let Range { start: mut next, end } = self.numbers();
        let mut before = self.inputs.from(next)?;
        writer.keep_while(|_, after| {
            next += after.len() as u64;
            let is_whole = next < end && after.len() == R::PER_FRAME || next == end;
            let before = before.by_ref().take(after.len()).collect::<Result<Vec<R>, _>>()?;
            let same = before.iter().zip(after).all(|(before, after)| before.is_same(after));
            Ok(is_whole && same)
        })
    }

    /// Searches the records that are not in the file yet and writes them.
    fn write<E: Evaluate>(
        &self,
        searchers: &Searchers<'_, E>,
        writer: &mut RecordWriter<R>,
        finished: &FinishedWork<R>,
        progress: &dyn Progress,
    ) -> Result<(), RecordError> {
        let Range { start, end } = self.numbers();
        let mut next = (start + writer.resumed_records()).min(end);
        let mut records = self.inputs.from(next)?;
        let done = next - start + finished.count_in(next..end);
        progress.begin_stoppable(&stage::<R>(), done, end - start);
        let relabelled = |records: &[Prepared<R>]| {
            let relabelled = |searcher: &mut Searcher<'_, E>| {
                let relabelled = |Prepared { record, known }: &Prepared<R>| {
                    record.relabelled(&self.settings, known, searcher)
                };
                records.iter().map(relabelled).collect()
            };
            searchers.with(relabelled)
        };
        let is_same = |before: &Prepared<R>, after: &R| before.record.is_same(after);
        while next < end {
            let batch = (end - next).min(self.records_per_batch());
            let before = records.by_ref().take(batch as usize).collect::<Result<Vec<R>, _>>()?;
            let before = self.prepared(next, before, finished, progress)?;
            let at_once = self.at_once();
            let after = finished.complete(next, &before, at_once, progress, is_same, relabelled)?;
            after.into_iter().try_for_each(|record| writer.push(record))?;
            next += batch;
            // After the last batch, finishing the file writes everything.
            if next < end {
                finished.settle(writer)?;
            }
        }
        Ok(())
    }

    /// Has the device, if there is one, solve the positions of records, the first of which has the
    /// number `first`, except those that an earlier run finished.
    fn prepared(
        &self,
        first: u64,
        records: Vec<R>,
        finished: &FinishedWork<R>,
        progress: &dyn Progress,
    ) -> Result<Vec<Prepared<R>>, RecordError> {
        let (mut positions, mut counts) = (vec![], vec![]);
        for (number, record) in (first..).zip(&records) {
            let before = positions.len();
            if let Some(device) = self.device
                && finished.count_in(number..number + 1) == 0
            {
                positions.extend(record.to_solve(&self.settings, device.most_empties()));
            }
            counts.push(positions.len() - before);
        }
        let solve = |device: &dyn SolveMany| device.solve_many(&positions, progress);
        let solved = self.device.map(solve).transpose().map_err(failed)?.unwrap_or_default();
        let mut scores = solved.scores.into_iter();
        let prepared = records.into_iter().zip(counts);
        let mut known = |count| scores.by_ref().take(count).collect();
        Ok(prepared.map(|(record, count)| Prepared { record, known: known(count) }).collect())
    }

    /// Returns the number of records of a batch: whole frames. Enough that threads seldom wait for
    /// the last record; on a device, that it seldom waits for its last position.
    fn records_per_batch(&self) -> u64 {
        let frames = match self.device {
            Some(_) => FRAMES_ON_DEVICE,
            None => (rayon::current_num_threads() / 8).max(1),
        };
        (R::PER_FRAME * frames) as u64
    }

    /// Returns the number of records that are noted together.
    fn at_once(&self) -> usize {
        let most_empties = self.device.map(SolveMany::most_empties);
        match most_empties {
            // Little is left to do for the CPU.
            Some(most) if self.settings.search.is_none() && self.settings.exact <= most => {
                R::PER_FRAME
            }
            _ => R::at_once(&self.settings),
        }
    }
}

/// The number of frames whose positions a device solves together: 2^17 games or 2^21 positions, for
/// which 150 MB of memory are needed.
const FRAMES_ON_DEVICE: usize = 512;

/// A record with the exact scores that a device found for it.
struct Prepared<R> {
    record: R,
    known: Vec<Option<i8>>,
}

/// Converts a device's error.
fn failed(error: SolveError) -> RecordError {
    match error {
        SolveError::Interrupted(error) => error.into(),
        SolveError::Backend(error) => RecordError::Search(error.into()),
    }
}

/// Returns the name of the work in progress messages.
fn stage<R: Record>() -> String {
    format!("relabel ({})", R::PLURAL)
}

impl Settings {
    /// Returns the most empty squares of a position that gets its exact score. A search of that
    /// depth is exact, too, unless a number of nodes ends it.
    fn most_exact(&self) -> u32 {
        let searched = self.search.filter(|search| search.nodes.is_none());
        self.exact.max(searched.map_or(0, |search| search.depth)).min(60)
    }
}

impl<R: Record> RelabelJob<'_, R> {
    fn provenance(&self, weights: &str) -> Provenance {
        let mut provenance = self
            .inputs
            .provenance("relabel")
            .with(R::PLURAL, self.inputs.len())
            .with("exact", self.settings.exact)
            .with("shard", self.shard.to_string());
        if self.inputs.are_enumerated() {
            provenance = provenance.with("enumerated", true);
        }
        // Exact scores do not depend on an evaluation.
        let Some(Search { depth, nodes, selectivity }) = self.settings.search else {
            return provenance;
        };
        let provenance = provenance.with("depth", depth).with("weights", weights);
        // Only unusual settings are named, so that the files of usual runs stay the same.
        let selectivity = (selectivity != Selectivity::Full).then(|| selectivity.percent());
        let unusual = [("nodes", nodes), ("selectivity", selectivity.map(u64::from))];
        let given = unusual.into_iter().filter_map(|(key, value)| Some((key, value?)));
        given.fold(provenance, |provenance, (key, value)| provenance.with(key, value))
    }

    /// Returns the numbers of this shard's records.
    fn numbers(&self) -> Range<u64> {
        let (records, per_frame) = (self.inputs.len(), R::PER_FRAME as u64);
        let frames = self.shard.frames(records.div_ceil(per_frame));
        let first_of = |frame: u64| frame.saturating_mul(per_frame).min(records);
        first_of(frames.start)..first_of(frames.end)
    }
}

#[cfg(test)]
mod tests;
