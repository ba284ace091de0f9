//! Replaces the labels of positions with few empty squares by exact scores.

mod records;

use std::ops::Range;
use std::path::Path;

use othello_engine::board::Position;
use othello_engine::eval::{Evaluate, Identified};
use othello_engine::file::{Existing, Provenance, Section, Summary};
use othello_engine::progress::Progress;
use othello_engine::record::{Record, RecordError, RecordReader};
use othello_engine::run::{Items, Opened, Plan, Run, Shard, Stage, size};
use othello_engine::search::{self, Found, Pruning, Searcher, Searchers, Selectivity, Strength};

use super::sequence::{Inputs, pack, records_in};
use crate::backend::SolveMany;

pub use records::Changes;

/// The settings for relabelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The number of empty squares up to which every position gets its exact score.
    pub exact: u32,
    /// The search of positions with more than `exact` empty squares; `None` keeps their labels.
    pub search: Option<Search>,
}

/// The search of positions that have too many empty squares to be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Search {
    /// The depth in plies.
    pub depth: u32,
    /// The nodes after which a search returns its last complete iteration; `None` for no limit.
    pub nodes: Option<u64>,
    /// The confidence at which Multi-ProbCut prunes nodes; at 100 %, it prunes none.
    pub selectivity: Selectivity,
}

impl Search {
    fn find<E: Evaluate>(self, searcher: &mut Searcher<'_, E>, position: &Position) -> Found {
        let (strength, limits) = Strength::from(self.depth).in_nodes(position, self.nodes);
        searcher.search_within(position, strength, &limits)
    }
}

/// The records to relabel, and the settings.
pub struct RelabelJob<'a, R: Record> {
    /// The settings: which positions are solved, and how the others are searched.
    pub settings: Settings,
    /// The input records of all shards.
    pub inputs: &'a Inputs<R>,
    /// The shard (share) of the records that this process relabels.
    pub shard: Shard,
    /// The device (GPU) that solves positions, if any. The CPU solves those that it does not solve.
    pub device: Option<&'a dyn SolveMany>,
}

/// The report on a relabelled file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Relabelled {
    /// The number of relabelled games or positions; for a shard, only of those that it relabelled.
    pub records: u64,
    /// The comparison of the old results or labels with exact scores.
    pub changes: Changes,
    /// The size and checksum of the written file; `None` for a shard, which writes no file.
    pub summary: Option<Summary>,
}

const HASH_MEGABYTES: usize = 16;

/// A record (game or position) that can get new labels.
pub trait Relabel: Record {
    /// Returns the number of records that a thread processes at a time.
    fn at_once(settings: &Settings) -> usize;

    /// Returns this record's positions that must be solved and have at most `most_empties` empty
    /// squares, the limit of a device.
    fn to_solve(&self, settings: &Settings, most_empties: u32) -> Vec<Position>;

    /// Returns the record with new labels. `known` has an element for each position of
    /// [`Self::to_solve`]: the score that a device (GPU) found, or `None`. Without a device,
    /// `known` is empty. `searcher` finds all other scores and values.
    #[must_use]
    fn relabelled<E: Evaluate>(
        &self,
        settings: &Settings,
        known: &[Option<i8>],
        searcher: &mut Searcher<'_, E>,
    ) -> Self;

    /// Returns the approximate time to relabel a record, in seconds.
    fn seconds(settings: &Settings) -> f64;

    /// Adds to `changes` the difference between a record before and after relabelling.
    fn count(changes: &mut Changes, settings: &Settings, before: &Self, after: &Self);
}

