//! Compares results and labels with scores under perfect play.

use std::collections::BTreeMap;

use serde::Serialize;

/// The comparison of game results, or of position labels, with scores under perfect play.
#[derive(Clone, PartialEq, Debug, Default, Serialize, schemars::JsonSchema)]
pub struct Changes {
    /// The number of games with a solved position, or of solved positions.
    pub solved: u64,
    /// The number of solved games that have a result, or of solved positions, all of which have a
    /// label.
    pub results: u64,
    /// The number of results that differ from the exact score of the game's first solved position,
    /// or of labels that differ from their position's exact score.
    pub changed: u64,
    /// The number of changes that change the winner, including changes to and from a draw.
    pub other_winner: u64,
    /// The number of games that stated another score for the same position.
    pub contradicted: u64,
    /// The number of changes by their size, rounded to discs.
    pub by_discs: BTreeMap<u32, u64>,
    #[serde(skip)]
    discs: f64,
}

impl Changes {
    pub(super) fn count(&mut self, before: f64, exact: f64) {
        let winner = |discs: f64| discs.partial_cmp(&0.0);
        let discs = (before - exact).abs();
        self.results += 1;
        *self.by_discs.entry(discs.round() as u32).or_default() += 1;
        self.discs += discs;
        self.changed += u64::from(before != exact);
        self.other_winner += u64::from(winner(before) != winner(exact));
    }

    /// Returns the mean change in discs, including unchanged results and labels.
    pub fn mean_discs(&self) -> Option<f64> {
        (self.results > 0).then(|| self.discs / self.results as f64)
    }
}
