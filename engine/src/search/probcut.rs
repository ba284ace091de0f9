//! Multi-ProbCut: prunes a node if a shallow search predicts, at a given confidence, that the value
//! of the deep search would be outside the window. Source: M. Buro, "Experiments with Multi-ProbCut
//! and a New High-Quality Evaluation Function for Othello", 1997.

use std::str::FromStr;
use std::sync::Arc;

use super::Searcher;
use crate::board::Position;
use crate::eval::{Depths, EndDepths, Evaluate, Models, Prediction, PruningError, Value};
use crate::simd::Instructions;
use crate::text::Invalid;

/// The confidence at which ProbCut prunes a node: the probability that a normally distributed
/// prediction error is within ± [`Self::deviations`] standard deviations.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, derive_more::Display,
)]
#[display("{}", self.percent())]
pub enum Selectivity {
    /// Confidence 73 %: 1.103 standard deviations.
    Percent73,
    /// Confidence 87 %: 1.514 standard deviations.
    Percent87,
    /// Confidence 95 %: 1.960 standard deviations.
    Percent95,
    /// Confidence 98 %: 2.326 standard deviations.
    Percent98,
    /// Confidence 99 %: 2.576 standard deviations.
    Percent99,
    /// Confidence 100 %: no pruning, so that the value is that of plain negamax.
    #[default]
    Full,
}

impl Selectivity {
    /// All confidences, in ascending order.
    pub const ALL: [Self; 6] = [
        Self::Percent73,
        Self::Percent87,
        Self::Percent95,
        Self::Percent98,
        Self::Percent99,
        Self::Full,
    ];

    /// Returns the confidence in percent.
    pub const fn percent(self) -> u32 {
        [73, 87, 95, 98, 99, 100][self as usize]
    }

    /// Returns the number of standard deviations of this confidence; `None` for 100 %.
    pub const fn deviations(self) -> Option<f64> {
        [Some(1.103), Some(1.514), Some(1.960), Some(2.326), Some(2.576), None][self as usize]
    }
}

impl FromStr for Selectivity {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let percent = text.trim_end_matches('%').parse();
        let named = |one: &Self| Ok(one.percent()) == percent;
        let expected = || Invalid("expected 73, 87, 95, 98, 99 or 100 percent".to_owned());
        Self::ALL.into_iter().find(named).ok_or_else(expected)
    }
}

const MIN_REPLACED_DEPTH: u32 = 3;
const MAX_REPLACED_DEPTH: u32 = 40;
const DEPTHS: usize = (MAX_REPLACED_DEPTH - MIN_REPLACED_DEPTH + 1) as usize;
const PLIES: u32 = 60;

/// The shallow search by which ProbCut tests whether to prune a node. If it prunes the node, the
/// *deep* search, to the node's full depth, is not needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    shallow: u32,
    /// ProbCut prunes the node if the value predicted by the shallow search is at least this number
    /// of standard deviations outside the window.
    deviations: f64,
    by_search: Prediction,
    /// The prediction of the deep search's value from the static value. If this predicted value is
    /// at least beta, the shallow search tests for a fail high, otherwise for a fail low.
    by_static: Prediction,
}

/// Returns the depth of the search that may replace a search to depth `deep`: about half of `deep`.
/// Both depths are even or both odd, because values of even and of odd depths differ.
pub fn shallow_depth(deep: u32) -> u32 {
    2 * (deep / 4) + deep % 2
}

/// Returns the depth of the search that may replace a search to the end of the game from `empties`
/// empty squares: about a quarter of `empties`.
pub fn shallow_depth_of_end(empties: u32) -> u32 {
    shallow_depth(shallow_depth(empties))
}

/// The ProbCut settings of a search: the confidence, and the shallow searches that test its nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct ProbCutSettings {
    pub(super) selectivity: Selectivity,
    /// For each ply, and each depth of a deep search from [`MIN_REPLACED_DEPTH`] on, the shallow
    /// search that may replace it; `None` at confidence 100 %.
    pub(super) cuts: Option<Arc<[[Cut; DEPTHS]]>>,
    /// True for a search of the selectivity ladder: a ProbCut search before an exact solve, which
    /// only guides the solve.
    pub(super) is_rung: bool,
}

impl ProbCutSettings {
    /// Returns the ProbCut settings of fixed-depth searches, by the evaluation's ProbCut model.
    pub(super) fn new(
        evaluator: &impl Evaluate,
        selectivity: Selectivity,
    ) -> Result<Self, PruningError> {
        let Some(deviations) = selectivity.deviations() else { return Ok(Self::default()) };
        let model = evaluator.models().probcut.as_ref().ok_or(PruningError::NoProbCut)?;
        Ok(Self::by(selectivity, deviations, shallow_depth, |depths| model.prediction(depths)))
    }