/// Relabels the records of the job's shard. Writes the results to the file `out` or, if there are
/// several shards, to the folder `OUT.parts`, from which all shards are packed into the file later.
/// Threads, shards and interruptions do not affect the file.
pub fn relabel<R: Relabel, E: Identified>(
    out: &Path,
    job: &RelabelJob<R>,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Relabelled, RecordError> {
    let per_part = size::units(R::seconds(&job.settings), MOST_PER_PART);
    relabel_in_parts(out, job, per_part, evaluator, existing, progress)
}

fn relabel_in_parts<R: Relabel, E: Identified>(
    out: &Path,
    job: &RelabelJob<R>,
    per_part: u64,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Relabelled, RecordError> {
    job.inputs.check_output(out)?;
    let selectivity = job.settings.search.map_or(Selectivity::Full, |search| search.selectivity);
    let pruning = Pruning::new(evaluator, selectivity)?;
    let stage = Stage::new(format!("relabel ({})", R::PLURAL), job.inputs.len(), per_part);
    let plan = Plan {
        kind: Some(R::KINDS[0]),
        provenance: job.provenance(evaluator.identity()),
        stages: vec![stage.clone()],
        growing: None,
    };
    let summary = match Run::open(out, plan, job.shard, existing, progress)? {
        Opened::Done(summary) => {
            progress.begin(&stage.name, stage.units, stage.units);
            Some(summary)
        }
        Opened::Run(run) => {
            let search = search::Search::new(evaluator).hash_mb(HASH_MEGABYTES).pruning(pruning);
            let searchers =
                search.searchers().map_err(|error| RecordError::Search(error.into()))?;
            let work = Relabelling { job, searchers, progress };
            run.make(0, job.at_once(), &work, progress)?;
            if run.is_shard() {
                return job.count(&run);
            }
            run.pack(|run| pack::<R>(run, progress))?.summary
        }
    };
    let mut all = Relabelled { summary, ..Relabelled::default() };
    all.count(&job.settings, job.inputs.all(), RecordReader::<R>::open(out)?)?;
    Ok(all)
}

impl Relabelled {
    fn count<R: Relabel>(
        &mut self,
        settings: &Settings,
        before: impl IntoIterator<Item = Result<R, RecordError>>,
        after: RecordReader<R>,
    ) -> Result<(), RecordError> {
        for (before, after) in before.into_iter().zip(after) {
            R::count(&mut self.changes, settings, &before?, &after?);
            self.records += 1;
        }
        Ok(())
    }
}

impl<R: Relabel> RelabelJob<'_, R> {
    fn provenance(&self, weights: &str) -> Provenance {
        let provenance = self
            .inputs
            .provenance("relabel")
            .with(R::PLURAL, self.inputs.len())
            .with("exact", self.settings.exact)
            .with("shard", Shard::WHOLE.to_string())
            .with_unusual(self.inputs.enumerated, "enumerated", true);
        // Exact scores do not depend on weights, so only with a search are these in the provenance.
        let Some(Search { depth, nodes, selectivity }) = self.settings.search else {
            return provenance;
        };
        provenance
            .with("depth", depth)
            .with("weights", weights)
            .with_unusual(nodes.is_some(), "nodes", nodes)
            .with_unusual(selectivity != Selectivity::Full, "selectivity", selectivity.percent())
    }

    fn count(&self, run: &Run) -> Result<Relabelled, RecordError> {
        let mut all = Relabelled::default();
        for index in run.own(0) {
            let before = self.inputs.take(run.plan.stages[0].units_of(index))?;
            let after = RecordReader::<R>::over(run.part(0, index)?);
            all.count(&self.settings, before.into_iter().map(Ok), after)?;
        }
        Ok(all)
    }

    fn at_once(&self) -> u64 {
        let exact = self.settings.exact;
        let is_left_to = |device: &dyn SolveMany| exact <= device.most_empties();
        match self.settings.search.is_none() && self.device.is_some_and(is_left_to) {
            true => R::PER_FRAME as u64,
            false => R::at_once(&self.settings) as u64,
        }
    }
}

/// The greatest number of records in a stored part of a run. A device (GPU) solves all positions of
/// a part in one call, for which it needs up to 150 MB.
const MOST_PER_PART: u64 = 1 << 17;

struct Relabelling<'a, R: Relabel, E: Evaluate> {
    job: &'a RelabelJob<'a, R>,
    searchers: Searchers<'a, E>,
    progress: &'a dyn Progress,
}

impl<R: Relabel, E: Evaluate> Items for Relabelling<'_, R, E> {
    /// The index of a part's first record, and its records, each with the scores found by a device.
    type Input = (u64, Vec<(R, Vec<Option<i8>>)>);
    type Output = R;
    type Error = RecordError;

    fn fits(&self, numbers: Range<u64>, part: &[Section]) -> bool {
        records_in::<R>(part) == Some(numbers.end - numbers.start)
    }

    fn begin(&self, numbers: Range<u64>) -> Result<Self::Input, RecordError> {
        let first = numbers.start;
        let records = self.job.inputs.take(numbers)?;
        let Some(device) = self.job.device else {
            return Ok((first, records.into_iter().map(|record| (record, vec![])).collect()));
        };
        let (mut positions, mut counts) = (vec![], vec![]);
        for record in &records {
            let own = record.to_solve(&self.job.settings, device.most_empties());
            counts.push(own.len());
            positions.extend(own);
        }
        let mut scores = device.solve_many(&positions, self.progress)?.scores.into_iter();
        let mut known = |count| scores.by_ref().take(count).collect();
        let prepared = records.into_iter().zip(counts);
        Ok((first, prepared.map(|(record, count)| (record, known(count))).collect()))
    }

    fn make(
        &self,
        (first, records): &Self::Input,
        numbers: Range<u64>,
    ) -> Result<Vec<R>, RecordError> {
        let records = &records[(numbers.start - first) as usize..(numbers.end - first) as usize];
        Ok(self.searchers.with(|searcher| {
            let settings = &self.job.settings;
            let records = records.iter();
            records.map(|(record, known)| record.relabelled(settings, known, searcher)).collect()
        }))
    }

    fn encode(&self, records: Vec<R>) -> Vec<Section> {
        records.chunks(R::PER_FRAME).map(R::section).collect()
    }
}

impl Settings {
    fn seconds_of_search(&self) -> f64 {
        self.search.map_or(0.0, |search| match search.nodes {
            Some(nodes) => size::nodes(nodes),
            None => size::search(search.depth),
        })
    }

    /// Returns the number of empty squares up to which solving or a search gives exact scores.
    fn most_exact(&self) -> u32 {
        let searched = self.search.filter(|search| search.nodes.is_none());
        self.exact.max(searched.map_or(0, |search| search.depth)).min(60)
    }
}

#[cfg(test)]
mod tests;
