//! Evaluates all positions of records, and computes the errors: value − label.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use othello_engine::board::{Phase, Position};
use othello_engine::eval::{Evaluate, Value};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::ScoredPosition;
use othello_engine::search::{Pruning, Search, TableError};
use rayon::prelude::*;

use super::errors::{Group, GroupErrors, PhaseErrors, Place, Tally, Valued};
use crate::source::records::read_games;
use crate::source::{LabelRules, Labelled, Result};

/// The settings for a measurement of an evaluation's errors.
#[derive(Clone, Debug)]
pub struct Measuring<'a, E> {
    /// The evaluation whose errors are measured.
    pub evaluator: &'a E,
    /// The depth of searches in plies; 0 for static values. Searches that reach the end of the game
    /// are exact. The transposition table passes nothing from one position to the next.
    pub depth: u32,
    /// The pruning of the searches, such as Multi-ProbCut.
    pub pruning: Pruning,
    /// The phases whose positions are measured.
    pub phases: RangeInclusive<Phase>,
    /// The number of positions with the largest errors to keep in [`Measured::worst`].
    pub worst: usize,
}

/// The errors of an evaluation on some data.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The errors of every requested phase (number of empty squares).
    pub phases: Vec<PhaseErrors>,
    /// The errors of all measured positions together.
    pub all: GroupErrors,
    /// The errors of positions grouped by the evaluation's value for the side to move: nine ranges,
    /// with bounds from −40 to 40 discs, the lowest range first. Empty groups are omitted.
    pub by_value: Vec<Group>,
    /// The errors by region of the game (opening, midgame, endgame). Empty groups are omitted.
    pub by_region: Vec<Group>,
    /// The errors by range and by parity of the number of empty squares: groups for three ranges,
    /// for even and for odd numbers. Empty groups are omitted.
    pub by_group: Vec<Group>,
    /// The positions with the largest errors, the largest first.
    pub worst: Vec<Valued>,
    /// The SHA-256 checksum of each measured file, in the given order; empty if no files were
    /// given.
    pub sha256: Vec<String>,
}

impl<E: Evaluate> Measuring<'_, E> {
    /// Measures the errors on the positions of files; `rules` label the positions of games.
    pub fn files(
        &self,
        paths: &[PathBuf],
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<Measured> {
        // A first reading counts the positions, so that the progress of the searches has a total.
        let reading: &dyn Progress = if self.depth > 0 {
            self.begin_searches(paths, rules, progress)?;
            &Silent
        } else {
            progress
        };
        let (mut found, mut sha256, mut searched) = (PartialErrors::default(), vec![], Ok(()));
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

    /// Measures the errors on positions, each of which counts as a game.
    pub fn positions(
        &self,
        rows: Vec<ScoredPosition>,
        progress: &dyn Progress,
    ) -> Result<Measured> {
        if self.depth > 0 {
            let wanted = rows.iter().filter(|row| self.phase_of(row).is_some());
            progress.begin(SEARCHES, 0, wanted.count() as u64);
        }
        let mut found = PartialErrors::default();
        let rows = rows.into_iter().map(|row| (row, None));
        self.add(&mut found, rows.collect(), progress)?;
        Ok(self.measured(found, vec![]))
    }

    fn begin_searches(
        &self,
        paths: &[PathBuf],
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<()> {
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

    fn phase_of(&self, row: &ScoredPosition) -> Option<Phase> {
        Phase::of(&row.position()).filter(|phase| self.phases.contains(phase))
    }

    fn add(
        &self,
        found: &mut PartialErrors,
        mut rows: Vec<Row>,
        progress: &dyn Progress,
    ) -> Result<()> {
        rows.retain(|(row, _)| self.phase_of(row).is_some());
        let values = self.values(&rows, progress)?;
        let valued: Vec<Valued> = rows
            .par_iter()
            .zip(&values)
            .filter_map(|(&(row, place), value)| Valued::new(row, *value, place))
            .collect();
        let game = |valued: &Valued| valued.place.map(|place| (place.file, place.game));
        let games = valued.par_chunk_by(|one, next| one.place.is_some() && game(one) == game(next));
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

    fn measured(&self, found: PartialErrors, sha256: Vec<String>) -> Measured {
        let PartialErrors { tally, worst } = found;
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

    fn values(&self, rows: &[Row], progress: &dyn Progress) -> Result<Vec<Value>, TableError> {
        let positions = rows.par_iter().map(|(row, _)| row.position());
        if self.depth == 0 {
            let value = |position: Position| {
                self.evaluator.value(&self.evaluator.state(&position), &position)
            };
            return Ok(positions.map(value).collect());
        }
        let positions: Vec<Position> = positions.collect();
        let search = Search::new(self.evaluator).depth(self.depth);
        search.pruning(self.pruning.clone()).values(&positions, progress)
    }
}

const SEARCHES: &str = "loss (positions)";

#[derive(Default)]
struct PartialErrors {
    tally: Tally,
    worst: Vec<Valued>,
}

type Row = (ScoredPosition, Option<Place>);

fn placed(games: &[Vec<Labelled>], file: usize, games_before: u64) -> Vec<Row> {
    let numbered = games.iter().zip(games_before + 1..);
    let rows = numbered.flat_map(|(game, number)| {
        game.iter()
            .map(move |found| (found.row, Some(Place { file, game: number, rule: found.rule })))
    });
    rows.collect()
}
