//! The writer of the file of scored openings.

use std::ops::Range;
use std::path::Path;

use super::scorer::Scorer;
use super::{MAX_PLIES_HELD, enumerate, movers, negamax_back};
use crate::board::Position;
use crate::eval::{Evaluate, Identified, STEPS_PER_DISC, Value};
use crate::file::{Begin, Existing, Provenance, Summary};
use crate::progress::Progress;
use crate::record::{
    FinishedWork, Label, POSITIONS_PER_FRAME, PositionWriter, RecordError, ScoredPosition, Shard,
    Weight,
};

/// The settings that decide the content of a file of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The last ply, 0..=[`super::MAX_PLIES_HELD`].
    pub plies: u32,
    /// The depth of the search of each position of the last ply, in moves.
    pub score_depth: u32,
    /// The part of the last ply to score, in whole frames. The file of a part has only positions of
    /// the last ply; [`write_scored`] makes the file of all plies from the values of all parts.
    pub shard: Shard,
}

/// The content of a written file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The number of unique positions at each ply.
    pub unique: Vec<usize>,
    /// The number of positions in the file: those of all plies in which a side can move, or those
    /// of a part of the last ply.
    pub positions: usize,
    /// The checksum and size of the file.
    pub summary: Summary,
}

impl Settings {
    /// Returns the settings of a file of all plies.
    pub const fn whole(plies: u32, score_depth: u32) -> Self {
        Self { plies, score_depth, shard: Shard::WHOLE }
    }

    /// Returns the provenance of a file with these settings; `weights` is the identity of the
    /// evaluation. The provenance of an undivided file names no shard.
    pub fn provenance(&self, weights: &str) -> Provenance {
        let provenance = Provenance::new("openings")
            .with("plies", self.plies)
            .with("score_depth", self.score_depth)
            .with("weights", weights);
        if self.is_whole() {
            return provenance;
        }
        provenance.with("shard", self.shard.to_string())
    }

    /// Returns the settings and the identity of the evaluation from a file's provenance; `None` if
    /// this program would not write that provenance.
    pub fn of(provenance: &Provenance) -> Option<(Self, String)> {
        let number = |key| u32::try_from(provenance.get(key)?.as_u64()?).ok();
        let text = |key| provenance.get(key).and_then(serde_json::Value::as_str);
        let settings = Self {
            plies: number("plies").filter(|&plies| plies <= MAX_PLIES_HELD)?,
            score_depth: number("score_depth")?,
            shard: text("shard").map_or(Ok(Shard::WHOLE), str::parse).ok()?,
        };
        let weights = text("weights")?;
        (settings.provenance(weights) == *provenance).then(|| (settings, weights.to_owned()))
    }

    fn is_whole(&self) -> bool {
        self.shard.count() == 1
    }

    /// Returns the range of indices to score in a last ply of `positions` positions.
    pub fn places(&self, positions: usize) -> Range<usize> {
        let frames = self.shard.frames(positions.div_ceil(POSITIONS_PER_FRAME) as u64);
        let first_of = |frame: u64| (frame as usize * POSITIONS_PER_FRAME).min(positions);
        first_of(frames.start)..first_of(frames.end)
    }
}

