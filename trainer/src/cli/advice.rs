//! Chooses the default pattern set of a fit, and warns of costly settings. The measurements behind
//! these choices are in docs/log.

use anyhow::Context as _;
use othello_engine::file::{Kind, Provenance, Reader};
use othello_engine::pattern::PatternSet;
use serde_json::Value;

use crate::dataset::{DataChoice, Subset};
use crate::fit::Fit;

/// The least number of games with which a fit has factors (for interactions of patterns) by default
/// (docs/log/factors.md).
pub(super) const GAMES_FOR_FACTORS: u64 = 20_000;

/// If games were searched to this depth or deeper, and there are fewer than [`MANY_GAMES`], `fit`
/// warns that shallower searches would give more games in the same time.
const DEEP: u64 = 6;

/// With fewer games than this, a fit gains more from additional games than from deeper searches.
const MANY_GAMES: u64 = 100_000;

/// The least number of training positions (of all phases) with which factors lower a fit's error.
const MANY_POSITIONS: usize = 2_000_000;

pub(super) fn usual_set(games: u64) -> anyhow::Result<PatternSet> {
    let name = if games < GAMES_FOR_FACTORS { "scalars" } else { "factors" };
    PatternSet::shipped(name).with_context(|| format!("the set {name} is shipped"))
}

#[derive(Clone, Copy)]
pub(super) struct Choices {
    depth: u64,
    games: u64,
    positions: usize,
    has_values: bool,
    uses_values: bool,
    has_factors: bool,
    has_initial: bool,
}

impl Choices {
    pub(super) fn of(fit: &Fit<'_>, data: &[DataChoice]) -> Self {
        let readers = data.iter().filter_map(|it| Reader::open(&it.path, Kind::Games).ok());
        let stated: Vec<_> = readers.map(|it| it.provenance().clone()).collect();
        let depth = |it: &Provenance| it.get("depth").and_then(Value::as_u64);
        let has_values = |it: &Provenance| it.get("values").and_then(Value::as_bool) == Some(true);
        Self {
            depth: stated.iter().filter_map(depth).max().unwrap_or(0),
            games: fit.dataset.games(),
            positions: fit.dataset.len(Subset::Training),
            has_values: stated.iter().any(has_values),
            uses_values: fit.settings.labels.use_values(),
            has_factors: fit.model.set().factors().is_some(),
            has_initial: fit.initial.is_some(),
        }
    }

    pub(super) fn warnings(&self) -> impl Iterator<Item = &'static str> {
        let is_small = self.games < MANY_GAMES && !self.has_initial;
        let costly = [
            (
                self.depth >= DEEP && is_small,
                "deep games, but few: in the same time, `selfplay --depth 2 --exact 12..13` plays \
                 more than ten times as many, which train better weights",
            ),
            (
                self.has_values && !self.uses_values,
                "the labels omit the search values of the games: the default labels have less \
                 noise",
            ),
            (
                self.positions >= MANY_POSITIONS && !self.has_factors,
                "millions of positions, but no factors: `--patterns factors` has a lower error, \
                 and doubles the time of the fit",
            ),
        ];
        costly.into_iter().filter_map(|(costs, line)| costs.then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Choices = Choices {
        depth: 2,
        games: 90_000,
        positions: 3_000_000,
        has_values: true,
        uses_values: true,
        has_factors: true,
        has_initial: false,
    };

    #[test]
    fn costly_choices_are_warned_of_one_by_one() {
        let deep = Choices { depth: 6, ..USUAL };
        let results = Choices { uses_values: false, ..USUAL };
        let tables = Choices { has_factors: false, ..USUAL };
        for (choices, expected) in [
            (USUAL, ""),
            (deep, "deep games, but few"),
            (Choices { games: 100_000, ..deep }, ""),
            (Choices { has_initial: true, ..deep }, ""),
            (results, "the labels omit the search values"),
            (Choices { has_values: false, ..results }, ""),
            (tables, "millions of positions, but no factors"),
            (Choices { positions: 1_500_000, ..tables }, ""),
        ] {
            let warnings = choices.warnings().collect::<Vec<_>>().join("\n");
            assert!(warnings.starts_with(expected), "{warnings}");
            assert_eq!(warnings.is_empty(), expected.is_empty(), "{warnings}");
        }
    }
}
