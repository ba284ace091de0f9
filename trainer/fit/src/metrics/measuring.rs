//! Measures the errors (label − value) of an evaluation on positions of record files, in total or
//! for each game, and compares them with limits that the user gives.

use std::cmp::Reverse;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use ndarray::{Array1, Array2, Axis};
use othello_engine::board::{PHASES, Phase, Position};
use othello_engine::eval::{Evaluate, Value};
use othello_engine::progress::{Progress, Silent};
use othello_engine::record::ScoredPosition;
use othello_engine::search::{Pruning, Search, TableError};
use rayon::prelude::*;

use super::errors::{Group, GroupErrors, PhaseErrors, Place, Tally, Valued};
use crate::backend::Errors;
use crate::dataset::LabelCounts;
use crate::source::records::read_games;
use crate::source::{LabelRules, Labelled, Result};

/// The settings for a measurement of an evaluation's errors.
#[derive(Clone, Debug)]
pub struct Measuring<'a, E> {
    /// The evaluation whose errors are measured.
    pub evaluator: &'a E,
    /// The depth in plies of the searches that find the values; 0 for static values.
    pub depth: u32,
    /// The pruning of the searches, such as Multi-ProbCut.
    pub pruning: Pruning,
    /// The phases whose positions are measured.
    pub phases: RangeInclusive<Phase>,
    /// The number of positions with the largest errors to keep in [`Measured::worst`].
    pub worst: usize,
}

/// The errors of an evaluation on some data. The lists of groups omit groups without positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The errors of every requested phase.
    pub phases: Vec<PhaseErrors>,
    /// The errors of all measured positions together.
    pub all: GroupErrors,
    /// The errors by range of the value for the side to move, the lowest range first.
    pub by_value: Vec<Group>,
    /// The errors by region of the game (opening, midgame, endgame).
    pub by_region: Vec<Group>,
    /// The errors by number of empty squares: for 13–18, 19–24 and 25–30, then for even and for odd
    /// numbers.
    pub by_group: Vec<Group>,
    /// The positions with the largest errors, the largest first.
    pub worst: Vec<Valued>,
    /// The SHA-256 checksums of the measured files in the given order; empty if the positions were
    /// not read from files.
    pub sha256: Vec<String>,
}

