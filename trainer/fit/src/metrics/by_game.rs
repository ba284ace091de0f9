//! The absolute errors of an evaluation by game, so that games can be resampled (bootstrap).

use std::path::PathBuf;

use ndarray::{Array1, Array2, Axis};
use othello_engine::board::{PHASES, Phase};
use othello_engine::eval::Evaluate;
use othello_engine::progress::Progress;
use othello_engine::record::ScoredPosition;
use rayon::prelude::*;

use super::errors::Valued;
use crate::backend::Errors;
use crate::dataset::LabelCounts;
use crate::source::records::read_games;
use crate::source::{LabelRules, Labelled, Result};

/// Labelled positions grouped by their game; a position outside games counts as a game.
#[derive(Clone, Debug)]
pub struct TestGames {
    /// The labelled positions of each game.
    pub games: Vec<Vec<ScoredPosition>>,
    labels: LabelCounts,
    /// The SHA-256 checksum of each file of the games, in the given order.
    pub sha256: Vec<String>,
}

impl TestGames {
    /// Reads files of games, positions or openings, and returns the first `most` games: those of
    /// the first file, then those of the next. A position outside games counts as a game.
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

    /// Returns the number of labels of each kind in `phases`, the most frequent kind first.
    pub fn labels(&self, phases: &[usize]) -> Vec<(String, u64)> {
        self.labels.of_phases(phases)
    }
}

/// For each game (row) and phase (column), Σ weight · |error| and Σ weight over its positions.
#[derive(Clone, Debug)]
pub struct ErrorsByGame {
    /// Σ weight · |error| for each game (row) and phase (column), in occurrences · discs. Values
    /// are clamped to ±64 discs.
    pub absolute: Array2<f64>,
    /// Σ weight for each game (row) and phase (column), in occurrences.
    pub weight: Array2<f64>,
}

impl ErrorsByGame {
    /// Returns the errors of an evaluation on the positions of the games.
    pub fn of<E: Evaluate>(evaluator: &E, games: &TestGames) -> Self {
        let errors = games.games.par_iter().map(|game| errors(evaluator, game));
        let errors = Array2::from(errors.collect::<Vec<[Errors; PHASES]>>());
        Self {
            absolute: errors.mapv(|e| e.absolute_discs()),
            weight: errors.mapv(|e| e.occurrences()),
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
    /// Creates the errors of games. For each game, `absolute` has Σ weight · |error in discs| over
    /// the game's positions, and `weight` has Σ weight over these positions.
    pub fn new(absolute: Vec<f64>, weight: Vec<f64>) -> Self {
        Self { absolute: absolute.into(), weight: weight.into() }
    }

    /// Returns the mean absolute error over all games' positions, in discs; `None` without
    /// positions.
    pub fn mean_of_all(&self) -> Option<f64> {
        self.mean(&Array1::ones(self.weight.len()))
    }

    /// Returns the number of games.
    pub fn games(&self) -> usize {
        self.weight.len()
    }

    /// Returns the MAE in discs, with game i counted `counts[i]` times; `None` without positions.
    pub fn mean(&self, counts: &Array1<f64>) -> Option<f64> {
        let weight = self.weight.dot(counts);
        (weight > 0.0).then(|| self.absolute.dot(counts) / weight)
    }
}

fn errors<E: Evaluate>(evaluator: &E, game: &[ScoredPosition]) -> [Errors; PHASES] {
    let mut errors = [Errors::default(); PHASES];
    for &row in game {
        let position = row.position();
        let value = evaluator.value(&evaluator.state(&position), &position);
        let Some(valued) = Valued::new(row, value, None) else { continue };
        errors[valued.phase.index()].add(row.weight().steps(), valued.error);
    }
    errors
}
