//! The scoring of all openings, and the file of their values.

use std::ops::Range;
use std::path::Path;

use serde::Serialize;

use super::{MAX_PLIES_HELD, enumerate, movers, negamax_back};
use crate::board::Position;
use crate::eval::{Evaluate, Identified, STEPS_PER_DISC, Value};
use crate::file::{Existing, Kind, Provenance, Section, Summary};
use crate::progress::Progress;
use crate::record::{Label, PositionWriter, RecordError, ScoredPosition, Weight};
use crate::run::{Items, Opened, Plan, Run, Shard, Stage, size};
use crate::search::{Search, Searchers};

/// The settings of a run that scores openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The number of plies of the longest openings to score, 0..=[`super::MAX_PLIES_HELD`].
    pub plies: u32,
    /// The depth, in plies, of the search of each position of the last ply.
    pub score_depth: u32,
    /// The share of the searches that this process does. The file does not depend on the shares.
    pub shard: Shard,
}

/// The report on a run that scored openings.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, schemars::JsonSchema)]
pub struct Written {
    /// The number of positions up to symmetry at each ply, from ply 0 on.
    pub unique: Vec<usize>,
    /// The number of scored positions: in the file or, if several processes share the run, by this
    /// process. `None` if the command only counts positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<usize>,
    /// The checksum and size of the file; `None` if this process only does a share of the searches.
    #[serde(flatten)]
    pub summary: Option<Summary>,
}

impl Settings {
    /// Returns the settings of a run that is not divided among processes.
    pub const fn whole(plies: u32, score_depth: u32) -> Self {
        Self { plies, score_depth, shard: Shard::WHOLE }
    }

    /// Returns the provenance of the file of openings; `weights` is the identity of the evaluation.
    pub fn provenance(&self, weights: &str) -> Provenance {
        Provenance::new("openings")
            .with("plies", self.plies)
            .with("score_depth", self.score_depth)
            .with("weights", weights)
    }

    fn per_part(&self) -> u64 {
        size::units(size::search(self.score_depth), MOST_PER_PART)
    }
}

const MOST_PER_PART: u64 = 1 << 20;
const SCORES: &str = "scores (positions)";

/// Scores all openings and writes them to a file. Searches score the last ply; negamax scores the
/// earlier plies. If several processes share the run, each only searches its share of the last ply.
pub fn write_openings<E: Identified>(
    path: &Path,
    settings: &Settings,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Written, RecordError> {
    write_in_parts(path, settings, settings.per_part(), evaluator, existing, progress)
}

fn write_in_parts<E: Identified>(
    path: &Path,
    settings: &Settings,
    per_part: u64,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Written, RecordError> {
    let openings = Openings::to(settings.plies, progress);
    let last = openings.last();
    let plan = Plan {
        kind: Some(Kind::Openings),
        provenance: settings.provenance(evaluator.identity()),
        stages: vec![Stage::new(SCORES, last.len() as u64, per_part)],
        growing: None,
    };
    let run = match Run::open(path, plan, settings.shard, existing, progress)? {
        Opened::Run(run) => run,
        Opened::Done(summary) => {
            progress.begin(SCORES, last.len() as u64, last.len() as u64);
            return Ok(openings.written(Some(summary)));
        }
    };
    let hash_megabytes = if settings.score_depth == 0 { 0 } else { HASH_MEGABYTES };
    let searchers = Search::new(evaluator).hash_mb(hash_megabytes).searchers();
    let searchers = searchers.map_err(|error| RecordError::Search(error.into()))?;
    let scorer = Scorer { searchers, depth: settings.score_depth, positions: last };
    let at_once = (1024 >> settings.score_depth.min(10)).max(1);
    run.make(0, at_once, &scorer, progress)?;
    if run.is_shard() {
        let units = run.own(0).map(|index| run.plan.stages[0].units_of(index));
        let positions = units.map(|units| (units.end - units.start) as usize).sum();
        return Ok(Written { positions: Some(positions), ..openings.written(None) });
    }
    let summary = run.pack(|run| openings.pack(run, progress))?;
    Ok(openings.written(Some(summary)))
}

/// Writes the file of scored openings, after all searches of the run are done.
pub fn pack(run: &Run, progress: &dyn Progress) -> Result<Summary, RecordError> {
    let stated = run.plan.provenance.get("plies").and_then(|plies| plies.as_u64()?.try_into().ok());
    let plies = stated.filter(|&plies| plies <= MAX_PLIES_HELD).unwrap_or(0);
    Openings::to(plies, progress).pack(run, progress)
}

struct Openings {
    unique: Vec<usize>,
    plies: Vec<Vec<Position>>,
}

impl Openings {
    fn to(plies: u32, progress: &dyn Progress) -> Self {
        let unique = enumerate(plies, progress);
        let plies = unique.iter().map(|ply| movers(ply)).collect();
        Self { unique: unique.iter().map(Vec::len).collect(), plies }
    }

    fn last(&self) -> &[Position] {
        self.plies.last().map_or(&[], Vec::as_slice)
    }

    fn positions(&self) -> usize {
        self.plies.iter().map(Vec::len).sum()
    }

    fn written(&self, summary: Option<Summary>) -> Written {
        Written { unique: self.unique.clone(), positions: Some(self.positions()), summary }
    }

    fn pack(&self, run: &Run, progress: &dyn Progress) -> Result<Summary, RecordError> {
        let mut writer = PositionWriter::over(run.writer()?);
        let mut last = Vec::with_capacity(self.last().len());
        for part in run.parts(0) {
            let mut part = part?;
            while let Some(section) = part.next().transpose()? {
                last.extend(decode(&section.content).ok_or_else(|| {
                    part.meaningless("holds values that no search returns".to_owned())
                })?);
            }
        }
        let Some(values) = negamax_back(&self.plies, last) else {
            let wrong = "does not hold one value for each position of the last ply".to_owned();
            return Err(run.part(0, 0)?.meaningless(wrong).into());
        };
        progress.begin_stoppable("pack (positions)", 0, self.positions() as u64);
        for (positions, values) in self.plies.iter().zip(&values).rev() {
            progress.check()?;
            for (&position, &value) in positions.iter().zip(values) {
                writer.push(scored(position, value))?;
            }
            progress.advance(positions.len() as u64);
        }
        writer.finish()
    }
}

const LABEL_STEPS: i32 = crate::record::LABEL_STEPS_PER_DISC as i32 / STEPS_PER_DISC;

#[expect(clippy::expect_used, reason = "a value is at most 64 discs, as a label is")]
fn scored(position: Position, value: Value) -> ScoredPosition {
    let label = i16::try_from(value.steps() * LABEL_STEPS).ok().and_then(Label::new);
    ScoredPosition::new(position, label.expect("a value is in range"), Weight::ONE)
}

/// Returns the value of a position in a file that [`write_openings`] wrote.
pub fn value(scored: &ScoredPosition) -> Value {
    Value::clamped(i32::from(scored.label().steps()) / LABEL_STEPS)
}

/// The size of a transposition table in MiB. The searches are too shallow to fill a larger one.
const HASH_MEGABYTES: usize = 4;

struct Scorer<'a, E: Evaluate> {
    searchers: Searchers<'a, E>,
    depth: u32,
    positions: &'a [Position],
}

impl<E: Evaluate> Items for Scorer<'_, E> {
    type Input = ();
    type Output = Value;
    type Error = RecordError;

    fn fits(&self, indices: Range<u64>, part: &[Section]) -> bool {
        let values = |section: &Section| decode(&section.content).map_or(0, |values| values.len());
        matches!(part, [section] if values(section) as u64 == indices.end - indices.start)
    }

    fn begin(&self, _: Range<u64>) -> Result<(), RecordError> {
        Ok(())
    }

    fn make(&self, (): &(), indices: Range<u64>) -> Result<Vec<Value>, RecordError> {
        let positions = &self.positions[indices.start as usize..indices.end as usize];
        Ok(self.searchers.with(|searcher| {
            let value = |position: &Position| {
                searcher.new_game();
                searcher.search(position, self.depth).value
            };
            positions.iter().map(value).collect()
        }))
    }

    fn encode(&self, values: Vec<Value>) -> Vec<Section> {
        let content = values.iter().flat_map(|value| value.steps().to_le_bytes()).collect();
        vec![Section { name: "values".to_owned(), content }]
    }
}

