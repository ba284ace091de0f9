//! The selection of what searches leave out.

use std::sync::Arc;

use super::Searcher;
use super::costs::Costs;
use super::ends::{End, EndSteps, Ends};
use super::probcut::{Cuts, Selectivity};
use crate::eval::{Evaluate, NoProbCut};

/// The choice of what a search leaves out: cuts by a selectivity and the weights' ProbCut model, or
/// unlikely lines by the weights' model of move probabilities.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub(super) selectivity: Selectivity,
    pub(super) cuts: Option<Arc<Cuts>>,
    /// The selective ends.
    pub(super) ends: Ends,
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
        Ok(Self { selectivity, cuts, ..Self::default() })
    }

    /// Adds selective ends: the value of a search to the end is then likely to be the score, and no
    /// longer proven.
    ///
    /// # Errors
    /// If the weights have no model for a step that leaves something out.
    pub fn with_ends(self, evaluator: &impl Evaluate, steps: &EndSteps) -> Result<Self, NoProbCut> {
        Ok(Self { ends: Ends::new(evaluator, steps)?, ..self })
    }

    /// Returns the end for a search of a position with `empties` empty squares.
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
        let is_full = self.selectivity == Selectivity::Full && self.ends.are_full();
        is_full && !self.is_by_probability()
    }

    /// Returns the selectivity of searches to a fixed depth.
    pub fn selectivity(&self) -> Selectivity {
        self.selectivity
    }
}

impl<E: Evaluate> Searcher<'_, E> {
    /// Sets this searcher's selection.
    #[must_use]
    pub fn with_selection(self, selection: Selection) -> Self {
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
