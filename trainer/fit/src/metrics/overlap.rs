//! Counts the test games and positions that training also has, even as symmetric images.

use std::collections::HashMap;
use std::path::PathBuf;

use othello_engine::board::Position;
use othello_engine::progress::Progress;
use othello_engine::record::ScoredPosition;
use rayon::prelude::*;
use serde::Serialize;

use super::TestGames;
use crate::dataset::{DataChoice, LayoutSettings, PositionStream, StreamSettings, Subset};
use crate::model::Phases;
use crate::source::Result;

const AT_ONCE: usize = 1 << 16;

/// The numbers of test games and positions that training also has, symmetric images included.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, schemars::JsonSchema)]
pub struct Overlap {
    /// The name of the training data in messages.
    pub data: String,
    /// The number of test games with more than half of their positions in training. A position
    /// outside games counts as a game.
    pub games: usize,
    /// The number of test games that were looked up in the training data.
    pub of_games: usize,
    /// Of the positions of the test games that were looked up, the number that training also has.
    pub positions: usize,
    /// The number of positions of the test games that were looked up.
    pub of_positions: usize,
}

impl Overlap {
    /// Looks for test games in the training subset of record files, which messages call `data`.
    pub fn of(
        test: &TestGames,
        data: String,
        files: impl IntoIterator<Item = PathBuf>,
        layout: &LayoutSettings,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let canonical = |row: &ScoredPosition| row.position().canonical();
        let keys = test.games.par_iter().flatten().map(|row| (canonical(row), false));
        let mut is_known: HashMap<Position, bool> = keys.collect();
        let files = files.into_iter().map(|path| DataChoice { path, weight: 1.0 });
        let (layout, Phases(phases)) = (layout.clone(), Phases::default());
        let subset = Some(Subset::Training);
        let settings = StreamSettings { layout, subset, phases, shuffled: 0, seed: 0 };
        let mut stream = PositionStream::open(&files.collect::<Vec<_>>(), settings)?;
        loop {
            progress.check()?;
            let rows = stream.next_batch(AT_ONCE, progress)?;
            if rows.is_empty() {
                break;
            }
            let found = rows.par_iter().map(|placed| canonical(&placed.row));
            let found: Vec<_> = found.filter(|position| is_known.contains_key(position)).collect();
            is_known.extend(found.into_iter().map(|position| (position, true)));
        }
        let known = |game: &Vec<ScoredPosition>| {
            let known = game.iter().filter(|row| is_known[&canonical(row)]).count();
            (known, game.len())
        };
        let by_game: Vec<(usize, usize)> = test.games.par_iter().map(known).collect();
        Ok(Self {
            data,
            games: by_game.iter().filter(|(known, all)| 2 * known > *all).count(),
            of_games: by_game.len(),
            positions: by_game.iter().map(|game| game.0).sum(),
            of_positions: by_game.iter().map(|game| game.1).sum(),
        })
    }

    /// Returns a warning if test games are also in training.
    pub fn warning(&self) -> Option<String> {
        let Self { data, games, of_games, positions, of_positions } = self;
        (*games > 0).then(|| {
            format!(
                "warning: {data} has {games} of {of_games} test games ({positions} of \
                 {of_positions} positions), so this is not a test error; test on other games"
            )
        })
    }
}
