//! The pruning of a search, by ProbCut or by realization probability.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::probcut::{ProbCutSettings, Selectivity};
use crate::eval::{Evaluate, MoveKind, PruningError, STAGES};
use crate::text::{Invalid, excerpt};

/// The ProbCut confidences of preliminary searches: they come before a search to the end of the
/// game if it has a time or node limit.
const PRELIMINARY: [Selectivity; 2] = [Selectivity::Percent73, Selectivity::Percent95];

/// The pruning of a search. ProbCut has one confidence in fixed-depth searches; in searches to the
/// end, its confidence depends on the number of empty squares. A search by realization probability
/// ends unlikely lines early. The default prunes nothing.
#[derive(Clone, Debug, Default)]
pub struct Pruning {
    pub(super) midgame: ProbCutSettings,
    /// For each step of the endgame schedule, the greatest number of empty squares at which it
    /// applies, and its ProbCut settings.
    pub(super) ends: Vec<(u32, ProbCutSettings)>,
    pub(super) stages: Vec<ProbCutSettings>,
    /// The cost of a move (−4 log₂ of its probability) for each stage of the game and kind of move;
    /// `None` if the search is not by realization probability.
    pub(super) costs: Option<Arc<[[u8; MoveKind::COUNT]; STAGES]>>,
}

impl Pruning {
    /// Creates the pruning of fixed-depth searches by ProbCut at this confidence.
    ///
    /// # Errors
    /// If the weights have no ProbCut model and the selectivity is not [`Selectivity::Full`].
    pub fn new(evaluator: &impl Evaluate, selectivity: Selectivity) -> Result<Self, PruningError> {
        Ok(Self { midgame: ProbCutSettings::new(evaluator, selectivity)?, ..Self::default() })
    }

    /// Adds a schedule of ProbCut confidences for searches to the end of the game. A search that
    /// the schedule prunes is likely to return the exact score, but does not prove it.
    ///
    /// # Errors
    /// If a step of the schedule is below 100 % and the weights have no ProbCut model, neither of
    /// exact scores nor of the values of deeper searches.
    pub fn with_endgame(
        self,
        evaluator: &impl Evaluate,
        steps: &EndgameSchedule,
    ) -> Result<Self, PruningError> {
        let end = |&(from, selectivity): &(u32, Selectivity)| {
            Ok((from, ProbCutSettings::of_end(evaluator, selectivity)?))
        };
        Ok(Self { ends: steps.0.iter().map(end).collect::<Result<_, _>>()?, ..self })
    }

    pub(super) fn with_stages(self, evaluator: &impl Evaluate) -> Self {
        let stages = PRELIMINARY.into_iter().map(|one| ProbCutSettings::of_end(evaluator, one));
        Self { stages: stages.flatten().collect(), ..self }
    }

    pub(super) fn stages(&self, empties: u32) -> Vec<Selectivity> {
        let own = self.end(empties).selectivity;
        let stages = self.stages.iter().map(|end| end.selectivity);
        stages.take_while(|&stage| stage < own).collect()
    }

    pub(super) fn probcut_of(&self, selectivity: Selectivity) -> ProbCutSettings {
        let mut known = self.ends.iter().map(|(_, end)| end).chain(&self.stages);
        known.find(|end| end.selectivity == selectivity).cloned().unwrap_or_default()
    }

    pub(super) fn end(&self, empties: u32) -> ProbCutSettings {
        step_of(&self.ends, empties).cloned().unwrap_or_default()
    }

    /// Returns whether an endgame search from `empties` empty squares uses no ProbCut.
    pub fn is_exact(&self, empties: u32) -> bool {
        self.end(empties).selectivity == Selectivity::Full
    }

    /// Returns true if no search prunes, neither by ProbCut nor by realization probability.
    pub(super) fn is_full(&self) -> bool {
        let mut all = self.ends.iter().map(|(_, end)| end).chain([&self.midgame]);
        all.all(|one| one.selectivity == Selectivity::Full) && !self.is_by_probability()
    }

    /// Returns the ProbCut confidence of searches to a fixed depth.
    pub fn selectivity(&self) -> Selectivity {
        self.midgame.selectivity
    }
}

/// The ProbCut confidence of searches to the end of the game, by number of empty squares. Text
/// form: `none`, or steps EMPTIES:PERCENT with falling EMPTIES and rising PERCENT. The last step
/// whose EMPTIES is at least the number of empty squares applies. Example: `20:73,18:95` means no
/// pruning above 20 empty squares, 73 % at 20 and 19, and 95 % at 18 and fewer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EndgameSchedule(Vec<(u32, Selectivity)>);

impl EndgameSchedule {
    /// The schedule without steps: endgame searches prune nothing.
    pub const NONE: Self = Self(vec![]);

    /// Creates a schedule of steps, with falling numbers of empty squares and rising confidences.
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

    /// Returns the greatest number of empty squares at which a step of the schedule applies; 0 if
    /// the schedule has no steps.
    pub fn most_empties(&self) -> u32 {
        self.0.first().map_or(0, |&(from, _)| from)
    }

    /// Returns the ProbCut confidence of a search to the end from `empties` empty squares.
    pub fn selectivity(&self, empties: u32) -> Selectivity {
        step_of(&self.0, empties).copied().unwrap_or_default()
    }

    /// Returns whether the schedule has no steps.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the last step whose number of empty squares is at least `empties`; `None` if there
/// is no such step. The numbers must fall from step to step.
fn step_of<T>(steps: &[(u32, T)], empties: u32) -> Option<&T> {
    steps.iter().rev().find(|(from, _)| empties <= *from).map(|(_, step)| step)
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
        let pruning = Pruning::default().with_endgame(&Mobility, &steps).unwrap();
        assert!(pruning.is_exact(12) && pruning.is_full());
        let steps: EndgameSchedule = "20:73,18:95,10:98".parse().unwrap();
        assert_eq!(
            Pruning::default().with_endgame(&Mobility, &steps).unwrap_err(),
            PruningError::NoProbCut
        );
        let steps = steps.exact_from(16);
        assert_eq!((steps.to_string(), steps.most_empties()), ("20:73,18:95,16:100".into(), 20));
        let end = |selectivity| ProbCutSettings { selectivity, ..ProbCutSettings::default() };
        let ends = steps.0.iter().map(|&(from, sure)| (from, end(sure))).collect();
        let pruning = Pruning { ends, ..Pruning::default() };
        let of = |empties| pruning.end(empties).selectivity.percent();
        assert_eq!([21, 20, 19, 18, 17, 16, 1].map(of), [100, 73, 73, 95, 95, 100, 100]);
        assert!(!pruning.is_full());
    }
}