fn decode(content: &[u8]) -> Option<Vec<Value>> {
    let (steps, rest) = content.as_chunks();
    let values = steps.iter().copied().map(i32::from_le_bytes).map(Value::from_steps);
    if rest.is_empty() { values.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use othello_testing::scratch;

    use super::*;
    use crate::eval::Mobility;
    use crate::progress::Silent;
    use crate::record::PositionReader;

    const SETTINGS: Settings = Settings::whole(7, 1);

    fn write(path: &Path, shard: &str) -> Written {
        let settings = Settings { shard: shard.parse().unwrap(), ..SETTINGS };
        write_in_parts(path, &settings, 1000, &Mobility, Existing::Keep, &Silent).unwrap()
    }

    #[test]
    fn every_opening_is_there_once() {
        let path = scratch::path("all.openings");
        let written = write(&path, "1/1");
        assert_eq!(written.unique, [1, 1, 3, 14, 60, 322, 1773, 10_649]);
        let rows: Vec<_> = PositionReader::open(&path).unwrap().map(|row| row.unwrap()).collect();
        assert_eq!(Some(rows.len()), written.positions);
        assert_eq!(rows.len(), written.unique.iter().sum::<usize>());
        assert_eq!(write(&path, "1/1"), written);
    }

    #[test]
    fn values_that_no_search_finds_are_refused() {
        let value = |steps: i32| decode(&steps.to_le_bytes());
        for steps in [2049, -2049, i32::MAX, i32::MIN] {
            assert_eq!(value(steps), None);
        }
        assert_eq!(value(-2048), Some(vec![Value::MIN]));
        assert_eq!(decode(&[0; 3]), None);
    }

    #[test]
    fn shards_are_packed_into_the_file_of_an_undivided_run() {
        let whole = scratch::path("whole.openings");
        write(&whole, "1/1");
        let path = scratch::path("shared.openings");
        let shards = ["2/2", "1/2"].map(|shard| {
            let written = write(&path, shard);
            assert_eq!(written.summary, None);
            written.positions.unwrap()
        });
        assert_eq!(shards.iter().sum::<usize>(), 10_649);
        let (run, _) = Run::to_pack(&path).unwrap();
        pack(&run, &Silent).unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap());
    }
}