impl<E: Evaluate> Measuring<'_, E> {
    /// Measures the evaluation's errors on positions in files. Positions of game files get labels
    /// by `rules`; files of scored positions contain their labels.
    pub fn files(
        &self,
        paths: &[PathBuf],
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<Measured> {
        let mut reading = progress;
        if self.depth > 0 {
            // A first reading counts the positions, so that the searches' progress has a total.
            let mut positions = 0;
            for path in paths {
                read_games(path, rules, progress, |games| {
                    let rows = games.par_iter().flatten();
                    let wanted = rows.filter(|labelled| self.phase_of(&labelled.row).is_some());
                    positions += wanted.count() as u64;
                })?;
            }
            progress.begin(SEARCHES, 0, positions);
            reading = &Silent;
        }
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

    /// Measures the evaluation's errors on positions. Standard errors count a position as a game.
    pub fn positions(&self, all: Vec<ScoredPosition>, progress: &dyn Progress) -> Result<Measured> {
        if self.depth > 0 {
            let wanted = all.iter().filter(|row| self.phase_of(row).is_some());
            progress.begin(SEARCHES, 0, wanted.count() as u64);
        }
        let (mut found, rows) = (PartialErrors::default(), all.into_iter().map(|row| (row, None)));
        self.add(&mut found, rows.collect(), progress)?;
        Ok(self.measured(found, vec![]))
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
        let valued = rows.par_iter().zip(&values);
        let valued = valued.filter_map(|(&(row, place), &value)| Valued::new(row, value, place));
        let valued: Vec<Valued> = valued.collect();
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
            return Ok(positions.map(|position| value(self.evaluator, &position)).collect());
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

fn value<E: Evaluate>(evaluator: &E, position: &Position) -> Value {
    evaluator.value(&evaluator.state(position), position)
}

fn placed(games: &[Vec<Labelled>], file: usize, games_before: u64) -> Vec<Row> {
    let rows = games.iter().zip(games_before + 1..).flat_map(|(found, game)| {
        let placed = move |&Labelled { row, rule }| (row, Some(Place { file, game, rule }));
        found.iter().map(placed)
    });
    rows.collect()
}

/// The result of a comparison of errors with limits: a message for each error above its limit, and
/// for each limit whose error is unknown. `None` if the user gives no limits.
#[derive(Default)]
pub struct ErrorLimits(Option<Vec<String>>);

impl ErrorLimits {
    /// Adds a message for each of `errors` (name, discs) outside ±`largest`, the limit that the
    /// user sets by the option `flag`. If `errors` is empty, adds the message `unknown`. If
    /// `largest` is `None`, adds no message.
    pub fn with(
        mut self,
        flag: &str,
        largest: Option<f64>,
        errors: impl IntoIterator<Item = (String, f64)>,
        unknown: &str,
    ) -> Self {
        let Some(largest) = largest else { return self };
        let failures = self.0.get_or_insert_default();
        let mut errors = errors.into_iter().peekable();
        if errors.peek().is_none() {
            failures.push(format!("{flag} {largest}, and {unknown}"));
        }
        let above = errors.filter(|(_, error)| error.abs() > largest);
        failures.extend(above.map(|(name, error)| {
            format!("the {name} is {error:.3} discs, above {flag} {largest}")
        }));
        self
    }

    /// Adds a message if the mean absolute error `mae`, in discs, is `None` or above `largest`, the
    /// limit that the user sets by `--max-mae`. The message calls the error `error`. If `largest`
    /// is `None`, adds no message.
    pub fn with_max_mae(self, largest: Option<f64>, error: &str, mae: Option<f64>) -> Self {
        let unknown = format!("no positions to measure the {error} on");
        self.with("--max-mae", largest, mae.map(|mae| (error.to_owned(), mae)), &unknown)
    }

    /// Returns true if all errors are known and within their limits; `None` if there are no limits.
    pub fn passed(&self) -> Option<bool> {
        self.0.as_ref().map(Vec::is_empty)
    }

    /// Returns a sentence for each error above its limit, and each limit whose error is unknown.
    pub fn failures(&self) -> &[String] {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Labelled positions grouped by their game; a position outside games counts as a game.
#[derive(Clone, Debug)]
pub struct TestGames {
    /// The labelled positions of each game.
    pub games: Vec<Vec<ScoredPosition>>,
    labels: LabelCounts,
    /// The SHA-256 of each file, in the given order.
    pub sha256: Vec<String>,
}

impl TestGames {
    /// Reads the games of the files in their order, at most `most` games altogether.
    pub fn read(
        most: usize,
        paths: &[PathBuf],
        rules: &LabelRules,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let labels = LabelCounts::new(rules.clone());
        let mut all = Self { games: vec![], labels, sha256: vec![] };
        for path in paths {
            let sha256 = read_games(path, rules, progress, |games| {
                for Labelled { row, rule } in games.iter().flatten() {
                    if let Some(phase) = Phase::of(&row.position()) {
                        all.labels.add(phase, *rule);
                    }
                }
                let games = games.into_iter().filter(|game| !game.is_empty());
                let rows = |game: Vec<Labelled>| game.into_iter().map(|found| found.row).collect();
                all.games.extend(games.map(rows).take(most - all.games.len()));
            })?;
            all.sha256.push(sha256);
        }
        Ok(all)
    }

    /// Returns each kind of label in `phases` with its number of labels, the most frequent first.
    pub fn labels(&self, phases: &[usize]) -> Vec<(String, u64)> {
        self.labels.of_phases(phases)
    }
}

/// The sums of an evaluation's errors over the positions of each game and phase.
#[derive(Clone, Debug)]
pub struct ErrorsByGame {
    /// Σ weight · |error| by game and phase, in occurrences · discs; values are clamped to ±64.
    pub absolute: Array2<f64>,
    /// Σ weight by game and phase, in occurrences.
    pub weight: Array2<f64>,
}

impl ErrorsByGame {
    /// Returns the errors of an evaluation on the positions of the games.
    pub fn of<E: Evaluate>(evaluator: &E, games: &TestGames) -> Self {
        let errors = games.games.par_iter().map(|game| errors(evaluator, game));
        let errors = Array2::from(errors.collect::<Vec<[Errors; PHASES]>>());
        Self {
            absolute: errors.map(Errors::absolute_discs),
            weight: errors.map(Errors::occurrences),
        }
    }

    /// Returns the errors by game, added up over the given phases.
    pub fn on(&self, phases: &[usize]) -> GameErrors {
        let sum = |matrix: &Array2<f64>| matrix.select(Axis(1), phases).sum_axis(Axis(1));
        GameErrors { absolute: sum(&self.absolute), weight: sum(&self.weight) }
    }
}

/// For each game, Σ weight · |error| and Σ weight over its positions in all chosen phases.
#[derive(Clone, Debug)]
pub struct GameErrors {
    absolute: Array1<f64>,
    weight: Array1<f64>,
}

impl GameErrors {
    /// Creates the errors from each game's Σ weight · |error in discs| and Σ weight.
    pub fn new(absolute: Vec<f64>, weight: Vec<f64>) -> Self {
        Self { absolute: absolute.into(), weight: weight.into() }
    }

    /// Returns the MAE over the positions of all games, in discs; `None` without positions.
    pub fn mean_of_all(&self) -> Option<f64> {
        self.mean(&Array1::ones(self.weight.len()))
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.weight.len()
    }

    /// Returns the MAE in discs, with game i counted `counts[i]` times (for a bootstrap over
    /// games); `None` without positions.
    pub fn mean(&self, counts: &Array1<f64>) -> Option<f64> {
        let weight = self.weight.dot(counts);
        (weight > 0.0).then(|| self.absolute.dot(counts) / weight)
    }
}

fn errors<E: Evaluate>(evaluator: &E, game: &[ScoredPosition]) -> [Errors; PHASES] {
    let mut errors = [Errors::default(); PHASES];
    for &row in game {
        if let Some(valued) = Valued::new(row, value(evaluator, &row.position()), None) {
            errors[valued.phase.index()].add(row.weight().steps(), valued.error);
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(limits: &[(f64, &[f64])]) -> ErrorLimits {
        limits.iter().fold(ErrorLimits::default(), |verdict, (largest, errors)| {
            let named = errors.iter().map(|error| (format!("error {error}"), *error));
            verdict.with("--max-x", Some(*largest), named, "nothing to measure it on")
        })
    }

    #[test]
    fn every_limit_counts_and_too_low_is_as_bad_as_too_high() {
        assert_eq!(ErrorLimits::default().with_max_mae(None, "error", Some(5.0)).passed(), None);
        assert_eq!(verdict(&[(1.0, &[1.0, -1.0]), (2.0, &[0.5])]).passed(), Some(true));
        assert_eq!(verdict(&[(1.0, &[0.0]), (2.0, &[1.0, -2.5])]).passed(), Some(false));
        assert_eq!(verdict(&[(1.0, &[0.0]), (2.0, &[])]).passed(), Some(false));
        let expected = ["error 3 is 3.000", "error -2.5 is -2.500"];
        let expected = expected.map(|error| format!("the {error} discs, above --max-x 2"));
        assert_eq!(verdict(&[(2.0, &[3.0, 1.0, -2.5])]).failures(), expected);
    }
}
