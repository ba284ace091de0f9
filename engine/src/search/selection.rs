//! The selection of what searches leave out.

use std::sync::Arc;

use super::Searcher;
use super::costs::Costs;
use super::ends::{End, EndSteps, Ends};
use super::probcut::{Cuts, Selectivity};
use crate::eval::{Evaluate, NoProbCut};

/// A selection of what a search leaves out: by a selectivity, with what the weights say of shallow searches; or by
/// the probability of lines, with what they say of moves.
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
    /// A selectivity with the model of an evaluation.
    ///
    /// # Errors
    /// Weights without such a model, but for [`Selectivity::Full`].
    pub fn new(evaluator: &impl Evaluate, selectivity: Selectivity) -> Result<Self, NoProbCut> {
        let cuts = Cuts::of(evaluator, selectivity)?;
        Ok(Self { selectivity, cuts, ..Self::default() })
    }

    /// This selection with selective ends, too: the value that a search to the end finds is then likely to
    /// be the score, and no longer proven.
    ///
    /// # Errors
    /// Weights without a model to go by, where a step leaves something out.
    pub fn with_ends(self, evaluator: &impl Evaluate, steps: &EndSteps) -> Result<Self, NoProbCut> {
        Ok(Self { ends: Ends::new(evaluator, steps)?, ..self })
    }

    /// The end for a search of a position with so many empty squares.
    pub(super) fn end(&self, empties: u32) -> End {
        self.ends.of(empties)
    }

    /// Says whether a search to the end of a position with so many empty squares leaves nothing out.
    pub fn is_exact(&self, empties: u32) -> bool {
        self.end(empties).selectivity == Selectivity::Full
    }

    /// Whether nothing is left out: then what is found does not depend on what the table holds.
    pub(super) fn is_full(&self) -> bool {
        let is_full = self.selectivity == Selectivity::Full && self.ends.are_full();
        is_full && !self.is_by_probability()
    }

    /// The selectivity.
    pub fn selectivity(&self) -> Selectivity {
        self.selectivity
    }
}

impl<E: Evaluate> Searcher<'_, E> {
    /// This searcher with another selection.
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