    /// Returns the ProbCut settings of searches to the end of the game. Predictions are by the
    /// evaluation's model of exact scores or, if it has none, by its ProbCut model.
    pub(super) fn of_end(
        evaluator: &impl Evaluate,
        selectivity: Selectivity,
    ) -> Result<Self, PruningError> {
        let Some(usual) = selectivity.deviations() else { return Ok(Self::default()) };
        let Models { ends, probcut, .. } = evaluator.models();
        if let Some(ends) = ends {
            let deviations = ends.deviations(selectivity as usize).unwrap_or(usual);
            return Ok(Self::by(selectivity, deviations, shallow_depth_of_end, |depths| {
                ends.prediction(EndDepths { empties: depths.deep, shallow: depths.shallow })
            }));
        }
        let model = probcut.as_ref().ok_or(PruningError::NoProbCut)?;
        Ok(Self::by(selectivity, usual, shallow_depth_of_end, |depths| model.prediction(depths)))
    }

    fn by(
        selectivity: Selectivity,
        deviations: f64,
        shallow_depth: fn(u32) -> u32,
        prediction: impl Fn(Depths) -> Prediction,
    ) -> Self {
        let cut = |ply, deep| {
            let shallow = shallow_depth(deep);
            let by = |shallow| prediction(Depths { ply, shallow, deep });
            Cut { shallow, deviations, by_search: by(shallow), by_static: by(0) }
        };
        let of_ply = |ply| std::array::from_fn(|more| cut(ply, MIN_REPLACED_DEPTH + more as u32));
        Self { selectivity, cuts: Some((0..PLIES).map(of_ply).collect()), is_rung: false }
    }

    /// Returns the shallow search that may replace a search to `depth` at `ply`, if any.
    pub(super) fn cut(&self, ply: u32, depth: u32) -> Option<Cut> {
        let by_depth = self.cuts.as_deref()?.get(ply as usize)?;
        by_depth.get(depth.checked_sub(MIN_REPLACED_DEPTH)? as usize).copied()
    }
}

impl<E: Evaluate, I: Instructions> Searcher<'_, E, I> {
    /// Tests by a shallow search whether the node is likely to fail low or high in its null window.
    /// Returns `alpha` for a likely fail low, `beta` for a likely fail high, and else `None`.
    pub(super) fn likely_bound(
        &mut self,
        Cut { shallow, deviations, by_search, by_static }: Cut,
        (position, state): (&Position, &E::State),
        (alpha, beta): (Value, Value),
    ) -> Option<Value> {
        let known = self.evaluator.value(state, position).steps();
        let mut search = |alpha, beta| self.midgame(position, state, (alpha, beta), shallow);
        if known >= by_static.least_for(beta.steps(), 0.0) {
            let bound = Value::from_steps(by_search.least_for(beta.steps(), deviations))?;
            let is_high = bound > Value::MIN && search(bound - Value::STEP, bound) >= bound;
            is_high.then_some(beta)
        } else {
            let bound = Value::from_steps(by_search.greatest_for(alpha.steps(), deviations))?;
            let is_low = bound < Value::MAX && search(bound, bound + Value::STEP) <= bound;
            is_low.then_some(alpha)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_read_as_they_are_written() {
        for selectivity in Selectivity::ALL {
            assert_eq!(selectivity.to_string().parse(), Ok(selectivity));
        }
        assert_eq!("95%".parse(), Ok(Selectivity::Percent95));
        for wrong in ["", "1.5", "74", "-73", "full"] {
            assert!(wrong.parse::<Selectivity>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn percents_are_those_of_the_normal_distribution() {
        for selectivity in Selectivity::ALL {
            let deviations = selectivity.deviations().unwrap_or(f64::INFINITY);
            let within = 100.0 * libm::erf(deviations / std::f64::consts::SQRT_2);
            assert!((within - f64::from(selectivity.percent())).abs() < 0.01, "{selectivity}");
        }
    }

    #[test]
    fn the_search_that_takes_the_place_of_another_is_shallower_and_of_its_parity() {
        for deep in MIN_REPLACED_DEPTH..=MAX_REPLACED_DEPTH {
            let shallow = shallow_depth(deep);
            assert!(shallow > 0 && shallow + 2 <= deep, "{deep}");
            assert_eq!(shallow % 2, deep % 2, "{deep}");
        }
    }
}
