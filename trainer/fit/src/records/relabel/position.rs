//! Relabels one scored position.

use othello_engine::board::{Discs, Position};
use othello_engine::eval::Evaluate;
use othello_engine::record::{Label, ScoredPosition};
use othello_engine::run::size;
use othello_engine::search::Searcher;

use super::{Changes, Relabel, Settings};

impl Relabel for ScoredPosition {
    /// Returns the number of positions, at least 1, that take a few milliseconds in total.
    fn at_once(settings: &Settings) -> usize {
        const NODES: u64 = 1 << 16;
        let nodes = settings.search.and_then(|search| search.nodes);
        let by_nodes = nodes.map_or(1024, |nodes| (NODES / nodes.max(1)).min(1024)) as usize;
        (1024 >> (settings.most_exact() / 2).min(10)).min(by_nodes).max(1)
    }

    fn to_solve(&self, settings: &Settings, most_empties: u32) -> Vec<Position> {
        let position = self.position();
        let is_asked = settings.is_solved(self) && position.empties() <= most_empties;
        is_asked.then_some(position).into_iter().collect()
    }

    /// Returns the position with its new label and its old weight.
    fn relabelled<E: Evaluate>(
        &self,
        settings: &Settings,
        known: &[Option<i8>],
        searcher: &mut Searcher<'_, E>,
    ) -> Self {
        let label = match known {
            [Some(score)] => Label::of_score(Discs::from(*score)),
            _ => settings.label(self, searcher),
        };
        let label = label.unwrap_or(self.label());
        Self::new(self.position(), label, self.weight())
    }

    fn seconds(settings: &Settings) -> f64 {
        1e-6 + settings.seconds_of_search().max(size::solve(settings.exact))
    }

    fn count(changes: &mut Changes, settings: &Settings, before: &Self, after: &Self) {
        if settings.is_solved(before) {
            changes.solved += 1;
            changes.count(before.label().discs(), after.label().discs());
        }
    }
}

impl Settings {
    /// Returns true if the position gets its exact score.
    pub(super) fn is_solved(&self, position: &ScoredPosition) -> bool {
        position.position().empties() <= self.most_exact()
    }

    /// Returns the new label of the position; `None` if it keeps the old one.
    fn label<E: Evaluate>(
        &self,
        scored: &ScoredPosition,
        searcher: &mut Searcher<'_, E>,
    ) -> Option<Label> {
        let position = scored.position();
        searcher.new_game();
        if self.is_solved(scored) {
            return Label::of_score(searcher.solve(&position).score);
        }
        let value = self.search?.find(searcher, &position).value;
        Label::of_discs(value.discs())
    }
}
