//! The endgame ProbCut schedule: the confidence of searches to the end, by number of empty squares.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::probcut::{Cuts, Selectivity};
use crate::eval::{Evaluate, NoProbCut};
use crate::text::{Invalid, excerpt};

/// The ProbCut confidence of searches to the end of the game, by number of empty squares. Each step
/// EMPTIES:PERCENT applies to positions with at most EMPTIES empty squares; steps for fewer empty
/// squares have a higher confidence. A position with more empty squares than any step is searched
/// without pruning. Text form: `20:73,18:95`, or `none`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EndgameSchedule(Vec<(u32, Selectivity)>);

impl EndgameSchedule {
    /// The schedule without steps: endgame searches prune nothing.
    pub const NONE: Self = Self(vec![]);

    /// Creates a schedule from steps with ever fewer empty squares and ever higher confidence.
    pub(super) fn of(steps: impl IntoIterator<Item = (u32, Selectivity)>) -> Self {
        Self(steps.into_iter().collect())
    }

    /// Creates the schedule with the same ProbCut confidence for any number of empty squares.
    pub fn always(selectivity: Selectivity) -> Self {
        Self(vec![(64, selectivity)])
    }

    /// Adds a step to the schedule: with `empties` or fewer empty squares, searches prune nothing.
    #[must_use]
    pub fn exact_from(mut self, empties: u32) -> Self {
        self.0.retain(|&(from, _)| from > empties);
        self.0.push((empties, Selectivity::Full));
        self
    }

    /// Returns the greatest number of empty squares in any step; 0 without steps.
    pub fn most_empties(&self) -> u32 {
        self.0.first().map_or(0, |&(from, _)| from)
    }

    /// Returns the ProbCut confidence of a search to the end from `empties` empty squares.
    pub fn selectivity(&self, empties: u32) -> Selectivity {
        let own = self.0.iter().rev().find(|&&(from, _)| empties <= from);
        own.map_or(Selectivity::Full, |&(_, selectivity)| selectivity)
    }

    /// Returns whether the schedule has no steps.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for EndgameSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        for (number, (from, selectivity)) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { "," };
            write!(f, "{separator}{from}:{selectivity}")?;
        }
        Ok(())
    }
}

impl FromStr for EndgameSchedule {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.trim() == "none" {
            return Ok(Self::NONE);
        }
        let mut steps: Vec<(u32, Selectivity)> = vec![];
        for step in text.split(',') {
            let wrong = |reason: &str| {
                Invalid(format!(
                    "`{}`: {reason}; expected `none` or steps such as 20:73,18:95, each with fewer \
                     empty squares and a higher confidence",
                    excerpt(step)
                ))
            };
            let parts = step.trim().split_once(':');
            let (from, sure) = parts.ok_or_else(|| wrong("a step is EMPTIES:PERCENT"))?;
            let from = from.parse().ok().filter(|from| (1..=60).contains(from));
            let from = from.ok_or_else(|| wrong("empty squares are from 1 to 60"))?;
            let selectivity: Selectivity =
                sure.parse().map_err(|Invalid(reason)| wrong(&reason))?;
            if steps.last().is_some_and(|&(before, less)| from >= before || selectivity <= less) {
                return Err(wrong("does not fit the step before"));
            }
            steps.push((from, selectivity));
        }
        Ok(Self(steps))
    }
}

/// The ProbCut settings of a search: the confidence, and the shallow searches (`None` at 100 %).
#[derive(Clone, Debug, Default)]
pub(super) struct ProbCutSettings {
    pub(super) selectivity: Selectivity,
    pub(super) cuts: Option<Arc<Cuts>>,
    /// True for a search of the selectivity ladder, which only guides the exact search after it.
    pub(super) is_rung: bool,
}

impl ProbCutSettings {
    pub(super) fn new(selectivity: Selectivity, cuts: Option<Arc<Cuts>>) -> Self {
        Self { selectivity, cuts, is_rung: false }
    }
}

/// The ProbCut settings of searches to the end, by the number of empty squares at their root.
#[derive(Clone, Debug, Default)]
pub(super) struct EndgameProbCuts(Vec<(u32, ProbCutSettings)>);

impl EndgameProbCuts {
    pub(super) fn new(
        evaluator: &impl Evaluate,
        steps: &EndgameSchedule,
    ) -> Result<Self, NoProbCut> {
        let end = |&(from, selectivity): &(u32, Selectivity)| {
            Ok((from, ProbCutSettings::new(selectivity, Cuts::of_end(evaluator, selectivity)?)))
        };
        Ok(Self(steps.0.iter().map(end).collect::<Result<_, _>>()?))
    }

    /// Returns the settings for a number of empty squares; without pruning if no step applies.
    pub(super) fn of(&self, empties: u32) -> ProbCutSettings {
        let own = self.0.iter().rev().find(|&&(from, _)| empties <= from);
        own.map(|(_, end)| end.clone()).unwrap_or_default()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &ProbCutSettings> {
        self.0.iter().map(|(_, end)| end)
    }

    pub(super) fn are_full(&self) -> bool {
        self.0.iter().all(|(_, end)| end.selectivity == Selectivity::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Mobility;

    #[test]
    fn steps_are_read_as_they_are_written() {
        for text in ["none", "20:73", "22:73,20:87,18:99"] {
            assert_eq!(text.parse::<EndgameSchedule>().unwrap().to_string(), text);
        }
        for (wrong, reason) in [
            ("", "``: a step is EMPTIES:PERCENT"),
            ("20", "`20`: a step is EMPTIES:PERCENT"),
            ("61:73", "`61:73`: empty squares are from 1 to 60"),
            ("20:74", "`20:74`: expected 73, 87, 95, 98, 99 or 100 percent"),
            ("18:73,20:95", "`20:95`: does not fit the step before"),
            ("20:95,18:73", "`18:73`: does not fit the step before"),
        ] {
            let error = wrong.parse::<EndgameSchedule>().unwrap_err().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn the_last_step_that_a_position_falls_under_is_its_own() {
        let steps = EndgameSchedule::NONE.exact_from(12);
        let ends = EndgameProbCuts::new(&Mobility, &steps).unwrap();
        assert_eq!(ends.of(12).selectivity, Selectivity::Full);
        assert!(ends.are_full());
        let steps: EndgameSchedule = "20:73,18:95,10:98".parse().unwrap();
        assert_eq!(EndgameProbCuts::new(&Mobility, &steps).unwrap_err(), NoProbCut);
        let steps = steps.exact_from(16);
        assert_eq!((steps.to_string(), steps.most_empties()), ("20:73,18:95,16:100".into(), 20));
        let end = |selectivity| ProbCutSettings::new(selectivity, None);
        let ends = EndgameProbCuts(steps.0.iter().map(|&(from, sure)| (from, end(sure))).collect());
        let of = |empties| ends.of(empties).selectivity.percent();
        assert_eq!([21, 20, 19, 18, 17, 16, 1].map(of), [100, 73, 73, 95, 95, 100, 100]);
        assert!(!ends.are_full());
    }
}
