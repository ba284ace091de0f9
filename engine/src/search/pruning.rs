//! The pruning of a search: ProbCut of the midgame and of the endgame, or realization probability.

use std::sync::Arc;

use super::Searcher;
use super::costs::Costs;
use super::probcut::{Cuts, Selectivity};
use super::probcut_schedule::{EndgameProbCuts, EndgameSchedule, ProbCutSettings};
use crate::board::Position;
use crate::eval::{Evaluate, NoProbCut};
use crate::simd::Instructions;

/// The confidences of the pruned searches that run first if limits may stop a search to the end.
const STAGES: [Selectivity; 2] = [Selectivity::Percent73, Selectivity::Percent95];

/// The pruning of a search. ProbCut prunes nodes, with one confidence for searches to a depth and a
/// schedule for searches to the end. A search by realization probability, instead of ProbCut, ends
/// unlikely lines early.
#[derive(Clone, Debug, Default)]
pub struct Pruning {
    /// ProbCut of searches to a depth.
    pub(super) midgame: ProbCutSettings,
    /// ProbCut of searches to the end.
    pub(super) ends: EndgameProbCuts,
    /// ProbCut settings of preliminary endgame searches, in ascending order of confidence. They run
    /// before an endgame search that has limits, so that there is a result if a limit stops it.
    pub(super) stages: Vec<ProbCutSettings>,
    /// The costs of moves in a search by probability; `None` for a search by depth.
    pub(super) costs: Option<Arc<Costs>>,
}

impl Pruning {
    /// Creates pruning with a ProbCut confidence, by the ProbCut model of an evaluation.
    ///
    /// # Errors
    /// If the weights have no such model and the selectivity is not [`Selectivity::Full`].
    pub fn new(evaluator: &impl Evaluate, selectivity: Selectivity) -> Result<Self, NoProbCut> {
        let cuts = Cuts::of(evaluator, selectivity)?;
        Ok(Self { midgame: ProbCutSettings::new(selectivity, cuts), ..Self::default() })
    }

    /// Adds a schedule of ProbCut in the endgame: the value of a search to the end is then likely
    /// to be the score, but not proven.
    ///
    /// # Errors
    /// If the weights have no model for a step below 100 %.
    pub fn with_endgame(
        self,
        evaluator: &impl Evaluate,
        steps: &EndgameSchedule,
    ) -> Result<Self, NoProbCut> {
        Ok(Self { ends: EndgameProbCuts::new(evaluator, steps)?, ..self })
    }

    /// Adds searches to the end with lower confidence, if the evaluation has a model for them. They
    /// run before a search to the end that has limits, and supply its result if a limit stops it.
    pub(super) fn with_stages(self, evaluator: &impl Evaluate) -> Self {
        let stage = |&selectivity: &Selectivity| {
            let cuts = Cuts::of_end(evaluator, selectivity).ok()?;
            Some(ProbCutSettings::new(selectivity, cuts))
        };
        Self { stages: STAGES.iter().filter_map(stage).collect(), ..self }
    }

    /// Returns the confidences of the preliminary searches to the end from `empties` empty squares:
    /// all that are lower than the confidence of the search itself.
    pub(super) fn stages(&self, empties: u32) -> Vec<Selectivity> {
        let own = self.end(empties).selectivity;
        let stages = self.stages.iter().map(|end| end.selectivity);
        stages.take_while(|&stage| stage < own).collect()
    }

    /// Returns the endgame settings with this confidence. If there are none, returns settings
    /// without pruning.
    pub(super) fn probcut_of(&self, selectivity: Selectivity) -> ProbCutSettings {
        let known = self.ends.all().chain(&self.stages);
        known.into_iter().find(|end| end.selectivity == selectivity).cloned().unwrap_or_default()
    }

    /// Returns the endgame settings for a position with this number of empty squares.
    pub(super) fn end(&self, empties: u32) -> ProbCutSettings {
        self.ends.of(empties)
    }

    /// Returns whether an endgame search of a position with `empties` empty squares is without
    /// pruning.
    pub fn is_exact(&self, empties: u32) -> bool {
        self.end(empties).selectivity == Selectivity::Full
    }

    /// Returns whether nothing is pruned. The result then does not depend on the content of the
    /// table.
    pub(super) fn is_full(&self) -> bool {
        let is_full = self.selectivity() == Selectivity::Full && self.ends.are_full();
        is_full && !self.is_by_probability()
    }

    /// Returns the selectivity of searches to a fixed depth.
    pub fn selectivity(&self) -> Selectivity {
        self.midgame.selectivity
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns the confidences of the searches that run before a search of a position to the end,
    /// if limits may stop that search.
    pub(super) fn stages(&self, position: &Position) -> Vec<Selectivity> {
        self.pruning.stages(position.empties())
    }

    /// Returns the evaluation.
    pub fn evaluator(&self) -> &E {
        self.evaluator
    }

    /// Changes the pruning.
    pub fn select(&mut self, pruning: Pruning) {
        self.pruning = pruning;
    }

    /// Returns this searcher with other pruning.
    #[must_use]
    pub(super) fn with_pruning(self, pruning: Pruning) -> Self {
        Self { pruning, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Mobility;

    #[test]
    fn weights_without_a_model_allow_no_pruning() {
        assert!(Pruning::new(&Mobility, Selectivity::Full).is_ok());
        assert_eq!(Pruning::new(&Mobility, Selectivity::Percent95).unwrap_err(), NoProbCut);
    }
}
