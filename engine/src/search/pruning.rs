//! The pruning of a search: ProbCut of the midgame and of the endgame, or realization probability.

use std::sync::Arc;

use super::Searcher;
use super::costs::Costs;
use super::probcut::{Cuts, Selectivity};
use super::probcut_schedule::{EndgameProbCuts, EndgameSchedule, ProbCutSettings};
use crate::board::Position;
use crate::eval::{Evaluate, NoProbCut};
use crate::simd::Instructions;

/// If a search to the end has a time or node limit, searches at these confidences precede it.
const STAGES: [Selectivity; 2] = [Selectivity::Percent73, Selectivity::Percent95];

/// The pruning of a search. ProbCut has one confidence for searches to a depth and a schedule for
/// searches to the end; a search by realization probability ends unlikely lines early.
#[derive(Clone, Debug, Default)]
pub struct Pruning {
    pub(super) midgame: ProbCutSettings,
    pub(super) ends: EndgameProbCuts,
    /// The preliminary searches to the end, by ascending confidence. If a search to the end has a
    /// time or node limit, they run before it, and supply the result if the limit ends it.
    pub(super) stages: Vec<ProbCutSettings>,
    /// The costs of moves in a search by realization probability; `None` for a search by depth.
    pub(super) costs: Option<Arc<Costs>>,
}

impl Pruning {
    /// Creates the pruning of fixed-depth searches by ProbCut at this confidence.
    ///
    /// # Errors
    /// If the weights have no ProbCut model and the selectivity is not [`Selectivity::Full`].
    pub fn new(evaluator: &impl Evaluate, selectivity: Selectivity) -> Result<Self, NoProbCut> {
        let cuts = Cuts::of(evaluator, selectivity)?;
        Ok(Self { midgame: ProbCutSettings::new(selectivity, cuts), ..Self::default() })
    }

    /// Adds a schedule of ProbCut confidences for searches to the end of the game. The value of a
    /// search that the schedule prunes is likely to be the score, but not proven.
    ///
    /// # Errors
    /// If a step of the schedule is below 100 % and the weights have no ProbCut model.
    pub fn with_endgame(
        self,
        evaluator: &impl Evaluate,
        steps: &EndgameSchedule,
    ) -> Result<Self, NoProbCut> {
        Ok(Self { ends: EndgameProbCuts::new(evaluator, steps)?, ..self })
    }

    /// Adds searches of low confidence before searches to the end, if there is a ProbCut model.
    pub(super) fn with_stages(self, evaluator: &impl Evaluate) -> Self {
        let stage = |&selectivity: &Selectivity| {
            let cuts = Cuts::of_end(evaluator, selectivity).ok()?;
            Some(ProbCutSettings::new(selectivity, cuts))
        };
        Self { stages: STAGES.iter().filter_map(stage).collect(), ..self }
    }

    /// Returns the confidences of the preliminary searches: all below that of the main search.
    pub(super) fn stages(&self, empties: u32) -> Vec<Selectivity> {
        let own = self.end(empties).selectivity;
        let stages = self.stages.iter().map(|end| end.selectivity);
        stages.take_while(|&stage| stage < own).collect()
    }

    pub(super) fn probcut_of(&self, selectivity: Selectivity) -> ProbCutSettings {
        let known = self.ends.all().chain(&self.stages);
        known.into_iter().find(|end| end.selectivity == selectivity).cloned().unwrap_or_default()
    }

    pub(super) fn end(&self, empties: u32) -> ProbCutSettings {
        self.ends.of(empties)
    }

    /// Returns whether an endgame search of a position with `empties` empty squares prunes nothing.
    pub fn is_exact(&self, empties: u32) -> bool {
        self.end(empties).selectivity == Selectivity::Full
    }

    /// Returns whether no search is pruned. Entries of earlier searches then change no result.
    pub(super) fn is_full(&self) -> bool {
        let is_full = self.selectivity() == Selectivity::Full && self.ends.are_full();
        is_full && !self.is_by_probability()
    }

    /// Returns the ProbCut confidence of searches to a fixed depth.
    pub fn selectivity(&self) -> Selectivity {
        self.midgame.selectivity
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    pub(super) fn stages(&self, position: &Position) -> Vec<Selectivity> {
        self.pruning.stages(position.empties())
    }

    /// Returns the evaluation that the searcher uses.
    pub fn evaluator(&self) -> &E {
        self.evaluator
    }

    /// Sets the pruning of later searches.
    pub fn select(&mut self, pruning: Pruning) {
        self.pruning = pruning;
    }

    #[must_use]
    pub(super) fn with_pruning(self, pruning: Pruning) -> Self {
        Self { pruning, ..self }
    }
}
