//! Scored positions with exact labels.

use std::ops::Range;
use std::path::Path;

use othello_engine::eval::{Evaluate, STEPS_PER_DISC};
use othello_engine::file::{Begin, Existing};
use othello_engine::progress::Progress;
use othello_engine::record::{
    FoundValues, Label, POSITIONS_PER_FRAME, PositionReader, PositionWriter, RecordError,
    ScoredPosition,
};
use othello_engine::search::{Searcher, Searchers};
use rayon::prelude::*;

use super::{Changes, HASH_MEGABYTES, Relabelled, Run, Settings};

/// Relabels the positions of a shard and writes them in their order; weights stay as they are.
///
/// Each position is searched by one thread from a logically empty table, so the file does not
/// depend on threads, nor on how often the run was killed or interrupted and begun again.
pub fn relabel_positions<E: Evaluate>(
    out: &Path,
    run: &Run<ScoredPosition>,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Relabelled, RecordError> {
    let provenance = run.provenance();
    let summary = match PositionWriter::begin(out, &provenance, existing)? {
        Begin::Done(summary) => summary,
        Begin::Writer(mut writer) => {
            progress.warn(writer.warning());
            let found = FoundValues::open(out, &provenance, existing)?;
            progress.warn(found.warning());
            search(run, evaluator, &mut writer, &found, progress)?;
            let summary = writer.finish()?;
            found.remove()?;
            summary
        }
    };
    let mut changes = Changes::default();
    let numbers = run.numbers();
    let before = run.inputs.from(numbers.start)?;
    for (before, after) in before.zip(PositionReader::open(out)?) {
        changes.count_position(&run.settings, &before?, &after?);
    }
    Ok(Relabelled { records: numbers.end - numbers.start, changes, summary })
}

/// Searches the positions that are not in the file yet, and writes them.
fn search<E: Evaluate>(
    run: &Run<ScoredPosition>,
    evaluator: &E,
    writer: &mut PositionWriter,
    found: &FoundValues,
    progress: &dyn Progress,
) -> Result<(), RecordError> {
    let Range { start, end } = run.numbers();
    let mut next = (start + writer.resumed_positions()).min(end);
    let mut positions = run.inputs.from(next)?;
    let done = next - start + found.count_in(next..end);
    progress.begin("relabel (positions)", done, end - start);
    let searchers = Searchers::new(evaluator, HASH_MEGABYTES);
    let unit = positions_per_unit(run.settings.most_exact());
    while next < end {
        let count = (end - next).min(POSITIONS_PER_FRAME as u64);
        let frame = positions.by_ref().take(count as usize);
        let frame = frame.collect::<Result<Vec<ScoredPosition>, _>>()?;
        let relabel_unit = |(index, positions): (usize, &[ScoredPosition])| {
            let first = next + (index * unit) as u64;
            if let Some(labels) = found.earlier(first, positions.len()) {
                return Ok(labels);
            }
            progress.check()?;
            let labels: Vec<i32> = searchers.with(|searcher| {
                let label = |position| i32::from(run.settings.label(position, searcher).steps());
                positions.iter().map(label).collect()
            });
            found.record(first, &labels)?;
            progress.advance(positions.len() as u64);
            Ok(labels)
        };
        let units = frame.par_chunks(unit).enumerate().with_max_len(1).map(relabel_unit);
        let labels = units.collect::<Result<Vec<_>, RecordError>>()?.concat();
        for (position, steps) in frame.iter().zip(labels) {
            writer.push(with_label(position, steps))?;
        }
        next += count;
        // What is left after the last whole frame stands in the file only once that is complete.
        if count == POSITIONS_PER_FRAME as u64 {
            found.settle(writer)?;
        }
    }
    Ok(())
}

impl Settings {
    /// Whether the position gets its exact score.
    pub(super) fn is_solved(&self, position: &ScoredPosition) -> bool {
        position.position().empties() <= self.most_exact()
    }

    /// The label that the position gets.
    fn label<E: Evaluate>(&self, scored: &ScoredPosition, searcher: &mut Searcher<'_, E>) -> Label {
        let position = scored.position();
        searcher.new_game();
        let label = if self.is_solved(scored) {
            Label::of_score(searcher.solve(&position).score)
        } else if let Some(depth) = self.depth {
            let value = searcher.search(&position, depth).value;
            Label::of_discs(f64::from(value) / f64::from(STEPS_PER_DISC))
        } else {
            None
        };
        label.unwrap_or(scored.label())
    }
}

/// The position with a label of so many steps; with its own where a checkpoint says nonsense.
fn with_label(scored: &ScoredPosition, steps: i32) -> ScoredPosition {
    let label = i16::try_from(steps).ok().and_then(Label::new).unwrap_or(scored.label());
    ScoredPosition::new(scored.position(), label, scored.weight())
}

/// So many positions are recorded together that it costs little beside their search, and that
/// little is lost: some milliseconds of work, until one position takes longer.
fn positions_per_unit(exact: u32) -> usize {
    (1024 >> (exact / 2).min(10)).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use othello_engine::eval::Mobility;
    use othello_engine::progress::Silent;
    use othello_engine::record::Weight;

    use super::*;
    use crate::records::merge::{Content, merge};
    use crate::records::testing::{Folder, inputs, random_game, score_by_brute_force};

    const EXACT: Settings = Settings { exact: 5, depth: None };

    /// Every position of random games, ends and passes among them, with labels that are wrong.
    fn positions(games: u64) -> Vec<ScoredPosition> {
        let wrong = |(position, number): (_, u64)| {
            let label = Label::new((number % 4000) as i16).unwrap();
            ScoredPosition::new(position, label, Weight::new(1 + number as u16 % 99).unwrap())
        };
        let positions = (0..games).flat_map(|number| {
            let replay = random_game(number, 0, 60).replay();
            let before = replay.steps.into_iter().map(|step| step.position);
            before.chain([replay.end, replay.end.pass()]).collect::<Vec<_>>()
        });
        positions.zip(0..).map(wrong).collect()
    }

    fn relabel(folder: &Folder, settings: Settings, shard: &str, out: &str) -> Relabelled {
        let inputs = inputs::<ScoredPosition>(&folder.path("all.positions"));
        let (shard, weights) = (shard.parse().unwrap(), "mobility".to_owned());
        let run = Run { settings, inputs: &inputs, shard, weights };
        relabel_positions(&folder.path(out), &run, &Mobility, Existing::Keep, &Silent).unwrap()
    }

    #[test]
    fn few_empty_squares_give_the_exact_score_and_others_keep_what_they_have() {
        let folder = Folder::new();
        let before = positions(40);
        folder.write("all.positions", &before);
        let relabelled = relabel(&folder, EXACT, "1/1", "exact");
        let after: Vec<ScoredPosition> = folder.read("exact");
        let mut changes = Changes::default();
        for (before, after) in before.iter().zip(&after) {
            assert_eq!((before.position(), before.weight()), (after.position(), after.weight()));
            if before.position().empties() > 5 {
                assert_eq!(before, after);
                continue;
            }
            let exact = score_by_brute_force(&before.position());
            assert_eq!(after.label().discs(), f64::from(exact), "{before:?}");
            changes.count_position(&EXACT, before, after);
        }
        assert_eq!((before.len(), relabelled.records), (after.len(), after.len() as u64));
        assert_eq!(relabelled.changes, changes);
        assert!(changes.solved > 240 && changes.changed > 200 && changes.other_winner > 50);
        assert_eq!(changes.by_discs.values().sum::<u64>(), changes.solved);
    }

    #[test]
    fn with_a_depth_the_others_get_what_a_search_finds() {
        let folder = Folder::new();
        let before = positions(4);
        folder.write("all.positions", &before);
        let settings = Settings { exact: 5, depth: Some(2) };
        relabel(&folder, settings, "1/1", "searched");
        let mut searcher = Searcher::new(&Mobility, 1);
        for after in folder.read::<ScoredPosition>("searched") {
            if after.position().empties() > 5 {
                let value = searcher.search(&after.position(), 2).value;
                assert_eq!(i32::from(after.label().steps()), 8 * value);
            }
        }
    }

    #[test]
    fn shards_are_merged_into_the_file_of_an_undivided_run() {
        let folder = Folder::new();
        folder.write("all.positions", &positions(160));
        let whole = relabel(&folder, EXACT, "1/1", "whole");
        let shards = ["3/3", "1/3", "2/3"].map(|shard| {
            let name = shard.replace('/', "of");
            relabel(&folder, EXACT, shard, &name);
            folder.path(&name)
        });
        let merge = |shards: &[_]| merge(shards, &folder.path("merged"), Existing::Keep, &Silent);
        let missing = merge(&shards[..2]).unwrap_err().to_string();
        assert!(missing.contains("shard 2 of 3 is missing"), "{missing}");
        let merged = merge(&shards).unwrap();
        assert_eq!((merged.content, merged.positions), (Content::Positions, whole.records));
        assert_eq!(merged.summary, whole.summary);
        let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
        assert_eq!(bytes("merged"), bytes("whole"));
        assert_eq!(merge(&shards).unwrap(), merged);
        // A merge that was killed goes on at a frame.
        let whole = bytes("whole");
        for kept in (0..whole.len()).step_by(whole.len() / 5) {
            std::fs::remove_file(folder.path("merged")).unwrap();
            std::fs::write(folder.path("merged.partial"), &whole[..kept]).unwrap();
            assert_eq!(merge(&shards).unwrap(), merged);
            assert_eq!(bytes("merged"), whole);
        }
    }

    #[test]
    fn a_killed_run_goes_on_and_ends_as_if_undisturbed() {
        let folder = Folder::new();
        folder.write("all.positions", &positions(160));
        let whole = relabel(&folder, EXACT, "1/1", "whole");
        let bytes = std::fs::read(folder.path("whole")).unwrap();
        for kept in (0..bytes.len()).step_by(bytes.len() / 5) {
            let name = kept.to_string();
            std::fs::write(folder.path(&format!("{name}.partial")), &bytes[..kept]).unwrap();
            assert_eq!(relabel(&folder, EXACT, "1/1", &name), whole);
            assert_eq!(std::fs::read(folder.path(&name)).unwrap(), bytes);
        }
    }

    /// A file of openings is all there is of a kind: so is what is made from it.
    #[test]
    fn relabelled_openings_are_still_all_there_are() {
        let folder = Folder::new();
        let path = folder.path("all.openings");
        let settings = othello_engine::openings::Settings::whole(3, 1, "mobility".to_owned());
        othello_engine::openings::write_openings(
            &path,
            &settings,
            &Mobility,
            Existing::Keep,
            &Silent,
        )
        .unwrap();
        std::fs::rename(path, folder.path("all.positions")).unwrap();
        let settings = Settings { exact: 0, depth: Some(3) };
        relabel(&folder, settings, "1/1", "deeper");
        assert!(PositionReader::open(&folder.path("deeper")).unwrap().is_enumerated());
        let labels = |name: &str| -> BTreeMap<_, _> {
            let rows = folder.read::<ScoredPosition>(name).into_iter();
            rows.map(|row| (row.position(), row.label())).collect()
        };
        assert_ne!(labels("deeper"), labels("all.positions"));
    }
}
