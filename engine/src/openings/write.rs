//! The file of scored openings.

use std::path::Path;

use super::found::{FoundValues, Scorer};
use super::{enumerate, movers, negamax_back};
use crate::board::Position;
use crate::eval::{Evaluate, STEPS_PER_DISC, Value};
use crate::file::{Begin, Existing, Provenance, Summary};
use crate::progress::Progress;
use crate::record::{
    Label, POSITIONS_PER_FRAME, PositionWriter, RecordError, ScoredPosition, Weight,
};

/// What decides the content of a file of openings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The last ply, 0..=[`super::MAX_PLIES_HELD`].
    pub plies: u32,
    /// How many moves each position of the last ply is searched.
    pub score_depth: u32,
    /// What identifies the evaluation: the checksum of its weights file, or its name.
    pub weights: String,
}

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Unique positions at each ply.
    pub unique: Vec<usize>,
    /// Positions in the file: those of all plies in which a side can move.
    pub positions: usize,
    /// The file.
    pub summary: Summary,
}

impl Settings {
    fn provenance(&self) -> Provenance {
        Provenance::new("openings")
            .with("plies", self.plies)
            .with("score_depth", self.score_depth)
            .with("weights", self.weights.as_str())
    }
}

/// Scores all openings and writes them: the positions of the last ply, each searched from a
/// logically empty table, then those of the plies before it, labelled by negamax from the last.
/// Every position counts once. A run that was killed or interrupted goes on with the positions
/// that have no value yet.
pub fn write_openings<E: Evaluate>(
    path: &Path,
    settings: &Settings,
    evaluator: &E,
    existing: Existing,
    progress: &dyn Progress,
) -> Result<Written, RecordError> {
    let provenance = settings.provenance();
    let begun = PositionWriter::begin_openings(path, &provenance, existing)?;
    let unique = enumerate(settings.plies, progress);
    let plies: Vec<Vec<Position>> = unique.iter().map(|ply| movers(ply)).collect();
    let positions = plies.iter().map(Vec::len).sum();
    let unique = unique.iter().map(Vec::len).collect();
    let summary = match begun {
        Begin::Done(summary) => summary,
        Begin::Writer(writer) => {
            progress.warn(writer.warning());
            let found = FoundValues::open(path, &provenance, existing)?;
            progress.warn(found.warning());
            let resumed = writer.reread()?.collect::<Result<_, _>>()?;
            let mut output = Output { found, writer, resumed };
            let last = output.score_last(&plies, settings, evaluator, progress)?;
            output.write_earlier(&plies, last)?;
            let summary = output.writer.finish()?;
            output.found.remove()?;
            summary
        }
    };
    Ok(Written { unique, positions, summary })
}

/// The file being written, and what an earlier run left in it and beside it.
struct Output {
    found: FoundValues,
    writer: PositionWriter,
    resumed: Vec<ScoredPosition>,
}

impl Output {
    /// Searches the positions of the last ply that have no value yet; returns all its values.
    fn score_last<E: Evaluate>(
        &mut self,
        plies: &[Vec<Position>],
        settings: &Settings,
        evaluator: &E,
        progress: &dyn Progress,
    ) -> Result<Vec<Value>, RecordError> {
        let last = plies.last().map_or(&[][..], Vec::as_slice);
        let mut values: Vec<Value> = self.resumed.iter().take(last.len()).map(value).collect();
        let done = values.len() + self.found.count_in(values.len()..last.len());
        progress.begin(&format!("scores, ply {}", settings.plies), done as u64, last.len() as u64);
        let scorer = Scorer::new(evaluator, settings.score_depth, &self.found, progress);
        for positions in last[values.len()..].chunks(POSITIONS_PER_FRAME) {
            let found = scorer.values(values.len(), positions)?;
            for (&position, &value) in positions.iter().zip(&found) {
                self.writer.push(scored(position, value))?;
            }
            values.extend(found);
            // The last chunk becomes a frame together with positions of the ply before.
            if positions.len() == POSITIONS_PER_FRAME {
                self.found.settle(&self.writer)?;
            }
        }
        Ok(values)
    }

    /// Labels and writes what is not in the file yet of the plies before the last, latest first.
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
            for (&position, &value) in positions.iter().zip(values).skip(skipped) {
                self.writer.push(scored(position, value))?;
            }
        }
        Ok(())
    }
}

/// Label steps in a value step.
const LABEL_STEPS: Value = crate::record::LABEL_STEPS_PER_DISC as Value / STEPS_PER_DISC;

#[expect(clippy::expect_used, reason = "a value is at most 64 discs, as a label is")]
fn scored(position: Position, value: Value) -> ScoredPosition {
    let label = i16::try_from(value * LABEL_STEPS).ok().and_then(Label::new);
    ScoredPosition::new(position, label.expect("a value is in range"), Weight::ONE)
}

pub(super) fn value(scored: &ScoredPosition) -> Value {
    Value::from(scored.label().steps()) / LABEL_STEPS
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::eval::Mobility;
    use crate::progress::{Silent, StopAfter};
    use crate::record::PositionReader;
    use crate::search;

    const SETTINGS: Settings = Settings { plies: 7, score_depth: 1, weights: String::new() };

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
        // One ply less, searched one ply deeper, gives the values that were negamaxed back.
        let ply_6: Vec<_> = rows.iter().filter(|row| row.position().ply() == 6).collect();
        let positions: Vec<_> = ply_6.iter().map(|row| row.position()).collect();
        let labels: Vec<_> = ply_6.iter().map(|row| value(row)).collect();
        assert_eq!(search::values(&positions, &Mobility, 2, &Silent), labels);
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

    #[test]
    fn every_value_that_was_found_before_an_interruption_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole.openings");
        let written = write(&whole, Existing::Keep);
        let path = folder.path().join("stopped.openings");
        let mut found = 0;
        // Enumerating the plies asks nobody; the last stage scores 10,649 positions.
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
}