/// Scores all openings and writes them: first the positions of the last ply, each searched from a
/// logically empty table, then those of earlier plies, labelled by negamax from the last. Every
/// position has the weight of one occurrence. A run that was killed or interrupted continues with
/// the positions that have no value yet.
pub fn write_openings<E: Identified>(
    path: &Path,
    settings: &Settings,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Written, RecordError> {
    let provenance = settings.provenance(evaluator.identity());
    let begun = PositionWriter::begin_openings(path, &provenance, existing)?;
    let unique = enumerate(settings.plies, progress);
    let plies: Vec<Vec<Position>> = unique.iter().map(|ply| movers(ply)).collect();
    let unique = unique.iter().map(Vec::len).collect();
    let last = plies.last().map_or(&[][..], Vec::as_slice);
    let places = settings.places(last.len());
    let positions =
        if settings.is_whole() { plies.iter().map(Vec::len).sum() } else { places.len() };
    let summary = match begun {
        Begin::Done(summary) => {
            progress.begin(SCORES, places.len() as u64, places.len() as u64);
            summary
        }
        Begin::Writer(writer) => {
            let earlier = if settings.is_whole() { plies.split_last() } else { None };
            let earlier = earlier.map_or(&[][..], |(_, earlier)| earlier);
            let rest = earlier.iter().rev().flatten();
            let expected = last[places.clone()].iter().chain(rest);
            let mut output = Output::resume(writer, expected, progress)?;
            let found = FinishedWork::open(path, &provenance, existing)?;
            progress.warn(found.warning());
            let scorer = Scorer::new(evaluator, settings.score_depth, &found, progress)?;
            let values = output.score(last, places, &scorer, &found, progress)?;
            if settings.is_whole() {
                output.write_earlier(&plies, values)?;
            }
            let summary = output.writer.finish()?;
            found.remove()?;
            summary
        }
    };
    Ok(Written { unique, positions, summary })
}

/// Writes the file that [`write_openings`] writes for an undivided run, from given values of the
/// last ply; `weights` is the identity of the evaluation that found these. Each of `plies` is the
/// [`movers`] of a ply, the first ply first.
pub fn write_scored(
    path: &Path,
    (settings, weights): (&Settings, &str),
    plies: &[Vec<Position>],
    last: Vec<Value>,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Summary, RecordError> {
    match PositionWriter::begin_openings(path, &settings.provenance(weights), existing)? {
        Begin::Done(summary) => Ok(summary),
        Begin::Writer(mut writer) => {
            progress.warn(writer.warning());
            writer.compare_from_start();
            let mut output = Output { writer, resumed: vec![] };
            let positions = plies.last().map_or(&[][..], Vec::as_slice);
            output.write(positions, &last)?;
            output.write_earlier(plies, last)?;
            progress.warn(output.writer.end_comparison()?);
            output.writer.finish()
        }
    }
}

/// The name of the scoring of the last ply in progress messages.
const SCORES: &str = "scores (positions)";

/// The file being written, and the rows that an earlier run left in it.
struct Output {
    writer: PositionWriter,
    resumed: Vec<ScoredPosition>,
}

impl Output {
    /// Keeps the frames of an earlier run that have the expected positions, up to the first other
    /// frame.
    fn resume<'a>(
        mut writer: PositionWriter,
        expected: impl Iterator<Item = &'a Position>,
        progress: &dyn Progress,
    ) -> Result<Self, RecordError> {
        progress.warn(writer.warning());
        let (mut resumed, mut expected) = (vec![], expected.peekable());
        let dropped = writer.keep_while(|_, rows| {
            let is_next = |row: &ScoredPosition| expected.next() == Some(&row.position());
            let fits = rows.iter().all(is_next)
                && (rows.len() == POSITIONS_PER_FRAME || expected.peek().is_none());
            if fits {
                resumed.extend_from_slice(rows);
            }
            Ok(fits)
        })?;
        progress.warn(dropped);
        Ok(Self { writer, resumed })
    }

    /// Searches and writes the positions at these indices of the last ply that have no value yet;
    /// returns the values of all positions at these indices.
    fn score<E: Evaluate>(
        &mut self,
        last: &[Position],
        places: Range<usize>,
        scorer: &Scorer<'_, E>,
        found: &FinishedWork<Value>,
        progress: &dyn Progress,
    ) -> Result<Vec<Value>, RecordError> {
        let mut values: Vec<Value> = self.resumed.iter().take(places.len()).map(value).collect();
        let first = places.start + values.len();
        let done = values.len() as u64 + found.count_in(first as u64..places.end as u64);
        progress.begin_stoppable(SCORES, done, places.len() as u64);
        let mut next = first;
        for positions in last[first..places.end].chunks(POSITIONS_PER_FRAME) {
            let scores = scorer.values(next, positions)?;
            self.write(positions, &scores)?;
            values.extend(scores);
            next += positions.len();
            // The last chunk may share a frame with positions of the ply before.
            if positions.len() == POSITIONS_PER_FRAME {
                found.settle(&self.writer)?;
            }
        }
        Ok(values)
    }

    fn write(&mut self, positions: &[Position], values: &[Value]) -> Result<(), RecordError> {
        let mut rows = positions.iter().zip(values);
        rows.try_for_each(|(&position, &value)| self.writer.push(scored(position, value)))
    }

    /// Labels and writes the positions of earlier plies that are not in the file yet, the latest
    /// ply first.
    fn write_earlier(
        &mut self,
        plies: &[Vec<Position>],
        last: Vec<Value>,
    ) -> Result<(), RecordError> {
        let mut already = self.resumed.len().saturating_sub(last.len());
        let values = negamax_back(plies, last).unwrap_or_default();
        for (positions, values) in plies.iter().zip(&values).rev().skip(1) {
            let skipped = already.min(positions.len());
            already -= skipped;
            self.write(&positions[skipped..], &values[skipped..])?;
        }
        Ok(())
    }
}

/// The number of label steps in a value step.
const LABEL_STEPS: i32 = crate::record::LABEL_STEPS_PER_DISC as i32 / STEPS_PER_DISC;

#[expect(clippy::expect_used, reason = "a value is at most 64 discs, as a label is")]
fn scored(position: Position, value: Value) -> ScoredPosition {
    let label = i16::try_from(value.steps() * LABEL_STEPS).ok().and_then(Label::new);
    ScoredPosition::new(position, label.expect("a value is in range"), Weight::ONE)
}

/// Returns the value of a row that [`write_openings`] wrote.
pub fn value(scored: &ScoredPosition) -> Value {
    Value::clamped(i32::from(scored.label().steps()) / LABEL_STEPS)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use othello_testing::{StopAfter, records};

    use super::*;
    use crate::eval::Mobility;
    use crate::file::Checkpoint;
    use crate::progress::Silent;
    use crate::record::PositionReader;
    use crate::search::Search;

    const SETTINGS: Settings = Settings::whole(7, 1);

    fn write(path: &Path, existing: Existing) -> Written {
        write_openings(path, &SETTINGS, &Mobility, existing, &Silent).unwrap()
    }

    #[test]
    fn every_opening_is_there_once_with_the_value_of_its_best_move() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.openings");
        let written = write(&path, Existing::Keep);
        assert_eq!(written.unique, [1, 1, 3, 14, 60, 322, 1773, 10_649]);
        let rows: Vec<_> = PositionReader::open(&path).unwrap().map(|row| row.unwrap()).collect();
        assert_eq!(rows.len(), written.positions);
        assert_eq!(rows.len(), written.unique.iter().sum::<usize>());
        // One ply less, searched one ply deeper, has the values that were negamaxed back.
        let ply_6: Vec<_> = rows.iter().filter(|row| row.position().ply() == 6).collect();
        let positions: Vec<_> = ply_6.iter().map(|row| row.position()).collect();
        let labels: Vec<_> = ply_6.iter().map(|row| value(row)).collect();
        assert_eq!(Search::new(&Mobility).depth(2).values(&positions, &Silent).unwrap(), labels);
    }

    #[test]
    fn a_killed_run_goes_on_and_ends_as_if_undisturbed() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.openings");
        let written = write(&whole, Existing::Keep);
        let bytes = fs::read(&whole).unwrap();
        for kept in (0..bytes.len()).step_by(bytes.len() / 9) {
            let path = folder.path().join(format!("{kept}.openings"));
            let partial = folder.path().join(format!("{kept}.openings.partial"));
            fs::write(&partial, &bytes[..kept]).unwrap();
            assert_eq!(write(&path, Existing::Keep), written);
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        assert_eq!(write(&whole, Existing::Keep), written);
    }

    /// A regression: a recorded value beyond 64 discs, with right checksums, panicked when it
    /// became a label.
    #[test]
    fn recorded_values_that_no_search_finds_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.openings");
        write(&whole, Existing::Keep);
        // As many values as are recorded together, so that they would be accepted.
        let recorded = |value: i32| [value; 512].map(i32::to_le_bytes).concat();
        for value in [2049, -2049, i32::MAX, i32::MIN] {
            let path = folder.path().join(format!("{value}.openings"));
            let provenance = SETTINGS.provenance("mobility");
            let (mut checkpoint, _) = Checkpoint::open(&path, &provenance, Existing::Keep).unwrap();
            checkpoint.record("0", &recorded(value)).unwrap();
            checkpoint.record("18446744073709551615", &[0; 8]).unwrap();
            checkpoint.record("7", &[0; 3]).unwrap();
            drop(checkpoint);
            write(&path, Existing::Keep);
            assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap(), "{value}");
        }
    }

    #[test]
    fn a_doubled_or_dropped_frame_of_an_unfinished_file_is_scored_again() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.openings");
        write(&whole, Existing::Keep);
        let (provenance, frames) = records::frames::<ScoredPosition>(&whole);
        let orders: [&[usize]; 6] = [&[0, 0], &[1], &[0, 2], &[0, 1, 2, 3, 3], &[3], &[0, 1, 3]];
        for order in orders {
            let path = folder.path().join(format!("{order:?}.openings"));
            let begun = PositionWriter::begin_openings(&path, &provenance, Existing::Keep);
            let mut writer = records::begun(begun.unwrap());
            order.iter().for_each(|&frame| writer.write_frame(&frames[frame]).unwrap());
            drop(writer);
            write(&path, Existing::Keep);
            assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap(), "{order:?}");
        }
    }

    #[test]
    fn every_value_that_was_found_before_an_interruption_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.openings");
        let written = write(&whole, Existing::Keep);
        let path = folder.path().join("stopped.openings");
        let mut found = 0;
        // Enumerating the plies does not check for interrupts; the last stage scores 10,649
        // positions.
        for units in [600, 0, 3000, 3000, u64::MAX] {
            let progress = StopAfter::units(units);
            let result = write_openings(&path, &SETTINGS, &Mobility, Existing::Keep, &progress);
            assert_eq!(progress.begun_with(), found);
            found += progress.finished();
            match result {
                Err(error) => assert!(matches!(error, RecordError::Interrupted(_)), "{error}"),
                Ok(resumed) => assert_eq!(resumed, written),
            }
        }
        assert_eq!(found, 10_649);
        assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap());
    }

    #[test]
    fn parts_of_the_last_ply_make_the_file_of_an_undivided_run() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.openings");
        let written = write(&whole, Existing::Keep);
        let mut values = vec![];
        for number in 1..=2 {
            let path = folder.path().join(format!("{number}.openings"));
            let shard = format!("{number}/2").parse().unwrap();
            let settings = Settings { shard, ..SETTINGS };
            let part =
                write_openings(&path, &settings, &Mobility, Existing::Keep, &Silent).unwrap();
            let reader = PositionReader::open(&path).unwrap();
            assert_eq!(Settings::of(reader.provenance()), Some((settings, "mobility".to_owned())));
            let rows: Vec<_> = reader.map(|row| value(&row.unwrap())).collect();
            assert_eq!(rows.len(), part.positions);
            values.extend(rows);
        }
        let merged = folder.path().join("merged.openings");
        let plies: Vec<_> = enumerate(7, &Silent).iter().map(|ply| movers(ply)).collect();
        let summary =
            write_scored(&merged, (&SETTINGS, "mobility"), &plies, values, Existing::Keep, &Silent)
                .unwrap();
        assert_eq!(summary, written.summary);
        assert_eq!(fs::read(&merged).unwrap(), fs::read(&whole).unwrap());
    }

    #[test]
    fn what_another_program_made_has_no_settings_here() {
        let provenance = SETTINGS.provenance("none");
        assert_eq!(Settings::of(&provenance), Some((SETTINGS, "none".to_owned())));
        for (key, value) in [("version", "0.0.0"), ("shard", "1/1"), ("plies", "7"), ("x", "")] {
            assert_eq!(Settings::of(&provenance.clone().with(key, value)), None, "{key}");
        }
        assert_eq!(Settings::of(&provenance.with("plies", MAX_PLIES_HELD + 1)), None);
    }
}
