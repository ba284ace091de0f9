//! The part of a dataset that games and positions go to, and the labelled positions for it.

use othello_engine::board::Position;
use othello_engine::record::{Game, ScoredPosition};
use rayon::prelude::*;

use super::{Part, Split};
use crate::source::{LabelRules, Labelled};

/// The part that the positions of a file belong to.
#[derive(Clone, Copy)]
pub(super) enum Destination {
    /// Games go where the split puts them, enumerated positions to training.
    Split(Split),
    /// Every game and position goes to the test part.
    Test,
}

impl Destination {
    fn of_game(self, game: &Game) -> Option<Part> {
        match self {
            Self::Split(split) => split.of_game(game),
            Self::Test => Some(Part::Test),
        }
    }

    fn of_position(self, position: &Position, enumerated: bool) -> Option<Part> {
        match self {
            Self::Split(_) if enumerated => Some(Part::Training),
            Self::Split(split) => split.of_position(&position.canonical()),
            Self::Test => Some(Part::Test),
        }
    }
}

/// Returns the labelled positions of each game that has some, with the part of the game; games that
/// the share leaves out are missing. `image` chooses one of the images of each position, or none
/// where the position is not wanted.
pub(super) fn placed_games(
    destination: Destination,
    games: &[Game],
    rules: &LabelRules,
    weight: f64,
    image: impl Fn(ScoredPosition) -> Option<ScoredPosition> + Sync,
) -> Vec<(Part, Vec<Labelled>)> {
    let placed = games.par_iter().filter_map(|game| {
        let part = destination.of_game(game)?;
        let labelled = rules.labelled(game, weight);
        let row = |found: Labelled| Some(Labelled { row: image(found.row)?, ..found });
        (!labelled.is_empty()).then(|| (part, labelled.into_iter().filter_map(row).collect()))
    });
    placed.collect()
}

/// Returns positions outside games with their parts. It is `None` for a position whose player has
/// no legal move, and the part is `None` where the share leaves the position out; so is the image
/// where the position is not wanted.
pub(super) fn placed_positions(
    destination: Destination,
    rows: &[ScoredPosition],
    weight: f64,
    enumerated: bool,
    image: impl Fn(ScoredPosition) -> Option<ScoredPosition> + Sync,
) -> Vec<Option<(Option<Part>, Option<ScoredPosition>)>> {
    let placed = rows.par_iter().map(|row| {
        let position = row.position();
        let part = destination.of_position(&position, enumerated);
        (position.moves() != 0).then_some((part, image(reweighted(row, weight))))
    });
    placed.collect()
}

fn reweighted(row: &ScoredPosition, factor: f64) -> ScoredPosition {
    let weight = row.weight();
    ScoredPosition::new(row.position(), row.label(), weight.times(factor).unwrap_or(weight))
}
