//! The selection of what searches leave out.

use std::sync::Arc;

use super::Searcher;
use super::costs::Costs;
use super::ends::{End, EndSteps, Ends};
use super::probcut::{Cuts, Selectivity};
use crate::board::Position;
use crate::eval::{Evaluate, NoProbCut};
use crate::instructions::Instructions;

/// The selectivities of the searches that come before an exact search to the end.
const STAGES: [Selectivity; 2] = [Selectivity::Percent73, Selectivity::Percent95];

/// A selection of what a search leaves out: by a selectivity, with what the weights say of shallow
/// searches; or by the probability of lines, with what they say of moves.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The selectivity of searches to a depth.
    pub(super) by_depth: End,
    /// The selective ends.
    pub(super) ends: Ends,
    /// Less sure ends that come before another one where time may end it, the least sure first.
    pub(super) stages: Vec<End>,
    /// The costs of moves in a search by probability.
    pub(super) costs: Option<Arc<Costs>>,
}

impl Selection {
    /// Selects the cuts of a selectivity, by the ProbCut model of an evaluation.
    ///
    /// # Errors
    /// If the weights have no such model and the selectivity is not [`Selectivity::Full`].
    pub fn new(evaluator: &impl Evaluate, selectivity: Selectivity) -> Result<Self, NoProbCut> {
        let cuts = Cuts::of(evaluator, selectivity)?;
        Ok(Self { by_depth: End { selectivity, cuts }, ..Self::default() })
    }

    /// Adds selective ends: the value of a search to the end is then likely to be the score, and no
    /// longer proven.
    ///
    /// # Errors
    /// If the weights have no model for a step that leaves something out.
    pub fn with_ends(self, evaluator: &impl Evaluate, steps: &EndSteps) -> Result<Self, NoProbCut> {
        Ok(Self { ends: Ends::new(evaluator, steps)?, ..self })
    }

    /// This selection with less sure searches before each to the end that limits may end, as far as
    /// the evaluation has what they go by.
    pub(super) fn with_stages(self, evaluator: &impl Evaluate) -> Self {
        let stage = |&selectivity: &Selectivity| {
            let cuts = Cuts::of_end(evaluator, selectivity).ok()?;
            Some(End { selectivity, cuts })
        };
        Self { stages: STAGES.iter().filter_map(stage).collect(), ..self }
    }

    /// Returns the selectivities of the searches before one to the end from `empties` empty
    /// squares.
    pub(super) fn stages(&self, empties: u32) -> Vec<Selectivity> {
        let own = self.end(empties).selectivity;
        let stages = self.stages.iter().map(|end| end.selectivity);
        stages.take_while(|&stage| stage < own).collect()
    }

    /// The end of this selectivity; one that leaves nothing out where there is none.
    pub(super) fn end_as_sure_as(&self, selectivity: Selectivity) -> End {
        let known = self.ends.all().chain(&self.stages);
        known.into_iter().find(|end| end.selectivity == selectivity).cloned().unwrap_or_default()
    }

    /// The end for a search of a position with so many empty squares.
    pub(super) fn end(&self, empties: u32) -> End {
        self.ends.of(empties)
    }

    /// Returns whether a search to the end of a position with `empties` empty squares leaves
    /// nothing out.
    pub fn is_exact(&self, empties: u32) -> bool {
        self.end(empties).selectivity == Selectivity::Full
    }

    /// Returns whether nothing is left out: then the result does not depend on the content of the
    /// table.
    pub(super) fn is_full(&self) -> bool {
        let is_full = self.selectivity() == Selectivity::Full && self.ends.are_full();
        is_full && !self.is_by_probability()
    }

    /// Returns the selectivity of searches to a fixed depth.
    pub fn selectivity(&self) -> Selectivity {
        self.by_depth.selectivity
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Returns the selectivities of the searches before one of a position to the end, if limits may
    /// end the latter.
    pub(super) fn stages(&self, position: &Position) -> Vec<Selectivity> {
        self.selection.stages(position.empties())
    }

    /// The evaluation that it searches by.
    pub fn evaluator(&self) -> &E {
        self.evaluator
    }

    /// Gives the searches another selection.
    pub fn select(&mut self, selection: Selection) {
        self.selection = selection;
    }

    /// This searcher with another selection.
    #[must_use]
    pub(super) fn with_selection(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Mobility;

    #[test]
    fn weights_without_predictions_leave_nothing_out() {
        assert!(Selection::new(&Mobility, Selectivity::Full).is_ok());
        assert_eq!(Selection::new(&Mobility, Selectivity::Percent95).unwrap_err(), NoProbCut);
    }
}
