//! The positions used for measurements.

use othello_engine::board::Phase;
use othello_engine::progress::Progress;
use othello_engine::random;
use othello_engine::record::Game;
use rayon::prelude::*;

use super::{BenchError, ensure};
use othello_fit::dataset::{DataChoice, Dataset, DatasetBuilder, DatasetError, Split};
use othello_fit::source::LabelRules;

/// Returns positions like those of a fit (merged up to symmetry, and sorted by phase); without
/// data, positions of random games. Refuses phases without positions.
pub fn positions(
    data: Option<&DataChoice>,
    (seed, games): (u64, u64),
    phases: &[Phase],
    progress: &dyn Progress,
) -> Result<Dataset, BenchError> {
    let rules = LabelRules::default();
    let dataset = match data {
        Some(choice) => {
            let files =
                DataChoice::files(std::slice::from_ref(choice)).map_err(DatasetError::from)?;
            Dataset::read(&files, &[], &rules, Split::none(), progress)?
        }
        None => {
            let mut builder = DatasetBuilder::new(rules, Split::none());
            let games = (0..games).into_par_iter().map(|game| random_game(seed, game));
            builder.add_games(&games.collect::<Vec<_>>(), 1.0);
            builder.finish()
        }
    };
    let positions: usize = phases.iter().map(|&phase| dataset.training(phase).len()).sum();
    ensure(positions > 0, || {
        "no positions in these phases: choose other --phases or --data".to_owned()
    })?;
    Ok(dataset)
}

fn random_game(seed: u64, number: u64) -> Game {
    let replay = random::random_game(seed, number, usize::MAX);
    Game::of_replay(0, &replay).expect("a game of legal moves")
}
