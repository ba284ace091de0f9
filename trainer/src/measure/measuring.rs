//! Values all positions of some data, and adds up how far the values are from the labels.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use othello_engine::board::{Phase, Position};
use othello_engine::eval::{Evaluate, Value};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::ScoredPosition;
use othello_engine::search::{Selection, Strength, TableError, strong_values};
use rayon::prelude::*;

use super::errors::GroupErrors;
use super::groups::{Group, PhaseErrors, Tally};
use super::valued::{Place, Valued};
use crate::source::records::read_games;
use crate::source::{LabelRules, Labelled, SourceError};

/// A way to measure the errors of an evaluation.
#[derive(Clone, Debug)]
pub struct Measuring<'a, E> {
    /// The evaluation.
    pub evaluator: &'a E,
    /// The plies that searches look ahead; 0 for static values. Each position is searched from a
    /// logically empty table, to the end of the game where that is near.
    pub depth: u32,
    /// The selection of what searches leave out.
    pub selection: Selection,
    /// The phases whose positions are measured.
    pub phases: RangeInclusive<Phase>,
    /// The number of positions with the largest errors to keep.
    pub worst: usize,
}

/// The errors of an evaluation on some data.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The errors of every phase that was asked for, that is of every number of empty squares.
    pub phases: Vec<PhaseErrors>,
    /// The errors of all positions.
    pub all: GroupErrors,
    /// The positions by the value that they got, the lowest first; groups with positions alone.
    pub by_value: Vec<Group>,
    /// The positions by region of the game; groups with positions alone.
    pub by_region: Vec<Group>,
    /// The positions by ranges of empty squares, and by whether their number is even; groups with
    /// positions alone.
    pub by_group: Vec<Group>,
    /// The positions with the largest errors, the largest first.
    pub worst: Vec<Valued>,
    /// The checksums of the files.
    pub sha256: Vec<String>,
}

/// Why errors are not measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A file that cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// No memory for what searches remember.
    #[error("{0}, of which each thread's search needs one; run fewer --threads")]
    Table(#[from] TableError),
}

impl<E: Evaluate> Measuring<'_, E> {
    /// Measures the positions of files of games, positions or openings; those of games get their labels
    /// by `rules`.
    pub fn files(
        &self,
        paths: &[PathBuf],
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<Measured, MeasureError> {
        // Searches take much longer than reading, which therefore comes first, to know how many there are.
        let reading: &dyn Progress = if self.depth > 0 {
            self.begin_searches(paths, rules, progress)?;
            &Silent
        } else {
            progress
        };
        let (mut found, mut sha256, mut searched) = (Found::default(), vec![], Ok(()));
        for (file, path) in paths.iter().enumerate() {
            let mut games_before = 0;
            sha256.push(read_games(path, rules, reading, |games| {
                let rows = placed(&games, file, games_before);
                games_before += games.len() as u64;
                if searched.is_ok() {
                    searched = self.add(&mut found, rows, progress);
                }
            })?);
        }
        searched?;
        Ok(self.measured(found, sha256))
    }

    /// Measures positions of which each counts as a game by itself.
    pub fn positions(
        &self,
        rows: Vec<ScoredPosition>,
        progress: &dyn Progress,
    ) -> Result<Measured, MeasureError> {
        if self.depth > 0 {
            let wanted = rows.iter().filter(|row| self.phase_of(row).is_some());
            progress.begin(SEARCHES, 0, wanted.count() as u64);
        }
        let mut found = Found::default();
        let rows = rows.into_iter().map(|row| Row { row, place: None });
        self.add(&mut found, rows.collect(), progress)?;
        Ok(self.measured(found, vec![]))
    }

    /// Counts the positions of the files, and begins to show the progress of their searches.
    fn begin_searches(
        &self,
        paths: &[PathBuf],
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<(), SourceError> {
        let mut positions = 0;
        for path in paths {
            read_games(path, rules, progress, |games| {
                let rows = games.par_iter().flatten();
                let wanted = rows.filter(|labelled| self.phase_of(&labelled.row).is_some());
                positions += wanted.count() as u64;
            })?;
        }
        progress.begin(SEARCHES, 0, positions);
        Ok(())
    }

    /// The phase of a position; `None` for a full board, which has no phase, and for phases that are not
    /// asked for.
    fn phase_of(&self, row: &ScoredPosition) -> Option<Phase> {
        Phase::of(&row.position()).filter(|phase| self.phases.contains(phase))
    }

    /// Values positions, adds their errors, and keeps the worst. The positions of a game stand together.
    fn add(
        &self,
        found: &mut Found,
        mut rows: Vec<Row>,
        progress: &dyn Progress,
    ) -> Result<(), MeasureError> {
        rows.retain(|row| self.phase_of(&row.row).is_some());
        let values = self.values(&rows, progress)?;
        let valued: Vec<Valued> = rows
            .par_iter()
            .zip(&values)
            .filter_map(|(row, value)| Valued::new(row.row, *value, row.place))
            .collect();
        let games = valued.par_chunk_by(Valued::are_of_one_game);
        let tally = games.fold(Tally::default, Tally::add_game).reduce(Tally::default, Tally::plus);
        found.tally = std::mem::take(&mut found.tally).plus(tally);
        if self.worst > 0 {
            found.worst.extend(valued);
            let key = |valued: &Valued| (Reverse(valued.error.unsigned_abs()), valued.row);
            found.worst.sort_by_key(key);
            found.worst.truncate(self.worst);
        }
        Ok(())
    }

    /// The errors of all that has been valued.
    fn measured(&self, found: Found, sha256: Vec<String>) -> Measured {
        let Found { tally, worst } = found;
        Measured {
            phases: tally.phases().filter(|row| self.phases.contains(&row.phase)).collect(),
            all: tally.all(),
            by_value: tally.by_value(),
            by_region: tally.by_region(),
            by_group: tally.by_empties(),
            worst,
            sha256,
        }
    }

    /// The values of positions, in the same order.
    fn values(&self, rows: &[Row], progress: &dyn Progress) -> Result<Vec<Value>, TableError> {
        let positions = rows.par_iter().map(|row| row.row.position());
        if self.depth == 0 {
            let value = |position: Position| {
                self.evaluator.value(&self.evaluator.state(&position), &position)
            };
            return Ok(positions.map(value).collect());
        }
        let positions: Vec<Position> = positions.collect();
        let strength = Strength { depth: self.depth, exact: 0 };
        strong_values(&positions, self.evaluator, strength, &self.selection, None, progress)
    }
}

/// The name of the stage that searches.
const SEARCHES: &str = "loss (positions)";

/// The errors of what has been valued so far.
#[derive(Default)]
struct Found {
    tally: Tally,
    worst: Vec<Valued>,
}

/// A position that is to be valued, and where it is from.
struct Row {
    row: ScoredPosition,
    place: Option<Place>,
}

/// The positions of the games of a file, of which some games came before.
fn placed(games: &[Vec<Labelled>], file: usize, games_before: u64) -> Vec<Row> {
    let numbered = games.iter().zip(games_before + 1..);
    let rows = numbered.flat_map(|(game, number)| {
        game.iter().map(move |found| Row {
            row: found.row,
            place: Some(Place { file, game: number, rule: found.rule }),
        })
    });
    rows.collect()
}
