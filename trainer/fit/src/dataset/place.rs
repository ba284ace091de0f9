//! Labels positions, and determines their subset, phase and canonical image.

use othello_engine::board::Phase;
use othello_engine::record::{Game, PlacedPosition, ScoredPosition};
use rayon::prelude::*;

use super::filter::Played;
use super::{Counts, Filter, Split, Subset};
use crate::source::records::{Frame, games_of};
use crate::source::{LabelRules, Labelled};

const RECORDS_AT_ONCE: usize = 64;

pub(super) struct Placer<'a> {
    pub(super) rules: &'a LabelRules,
    /// The filter, which does not apply to files whose positions all belong to the test subset.
    pub(super) filter: &'a Filter,
    /// The split; `None` if all records belong to the test subset.
    pub(super) split: Option<Split>,
    pub(super) weight: f64,
    /// True if the records are a complete enumeration, such as all openings: all go to training.
    pub(super) is_enumerated: bool,
    /// For each phase, true if the dataset includes its positions.
    pub(super) wanted: &'a [bool],
    /// True if each position is replaced by the smallest of its eight symmetric images.
    pub(super) is_canonical: bool,
}

pub(super) struct Found {
    pub(super) labelled: Labelled,
    pub(super) subset: Subset,
    pub(super) game: u64,
}

#[derive(Default)]
pub(super) struct PlacedRows {
    pub(super) rows: Vec<Found>,
    pub(super) counts: Counts,
}

impl Placer<'_> {
    pub(super) fn place(&self, frame: &Frame) -> PlacedRows {
        match frame {
            Frame::Games(games) => self.place_games(games),
            Frame::Positions(rows) => self.place_positions(rows),
            Frame::Placed(rows) => {
                in_parallel(&games_of(rows).collect::<Vec<_>>(), |game, placed| {
                    let games = placed.counts.games;
                    game.iter().for_each(|found| {
                        let drawn = |split: Split| split.of_placed(found);
                        let subset = self.split.map_or(Some(Subset::Test), drawn);
                        self.given(found.row, subset, found.game, placed);
                    });
                    placed.counts.games = placed.counts.games.min(games + 1);
                })
            }
        }
    }

    pub(super) fn place_games(&self, games: &[Game]) -> PlacedRows {
        in_parallel(games, |game, placed| self.game(game, placed))
    }

    pub(super) fn place_positions(&self, rows: &[ScoredPosition]) -> PlacedRows {
        in_parallel(rows, |row, placed| self.position(*row, placed))
    }

    fn game(&self, game: &Game, placed: &mut PlacedRows) {
        let subset = self.split.map_or(Some(Subset::Test), |split| split.of_game(game));
        let Some(subset) = subset else { return };
        let mut labelled = self.rules.labelled(game, self.weight);
        if let (Some(Split { seed, .. }), false) = (self.split, self.filter.is_all()) {
            let steps = game.replay().steps;
            labelled.retain(|found| {
                let ply = found.row.position().ply() as usize;
                let played = steps.get(ply).map(|step| Played { game, step, ply });
                let excluded = &mut placed.counts.excluded;
                self.filter.passes_played(&found.row, played, seed, excluded)
            });
        }
        if !labelled.is_empty() {
            placed.counts.is_labelled = true;
            placed.counts.games += u64::from(subset == Subset::Training);
        }
        let number = PlacedPosition::number_of_game(&game.canonical_squares());
        let rows = labelled.into_iter().filter_map(|found| self.wanted(subset, found, number));
        placed.rows.extend(rows);
    }

    fn position(&self, row: ScoredPosition, placed: &mut PlacedRows) {
        let canonical = row.position().canonical();
        let subset = match self.split {
            None => Some(Subset::Test),
            Some(_) if self.is_enumerated => Some(Subset::Training),
            Some(split) => split.of_position(&canonical),
        };
        self.given(row, subset, PlacedPosition::number_alone(&canonical), placed);
    }

    /// Adds a labelled position if it has a legal move, passes the filter and is in a wanted phase.
    fn given(
        &self,
        row: ScoredPosition,
        subset: Option<Subset>,
        game: u64,
        placed: &mut PlacedRows,
    ) {
        let position = row.position();
        if position.moves() == 0 {
            placed.counts.dropped += 1;
            return;
        }
        let Some(subset) = subset else { return };
        let excluded = &mut placed.counts.excluded;
        if self.split.is_some_and(|split| !self.filter.passes(&row, split.seed, excluded)) {
            return;
        }
        placed.counts.is_labelled = true;
        placed.counts.games += u64::from(subset == Subset::Training && !self.is_enumerated);
        let weight = row.weight().times(self.weight).unwrap_or(row.weight());
        let row = ScoredPosition::new(position, row.label(), weight);
        placed.rows.extend(self.wanted(subset, Labelled { row, rule: None }, game));
    }

    fn wanted(&self, subset: Subset, found: Labelled, game: u64) -> Option<Found> {
        let phase = Phase::of(&found.row.position())?;
        let row = if self.is_canonical { found.row.canonical() } else { found.row };
        let labelled = Labelled { row, ..found };
        self.wanted[phase.index()].then_some(Found { labelled, subset, game })
    }
}

fn in_parallel<T: Sync>(records: &[T], place: impl Fn(&T, &mut PlacedRows) + Sync) -> PlacedRows {
    let placed = records.par_chunks(RECORDS_AT_ONCE).map(|records| {
        let mut placed = PlacedRows::default();
        records.iter().for_each(|record| place(record, &mut placed));
        placed
    });
    placed.reduce(PlacedRows::default, |mut first, then| {
        first.rows.extend(then.rows);
        first.counts.add(&then.counts);
        first
    })
}
