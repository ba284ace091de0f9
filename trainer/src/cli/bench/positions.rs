//! The positions that are measured on.

use anyhow::ensure;
use othello_engine::board::{Phase, Square};
use othello_engine::progress::Progress;
use othello_engine::random;
use othello_engine::record::Game;
use rayon::prelude::*;

use super::Arguments;
use crate::dataset::{DataChoice, Dataset, DatasetBuilder, Split};
use crate::source::LabelRules;

impl Arguments {
    /// Returns positions like those of a fit: merged up to symmetry, by phase. Without data, those
    /// of `games` random games.
    pub(super) fn positions(&self, games: u64, progress: &dyn Progress) -> anyhow::Result<Dataset> {
        let rules = LabelRules::default();
        let dataset = match &self.data {
            Some(choice) => {
                let files = DataChoice::files(std::slice::from_ref(choice))?;
                Dataset::read(&files, &[], &rules, Split::none(), progress)?
            }
            None => {
                let mut builder = DatasetBuilder::new(rules, Split::none());
                let games = (0..games).into_par_iter();
                builder.add_games(
                    &games.map(|game| random_game(self.seed, game)).collect::<Vec<_>>(),
                    1.0,
                );
                builder.finish()
            }
        };
        let positions: usize =
            self.phases.iter().map(|phase: Phase| dataset.training(phase).len()).sum();
        ensure!(positions > 0, "no positions in these phases: choose other --phases or --data");
        Ok(dataset)
    }
}

/// Returns game `number` of a seed, with every move drawn uniformly from the legal ones.
fn random_game(seed: u64, number: u64) -> Game {
    let replay = random::random_game(seed, number, usize::MAX);
    let squares: Vec<Square> = replay.steps.iter().map(|step| step.square).collect();
    Game::new(0, &squares).expect("a game of legal moves")
}
