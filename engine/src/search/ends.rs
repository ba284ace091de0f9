//! Selective ends: the number of empty squares from which a search goes to the end of the game, and
//! with what confidence, step by step.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::probcut::{Cuts, Selectivity, SelectivityError};
use crate::eval::{Evaluate, NoProbCut};
use crate::text::excerpt;

/// The steps of selectivity for searches to the end. Each step is for positions with up to its
/// number of empty squares; steps for fewer empty squares are surer. A position with more empty
/// squares than any step is searched in full. Text form: `20:73,18:95`, or `none`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EndSteps(Vec<(u32, Selectivity)>);

impl EndSteps {
    /// The empty list: searches to the end leave nothing out.
    pub const NONE: Self = Self(vec![]);

    /// Steps in this order: each for fewer empty squares than the one before, and surer.
    pub(super) fn of(steps: impl IntoIterator<Item = (u32, Selectivity)>) -> Self {
        Self(steps.into_iter().collect())
    }

    /// One selectivity, whatever the number of empty squares.
    pub fn always(selectivity: Selectivity) -> Self {
        Self(vec![(64, selectivity)])
    }

    /// Adds a step: with `empties` or fewer empty squares, nothing is left out.
    #[must_use]
    pub fn exact_from(mut self, empties: u32) -> Self {
        self.0.retain(|&(from, _)| from > empties);
        self.0.push((empties, Selectivity::Full));
        self
    }

    /// Returns the greatest number of empty squares that a step is for; 0 without steps.
    pub fn most_empties(&self) -> u32 {
        self.0.first().map_or(0, |&(from, _)| from)
    }

    /// Returns the selectivity of a search to the end from `empties` empty squares.
    pub fn selectivity(&self, empties: u32) -> Selectivity {
        let own = self.0.iter().rev().find(|&&(from, _)| empties <= from);
        own.map_or(Selectivity::Full, |&(_, selectivity)| selectivity)
    }

    /// Says whether there are no steps.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for EndSteps {
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

/// The error for a text that is not a list of steps of selective ends.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{step}`: {reason}; expected steps such as 20:73,18:95, fewer empty squares the surer, or none"
)]
pub struct EndStepsError {
    step: String,
    reason: String,
}

impl FromStr for EndSteps {
    type Err = EndStepsError;

    fn from_str(text: &str) -> Result<Self, EndStepsError> {
        if text.trim() == "none" {
            return Ok(Self::NONE);
        }
        let mut steps: Vec<(u32, Selectivity)> = vec![];
        for step in text.split(',') {
            let wrong =
                |reason: &str| EndStepsError { step: excerpt(step), reason: reason.to_owned() };
            let parts = step.trim().split_once(':');
            let (from, sure) = parts.ok_or_else(|| wrong("a step is EMPTIES:PERCENT"))?;
            let from = from.parse().ok().filter(|from| (1..=60).contains(from));
            let from = from.ok_or_else(|| wrong("empty squares are from 1 to 60"))?;
            let selectivity: Selectivity =
                sure.parse().map_err(|error: SelectivityError| wrong(&error.to_string()))?;
            if steps.last().is_some_and(|&(before, less)| from >= before || selectivity <= less) {
                return Err(wrong("is not after and above the step before it"));
            }
            steps.push((from, selectivity));
        }
        Ok(Self(steps))
    }
}

/// The selectivity of a search, to the end or to a depth, and the cuts it makes.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    pub(super) selectivity: Selectivity,
    pub(super) cuts: Option<Arc<Cuts>>,
}

/// The selective ends of a selection, by the number of empty squares at the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends(Vec<(u32, End)>);

impl Ends {
    /// Returns the ends for these steps, with the ProbCut model of an evaluation.
    pub(super) fn new(evaluator: &impl Evaluate, steps: &EndSteps) -> Result<Self, NoProbCut> {
        let end = |&(from, selectivity): &(u32, Selectivity)| {
            Ok((from, End { selectivity, cuts: Cuts::of_end(evaluator, selectivity)? }))
        };
        Ok(Self(steps.0.iter().map(end).collect::<Result<_, _>>()?))
    }

    /// Returns the end for a search of a position with `empties` empty squares.
    pub(super) fn of(&self, empties: u32) -> End {
        let own = self.0.iter().rev().find(|&&(from, _)| empties <= from);
        own.map(|(_, end)| end.clone()).unwrap_or_default()
    }

    /// Returns all of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &End> {
        self.0.iter().map(|(_, end)| end)
    }

    /// Says whether none of them leaves anything out.
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
            assert_eq!(text.parse::<EndSteps>().unwrap().to_string(), text);
        }
        for (wrong, reason) in [
            ("", "``: a step is EMPTIES:PERCENT"),
            ("20", "`20`: a step is EMPTIES:PERCENT"),
            ("61:73", "`61:73`: empty squares are from 1 to 60"),
            ("20:74", "`20:74`: expected 73, 87, 95, 98, 99 or 100 percent"),
            ("18:73,20:95", "`20:95`: is not after and above the step before it"),
            ("20:95,18:73", "`18:73`: is not after and above the step before it"),
        ] {
            let error = wrong.parse::<EndSteps>().unwrap_err().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn the_last_step_that_a_position_falls_under_is_its_own() {
        let steps = EndSteps::NONE.exact_from(12);
        let ends = Ends::new(&Mobility, &steps).unwrap();
        assert_eq!(ends.of(12).selectivity, Selectivity::Full);
        assert!(ends.are_full());
        let steps: EndSteps = "20:73,18:95,10:98".parse().unwrap();
        assert_eq!(Ends::new(&Mobility, &steps).unwrap_err(), NoProbCut);
        let steps = steps.exact_from(16);
        assert_eq!((steps.to_string(), steps.most_empties()), ("20:73,18:95,16:100".into(), 20));
        let end = |selectivity| End { selectivity, cuts: None };
        let ends = Ends(steps.0.iter().map(|&(from, sure)| (from, end(sure))).collect());
        let of = |empties| ends.of(empties).selectivity.percent();
        assert_eq!([21, 20, 19, 18, 17, 16, 1].map(of), [100, 73, 73, 95, 95, 100, 100]);
        assert!(!ends.are_full());
    }
}
