//! Labels positions, and determines their subset, phase and canonical image.

use othello_engine::board::Phase;
use othello_engine::file::Provenance;
use othello_engine::record::{Game, PlacedPosition, ScoredPosition};
use othello_engine::text::as_text;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Counts, Filter, Split, Subset};
use crate::source::records::{Frame, games_of};
use crate::source::{LabelRules, Labelled};

const RECORDS_AT_ONCE: usize = 64;

/// The settings that, together with the inputs, determine a dataset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LayoutSettings {
    /// The rules for the labels of a game's positions.
    pub labels: LabelRules,
    /// The filter that selects the positions of the dataset.
    #[serde(default, with = "as_text", skip_serializing_if = "Filter::is_all")]
    pub filter: Filter,
    /// The split of the games into training, validation and test.
    #[serde(flatten)]
    pub split: Split,
}

impl LayoutSettings {
    /// Returns settings with a filter that all positions pass.
    pub fn new(labels: LabelRules, split: Split) -> Self {
        Self { labels, filter: Filter::default(), split }
    }

    /// Describes the differences between these settings and those of an existing dataset, `there`.
    pub fn differences(&self, there: &Self) -> String {
        let of = |settings: &Self| Provenance::new("dataset").with("settings", json!(settings));
        Provenance::differences(&of(there), &of(self))
    }
}

pub(super) struct Placer<'a> {
    pub(super) settings: &'a LayoutSettings,
    /// True if all records are for the test subset, regardless of the split and the filter.
    pub(super) is_test: bool,
    pub(super) weight: f64,
    /// True if the records are a complete enumeration, such as all openings: all go to training.
    pub(super) is_enumerated: bool,
    pub(super) wanted: &'a [bool],
    /// True if each position is replaced by the smallest of its eight symmetric images.
    pub(super) is_canonical: bool,
}

/// A labelled position, and whether it is for training, validation or test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The position with its label and its weight.
    pub row: ScoredPosition,
    /// The index of the label rule that gave the label; `None` if the input file states the label.
    pub rule: Option<u8>,
    /// The subset that the position belongs to: training, validation or test.
    pub subset: Subset,
    /// The number of the position's game. It is a hash of the game's moves, or the number that the
    /// file of positions states. For a position outside games, it is a hash of the position.
    pub game: u64,
}

#[derive(Default)]
pub(super) struct PlacedRows {
    pub(super) rows: Vec<Placed>,
    pub(super) counts: Counts,
}

impl Placer<'_> {
    pub(super) fn place(&self, frame: &Frame) -> PlacedRows {
        match frame {
            Frame::Games(games) => self.place_games(games),
            Frame::Positions(rows) => self.place_positions(rows),
            Frame::Placed(rows) => in_parallel(&games_of(rows).collect::<Vec<_>>(), |game, out| {
                let games = out.counts.games;
                for found in game.iter() {
                    let subset = self.subset(|split| split.of_placed(found));
                    self.given(found.row, subset, found.game, out);
                }
                out.counts.games = out.counts.games.min(games + 1);
            }),
        }
    }

    pub(super) fn place_games(&self, games: &[Game]) -> PlacedRows {
        in_parallel(games, |game, out| self.game(game, out))
    }

    pub(super) fn place_positions(&self, rows: &[ScoredPosition]) -> PlacedRows {
        in_parallel(rows, |row, out| self.position(*row, out))
    }

    fn game(&self, game: &Game, out: &mut PlacedRows) {
        let Some(subset) = self.subset(|split| split.of_game(game)) else { return };
        let LayoutSettings { labels, filter, split } = self.settings;
        let mut labelled = labels.labelled(game, self.weight);
        if !self.is_test && !filter.is_all() {
            let steps = game.replay().steps;
            labelled.retain(|found| {
                let ply = found.row.position().ply() as usize;
                let played = steps.get(ply).map(|step| (game, step));
                filter.passes(&found.row, played, split.seed, &mut out.counts.excluded)
            });
        }
        if !labelled.is_empty() {
            out.counts.is_labelled = true;
            out.counts.games += u64::from(subset == Subset::Training);
        }
        let number = PlacedPosition::number_of_game(&game.canonical_squares());
        let rows = labelled.into_iter().filter_map(|found| self.wanted(subset, found, number));
        out.rows.extend(rows);
    }

    fn position(&self, row: ScoredPosition, out: &mut PlacedRows) {
        let canonical = row.position().canonical();
        let subset = self.subset(|split| match self.is_enumerated {
            true => Some(Subset::Training),
            false => split.of_position(&canonical),
        });
        self.given(row, subset, PlacedPosition::number_alone(&canonical), out);
    }

    fn subset(&self, drawn: impl FnOnce(&Split) -> Option<Subset>) -> Option<Subset> {
        if self.is_test { Some(Subset::Test) } else { drawn(&self.settings.split) }
    }

    fn given(&self, row: ScoredPosition, subset: Option<Subset>, game: u64, out: &mut PlacedRows) {
        let position = row.position();
        if position.moves() == 0 {
            out.counts.dropped += 1;
            return;
        }
        let Some(subset) = subset else { return };
        let LayoutSettings { filter, split, .. } = self.settings;
        if !self.is_test && !filter.passes(&row, None, split.seed, &mut out.counts.excluded) {
            return;
        }
        out.counts.is_labelled = true;
        out.counts.games += u64::from(subset == Subset::Training && !self.is_enumerated);
        let weight = row.weight().times(self.weight).unwrap_or(row.weight());
        let row = ScoredPosition::new(position, row.label(), weight);
        out.rows.extend(self.wanted(subset, Labelled { row, rule: None }, game));
    }

    fn wanted(&self, subset: Subset, found: Labelled, game: u64) -> Option<Placed> {
        let Labelled { row, rule } = found;
        let phase = Phase::of(&row.position())?;
        let row = if self.is_canonical { row.canonical() } else { row };
        self.wanted[phase.index()].then_some(Placed { row, rule, subset, game })
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
